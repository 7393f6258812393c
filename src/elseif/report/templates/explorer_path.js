"use strict";
/* The path of projected lists: for each number of rules the one that predicts most like the posterior. */

function drawPath() {
  if (!model.path) return;
  const { lists, suggested, isScored } = model.path;
  const cell = (value, digits) => element("td", "number", value === null || value === undefined ? "" : value.toFixed(digits));
  const scores = (entry) => [cell(entry.distance, 4), ...(isScored ? [cell(entry.logLoss, 4), cell(entry.auc, 3)] : [])];
  const rows = lists.map((entry, i) => {
    const { most, items } = entry;
    const name = element("th", "", items.length < most ? `at most ${most}` : String(most));
    name.scope = "row";
    if (most === suggested) name.append(" ", element("span", "tag", "suggested"));
    const show = button("Show", `Show the projected list of ${most} rules`, `path${i}`, () => { state.projected = i; drawPath(); document.querySelector(`[data-key=path${i}]`).focus(); });
    return element("tr", i === state.projected ? "current" : "", name, ...scores(entry), element("td", "screen-only", show));
  });
  for (const [name, entry] of [["point estimate", model.path.point], ["posterior average", model.path.posterior]]) {
    const head = element("th", "", name);
    head.scope = "row";
    rows.push(element("tr", "", head, ...scores(entry), element("td", "screen-only")));
  }
  byId("path-rows").replaceChildren(...rows);
  drawPathChart();
  drawProjected();
}

/* Distance by length, with the suggested length and the list that is shown marked. */
function drawPathChart() {
  const [width, height, left, right, top, bottom] = [440, 220, 58, 12, 12, 44];
  const { lists, suggested } = model.path;
  const most = lists[lists.length - 1].most || 1;
  const highest = Math.max(...lists.map(({ distance }) => distance), 1e-6) * 1.06;
  const x = (value) => left + (value / most) * (width - left - right - 12) + 6;
  const y = (value) => height - bottom - (value / highest) * (height - top - bottom);
  const svg = svgElement("svg", { viewBox: `0 0 ${width} ${height}`, class: "path-chart", role: "img", "aria-label": "Distance from the posterior by number of rules; the table has the same numbers" });
  for (const [tick, text] of tickTexts(ticks(0, highest, 4))) {
    svg.append(svgElement("line", { class: "grid", x1: left, x2: width - right, y1: y(tick), y2: y(tick) }));
    svg.append(svgElement("text", { class: "tick", x: left - 6, y: y(tick) + 4, "text-anchor": "end" }, text));
  }
  for (const { most: rules } of lists) {
    if (lists.length > 13 && rules % 2) continue;
    svg.append(svgElement("text", { class: "tick", x: x(rules), y: height - bottom + 18, "text-anchor": "middle" }, String(rules)));
  }
  svg.append(
    svgElement("text", { class: "axis", x: (left + width) / 2, y: height - 8, "text-anchor": "middle" }, "Most rules"),
    svgElement("text", { class: "axis", transform: `translate(12 ${(height - bottom + top) / 2}) rotate(-90)`, "text-anchor": "middle" }, "Distance (nats per row)"),
    svgElement("polyline", { class: "path-curve", points: lists.map(({ most: m, distance }) => `${x(m)},${y(distance)}`).join(" ") }),
    ...lists.map(({ most: m, distance }, i) => svgElement("circle", { class: `path-dot${m === suggested ? " suggested" : ""}${i === state.projected ? " shown" : ""}`, cx: x(m), cy: y(distance), r: i === state.projected ? 6 : 4 })),
  );
  byId("path-chart").replaceChildren(svg);
}

const projectedList = () => listOf(model.path.lists[state.projected].items);

function drawProjected() {
  const list = projectedList();
  const lines = element("ol", "lines");
  const end = barEnd(list.counts);
  lines.append(...listLines(list.items, list.counts, point.items, end));
  const length = `${list.items.length} rule${list.items.length === 1 ? "" : "s"}`;
  byId("projected-title").textContent = `Projected list of ${length}`;
  byId("projected").replaceChildren(priceTable(list, point, "the point estimate", areaOf(list), areaOf(point)), lines, barsNote(end));
  byId("projected-edit").disabled = !canEdit(list.items);
}
