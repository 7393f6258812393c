"use strict";
/* The landscape: every list a mark, by log posterior and AUC, grouped by its first rule. */

const HEIGHT = 360;
const MARGIN = { left: 64, right: 18, top: 14, bottom: 50 };

/* ------------------------------------------------------------------------ groups */

/* Each group has a colour and a shape of its own; the rest share one. */
const SHAPES = {
  circle: (r) => `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`,
  square: (r) => polygon([[-0.89, -0.89], [0.89, -0.89], [0.89, 0.89], [-0.89, 0.89]], r),
  triangle: (r) => polygon([[0, -1.3], [1.2, 0.85], [-1.2, 0.85]], r),
  diamond: (r) => polygon([[0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]], r),
  down: (r) => polygon([[0, 1.3], [1.2, -0.85], [-1.2, -0.85]], r),
  bar: (r) => polygon([[-1.4, -0.55], [1.4, -0.55], [1.4, 0.55], [-1.4, 0.55]], r),
  other: (r) => polygon([0, 1, 2, 3, 4, 5].map((k) => [1.1 * Math.cos((k * Math.PI) / 3), 1.1 * Math.sin((k * Math.PI) / 3)]), r),
};
const GROUP_SHAPES = ["circle", "square", "triangle", "diamond", "down", "bar"];

function polygon(corners, r) {
  return `M${corners.map(([x, y]) => `${(x * r).toFixed(2)} ${(y * r).toFixed(2)}`).join("L")}z`;
}

const firstRule = (list) => list.items[0] ?? -1;

/* Lists by their first rule: the groups with the most draws, and all others together. */
const groups = (() => {
  const byRule = new Map();
  model.lists.forEach((list, index) => {
    const rule = firstRule(list);
    if (!byRule.has(rule)) byRule.set(rule, { rules: [rule], places: [], share: 0 });
    byRule.get(rule).places.push(index);
    byRule.get(rule).share += list.share;
  });
  // where counts are rounded shares are coarse: sort by the number of lists
  const size = hasPosterior ? ({ share }) => share : ({ places }) => places.length;
  const sorted = [...byRule.values()].sort((a, b) => size(b) - size(a));
  const isMore = sorted.length > GROUP_SHAPES.length;
  const named = isMore ? sorted.slice(0, GROUP_SHAPES.length - 1) : sorted;
  const made = named.map((group, i) => ({ ...group, shape: GROUP_SHAPES[i], colour: i, text: ruleText(group.rules[0]) }));
  if (isMore) {
    const rest = sorted.slice(named.length);
    made.push({
      rules: rest.flatMap(({ rules }) => rules), places: rest.flatMap(({ places }) => places),
      share: sum(rest.map(({ share }) => share)), shape: "other", colour: "other",
      text: `one of ${rest.length} other first rules`,
    });
  }
  return made;
})();

const groupOf = (list) => groups.findIndex(({ rules }) => rules.includes(firstRule(list)));

function mark(group, r) {
  return svgElement("path", { class: `mark-shape g-${groups[group].colour}`, d: SHAPES[groups[group].shape](r) });
}

function swatch(...children) {
  return svgElement("svg", { class: "swatch", viewBox: "-14 -14 28 28", width: 22, height: 22, "aria-hidden": "true" }, ...children);
}

/* The groups as buttons that show one of them alone, and what rings and sizes mean. */
function drawLegend() {
  const buttons = groups.map(({ text, places, share }, group) => {
    const count = `${places.length} list${places.length === 1 ? "" : "s"}${hasPosterior ? `, ${percentText(share)} of draws` : ""}`;
    const made = element("button", "group");
    made.type = "button";
    made.dataset.group = group;
    made.setAttribute("aria-pressed", String(state.group === group));
    made.append(swatch(mark(group, 8)), element("span", "", element("bdi", "", ...unbroken(text)), " ", element("span", "muted", `(${count})`)));
    made.addEventListener("click", () => {
      state.group = state.group === group ? null : group;
      draw();
      document.querySelector(`[data-group="${group}"]`).focus();
    });
    return element("li", "", made);
  });
  byId("groups").replaceChildren(...buttons);
  const key = (text, ...drawn) => element("li", "", swatch(...drawn), text);
  const plain = () => svgElement("path", { class: "key-shape", d: SHAPES.circle(6) });
  byId("key").replaceChildren(
    key("chosen", svgElement("circle", { class: "ring chosen", r: 10 }), plain()),
    key("compared with", svgElement("circle", { class: "ring held", r: 10 }), plain()),
    key("point estimate", plain(), svgElement("path", { class: "cross", d: CROSS })),
    ...(state.marks.length ? [key("bookmark", plain(), svgElement("path", { class: "star", d: STAR, transform: "translate(8 -8)" }))] : []),
    element("li", "", svgElement("svg", { class: "swatch", viewBox: "-34 -14 48 28", width: 38, height: 22, "aria-hidden": "true" },
      svgElement("circle", { class: "key-shape", r: radius(0.01), cx: -24 }),
      svgElement("circle", { class: "key-shape", r: radius(0.1) })), "size: share of draws, here 1% and 10%"),
  );
}

/* ------------------------------------------------------------------------ drawing */

const CROSS = "M-5 0H5M0 -5V5";
const STAR = "M0 -5L1.4 -1.6L5 -1.4L2.2 .9L3.1 4.4L0 2.4L-3.1 4.4L-2.2 .9L-5 -1.4L-1.4 -1.6z";
const radius = (share) => 5 + 22 * Math.sqrt(share);

/* Round numbers that cover a range in about so many steps; at least two, or they show no scale. */
function ticks(low, high, about) {
  const rough = (high - low) / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const steps = [0.2, 0.5, 1, 2, 5, 10].map((factor) => factor * power);
  const ofStep = (step) => {
    const first = Math.ceil(low / step - 1e-9);
    const count = Math.floor(high / step + 1e-9) - first + 1;
    return Array.from({ length: Math.max(0, count) }, (_, i) => Number(((first + i) * step).toPrecision(12)));
  };
  const wanted = steps.findIndex((step) => step >= rough);
  return steps.slice(0, wanted + 1).map(ofStep).reverse().find((values) => values.length > 1) ?? ofStep(steps[wanted]);
}

/* Each tick with its text, all with the same decimals. */
function tickTexts(values) {
  const needed = values.map((value) => {
    const [digits, exponent] = String(value).split("e");
    return (digits.split(".")[1] ?? "").length - Number(exponent ?? 0);
  });
  const decimals = Math.min(12, Math.max(0, ...needed));
  return values.map((value) => [value, minus(value.toFixed(decimals))]);
}

function scaleOf(values, from, to, pad) {
  let [low, high] = [Math.min(...values), Math.max(...values)];
  const room = (high - low || 1) * pad;
  [low, high] = [low - room, high + room];
  return { low, high, at: (value) => from + ((value - low) / (high - low)) * (to - from) };
}

/* How high a list stands: by its log posterior, or by its length where that is not told. */
function upValue(list) {
  return hasPosterior ? list.logPosterior - point.logPosterior : list.items.length;
}

function acrossValue(list) {
  return byId("across").value === "length" ? list.items.length : areaOf(list);
}

const isHeldOut = model.lists.some(({ holdoutAuc }) => holdoutAuc !== null);

/* What the axes show. */
function axisTitles() {
  const area = `AUC (${isHeldOut ? "held-out data" : "training data"})`;
  return {
    x: byId("across").value === "length" ? "Number of rules" : area,
    y: hasPosterior ? "Log posterior relative to the point estimate" : "Number of rules",
  };
}

function drawAxes(svg, x, y, width) {
  const bottom = HEIGHT - MARGIN.bottom;
  const isLength = byId("across").value === "length";
  for (const [tick, text] of tickTexts(ticks(x.low, x.high, width / 110).filter((value) => !isLength || value % 1 === 0))) {
    svg.append(svgElement("line", { class: "grid", x1: x.at(tick), x2: x.at(tick), y1: MARGIN.top, y2: bottom }));
    svg.append(svgElement("text", { class: "tick", x: x.at(tick), y: bottom + 18, "text-anchor": "middle" }, text));
  }
  for (const [tick, text] of tickTexts(ticks(y.low, y.high, 6).filter((value) => hasPosterior || value % 1 === 0))) {
    svg.append(svgElement("line", { class: "grid", x1: MARGIN.left, x2: width - MARGIN.right, y1: y.at(tick), y2: y.at(tick) }));
    svg.append(svgElement("text", { class: "tick", x: MARGIN.left - 8, y: y.at(tick) + 4, "text-anchor": "end" }, text));
  }
  const titles = axisTitles();
  const middle = (MARGIN.top + bottom) / 2;
  svg.append(svgElement("text", { class: "axis", x: (MARGIN.left + width - MARGIN.right) / 2, y: HEIGHT - 8, "text-anchor": "middle" }, titles.x));
  svg.append(svgElement("text", { class: "axis", transform: `translate(16 ${middle}) rotate(-90)`, "text-anchor": "middle" }, titles.y));
}

function dotLabel(index) {
  const list = model.lists[index];
  const rules = list.items.map((item) => model.antecedents[item].text).join("; ") || "no rule";
  const against = hasPosterior ? `Log posterior ${signed(upValue(list), 2)}, ` : "";
  const start = index === model.point ? "Point estimate. " : "";
  const marked = isMarked(list.items) ? "Bookmarked. " : "";
  return `${start}${marked}List ${index + 1}: ${rules}. ${against}AUC ${areaText(areaOf(list))}, ${list.shareText} of draws.`;
}

function dot(index, x, y, tabbable) {
  const list = model.lists[index];
  const [cx, cy, r] = [x.at(acrossValue(list)), y.at(upValue(list)), radius(list.share)];
  const role = index === state.chosen ? "chosen" : index === state.held ? "held" : "";
  const made = svgElement("g", {
    class: `dot ${role} ${index === model.point ? "point" : ""}`,
    transform: `translate(${cx.toFixed(2)} ${cy.toFixed(2)})`,
    role: "option",
    "aria-selected": String(index === state.chosen),
    "aria-label": dotLabel(index),
    tabindex: tabbable ? 0 : -1,
    "data-place": index,
  }, svgElement("circle", { class: "halo", r: r + 5 }), mark(groupOf(list), r));
  if (role) made.append(svgElement("circle", { class: `ring ${role}`, r: r + 4 }));
  if (index === model.point) made.append(svgElement("path", { class: "cross", d: CROSS }));
  if (isMarked(list.items)) made.append(svgElement("path", { class: "star", d: STAR, transform: `translate(${r + 3} ${-r - 3})` }));
  made.addEventListener("focus", () => { if (made.matches(":focus-visible")) showCard(index); });
  made.addEventListener("blur", hideCard);
  spots.set(index, { cx, cy, r, made });
  return made;
}

/* Where the marks are, in the order in which they are drawn. */
const spots = new Map();
const REACH = 14;

/* The mark nearest to the pointer, of equal ones the uppermost; null where none is near. */
function nearest(event) {
  const box = byId("landscape").getBoundingClientRect();
  const [x, y] = [event.clientX - box.left, event.clientY - box.top];
  let [best, least] = [null, Infinity];
  for (const [index, { cx, cy, r }] of spots) {
    const distance = Math.hypot(cx - x, cy - y);
    if (distance <= Math.max(REACH, r + 2) && distance <= least) [best, least] = [index, distance];
  }
  return best;
}

function pointAt(event) {
  if (event.pointerType !== "mouse") return;
  const index = nearest(event);
  if (index === null) hideCardSoon();
  else if (byId("card").hidden || Number(byId("card").dataset.place) !== index) showCard(index);
  else clearTimeout(hiding);
}

function chooseNearest(event) {
  const index = nearest(event);
  if (index !== null) choose(index);
}

function drawLandscape(places) {
  hideCard();
  const width = Math.max(280, byId("landscape").clientWidth);
  const drawn = places.filter((index) => acrossValue(model.lists[index]) !== null);
  const svg = svgElement("svg", {
    viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT,
    role: "listbox", "aria-label": "Lists, the most probable first",
  });
  if (!drawn.length) {
    byId("landscape").replaceChildren(element("p", "muted empty", "No list passes the filters, or none has an AUC."));
    return;
  }
  const lists = drawn.map((index) => model.lists[index]);
  const x = scaleOf(lists.map(acrossValue), MARGIN.left, width - MARGIN.right, 0.08);
  const y = scaleOf(lists.map(upValue), HEIGHT - MARGIN.bottom, MARGIN.top, 0.08);
  const grid = svgElement("g", { "aria-hidden": "true" });
  drawAxes(grid, x, y, width);
  const first = drawn.includes(state.chosen) ? state.chosen : drawn[0];
  // the most probable are drawn last, on top; those compared above all
  const height = (index) => (index === state.chosen ? 2 : index === state.held ? 1 : 0);
  const order = [...drawn].reverse().sort((a, b) => height(a) - height(b));
  spots.clear();
  svg.append(grid, ...order.map((index) => dot(index, x, y, index === first)));
  svg.addEventListener("pointermove", pointAt);
  svg.addEventListener("pointerleave", hideCardSoon);
  svg.addEventListener("click", chooseNearest);
  byId("landscape").replaceChildren(svg);
}

function walkDots(event) {
  if (event.key === "Escape") hideCard();
  const at = event.target.closest(".dot");
  if (!at) return;
  const places = passing().filter((index) => acrossValue(model.lists[index]) !== null);
  const index = places.indexOf(Number(at.dataset.place));
  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -index, End: places.length - 1 - index };
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    choose(places[index]);
    focusDot(places[index]);
  } else if (event.key in steps) {
    event.preventDefault();
    focusDot(places[(index + steps[event.key] + places.length) % places.length]);
  }
}

function focusDot(index) {
  for (const made of document.querySelectorAll(".dot")) made.setAttribute("tabindex", -1);
  const made = document.querySelector(`.dot[data-place="${index}"]`);
  made.setAttribute("tabindex", 0);
  made.focus();
}

/* -------------------------------------------------------------------- the list of a mark */

let hiding;

/* The list beside its mark; it stays while the pointer is on it, and Escape puts it away. */
function showCard(index) {
  hideCard();
  const card = byId("card");
  const { cx, cy, r, made } = spots.get(index);
  made.classList.add("near");
  card.dataset.place = index;
  const list = model.lists[index];
  const name = nameOf(index);
  const under = [...spots.values()].filter((spot) => spot.made !== made && Math.hypot(spot.cx - cx, spot.cy - cy) < 1.5).length;
  const facts = [
    ...(hasPosterior ? [`log posterior ${signed(upValue(list), 2)}`] : []),
    `AUC ${areaText(areaOf(list))}`, `${list.shareText} of draws`,
  ];
  card.replaceChildren(
    element("p", "", element("b", "", `${name[0].toUpperCase()}${name.slice(1)}`), ` · ${facts.join(" · ")}`),
    shortLines(list),
    ...(under ? [element("p", "muted", `${under} more list${under === 1 ? " lies" : "s lie"} here: the arrow keys walk from list to list.`)] : []),
  );
  card.hidden = false;
  placeCard(card, cx, cy, r);
}

/* In the column beside the marks where there is one, so that it hides none; else near its mark. */
function placeCard(card, cx, cy, r) {
  const room = byId("landscape").clientWidth;
  const beside = byId("rules").getBoundingClientRect();
  const isBeside = beside.left > byId("landscape").getBoundingClientRect().right;
  card.style.width = isBeside ? `${beside.width}px` : "";
  card.style.left = isBeside
    ? `${beside.left - byId("landscape").getBoundingClientRect().left}px`
    : `${Math.max(4, Math.min(cx + r + 12, room - card.offsetWidth - 4))}px`;
  card.style.top = isBeside ? "0" : `${cy + r + 12}px`;
}

/* A list in as few words as will do: each line with its likeliest label. */
function shortLines({ items, counts }) {
  const { rows, decimals } = consequents(counts);
  const lines = rows.map((byLabel, line) => {
    const likeliest = byLabel.reduce((best, one) => (one.mean > best.mean ? one : best));
    const label = model.places.length > 1 ? `${model.labels[likeliest.label].shown} ` : "";
    const made = element("li", "", element("span", "head", `${lineHead(line, items.length)} `));
    if (line < items.length) made.append(element("bdi", "", ...unbroken(model.antecedents[items[line]].text)), " ");
    made.append(element("b", "number", `${label}${percentText(likeliest.mean, decimals)}`), " ", element("span", "muted number", intervalText(likeliest, decimals)));
    return made;
  });
  return element("ol", "", ...lines);
}

function hideCard() {
  clearTimeout(hiding);
  byId("card").hidden = true;
  document.querySelector(".dot.near")?.classList.remove("near");
}

function hideCardSoon() {
  clearTimeout(hiding);
  hiding = setTimeout(hideCard, 200);
}

/* ------------------------------------------------------------------------ as a table */

function drawTable(places) {
  byId("lists").replaceChildren(...places.map((index) => {
    const list = model.lists[index];
    const rules = element("ol", "rules");
    rules.append(...list.items.map((item) => element("li", "", ruleName(item))));
    const cells = [
      element("td", "number", String(index + 1)),
      element("td", "", rules, ...(index === model.point ? [element("span", "tag", "point estimate")] : [])),
      element("td", "number", String(list.items.length)),
      ...(hasPosterior ? [element("td", "number", signed(upValue(list), 2))] : []),
      element("td", "number", list.shareText),
      element("td", "number", areaText(areaOf(list))),
      element("td", "", button("Show", `Show list ${index + 1}`, `show${index}`, () => choose(index))),
    ];
    return element("tr", index === state.chosen ? "current" : "", ...cells);
  }));
}
