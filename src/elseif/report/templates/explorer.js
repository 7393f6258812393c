"use strict";
/* The explorer's state and its three parts: landscape, comparison, editing. */

const state = { chosen: 0, held: model.point, draft: null, history: [], start: null };
if (model.lists.length > 1 && model.point === 0) state.chosen = 1;

/* ----------------------------------------------------------------------- filters */

const locks = [...document.querySelectorAll(".lock")];
const pinned = () => locks.filter((lock) => lock.value === "must").map((lock) => Number(lock.dataset.item));
const forbidden = () => locks.filter((lock) => lock.value === "not").map((lock) => Number(lock.dataset.item));

/* Places of the lists that pass the filters. */
function passing() {
  const [shortest, longest] = [Number(byId("shortest").value), Number(byId("longest").value)];
  const [must, mustNot] = [pinned(), forbidden()];
  return model.lists.flatMap(({ items }, place) => {
    const fits = items.length >= shortest && items.length <= longest
      && must.every((item) => items.includes(item)) && !mustNot.some((item) => items.includes(item));
    return fits ? [place] : [];
  });
}

function fillLengths() {
  const lengths = [...new Set(model.lists.map(({ items }) => items.length))].sort((a, b) => a - b);
  for (const [id, value] of [["shortest", lengths[0]], ["longest", lengths[lengths.length - 1]]]) {
    byId(id).replaceChildren(...lengths.map((length) => new Option(length, length)));
    byId(id).value = value;
  }
}

function clearFilters() {
  for (const lock of locks) lock.value = "any";
  fillLengths();
  update();
}

/* --------------------------------------------------------------------- landscape */

const HEIGHT = 340;
const MARGIN = { left: 52, right: 16, top: 12, bottom: 40 };

/* Round numbers that cover a range in about so many steps. */
function ticks(low, high, about) {
  const rough = (high - low) / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough);
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: count }, (_, i) => Number(((first + i) * step).toPrecision(12)));
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

function drawAxes(svg, x, y, width) {
  const bottom = HEIGHT - MARGIN.bottom;
  const isLength = byId("across").value === "length";
  for (const tick of ticks(x.low, x.high, width / 110)) {
    if (isLength && tick % 1) continue;
    svg.append(svgElement("line", { class: "grid", x1: x.at(tick), x2: x.at(tick), y1: MARGIN.top, y2: bottom }));
    svg.append(svgElement("text", { class: "tick", x: x.at(tick), y: bottom + 18, "text-anchor": "middle" }, String(tick)));
  }
  for (const tick of ticks(y.low, y.high, 6)) {
    if (!hasPosterior && tick % 1) continue;
    svg.append(svgElement("line", { class: "grid", x1: MARGIN.left, x2: width - MARGIN.right, y1: y.at(tick), y2: y.at(tick) }));
    svg.append(svgElement("text", { class: "tick", x: MARGIN.left - 8, y: y.at(tick) + 4, "text-anchor": "end" }, minus(String(tick))));
  }
  const name = isLength ? "length" : "AUC";
  svg.append(svgElement("text", { class: "axis", x: width - MARGIN.right, y: HEIGHT - 4, "text-anchor": "end" }, name));
}

function dotLabel(place) {
  const list = model.lists[place];
  const rules = list.items.map((item) => model.antecedents[item].text).join("; ") || "no rule";
  const against = hasPosterior ? `Log posterior ${signed(upValue(list), 2)}, ` : "";
  const mark = place === model.point ? "Point estimate. " : "";
  return `${mark}List ${place + 1}: ${rules}. ${against}AUC ${areaText(areaOf(list))}, ${list.shareText} of draws.`;
}

function dot(place, x, y, tabbable) {
  const list = model.lists[place];
  const role = place === state.chosen ? "chosen" : place === state.held ? "held" : "";
  const made = svgElement("circle", {
    class: `dot ${role} ${place === model.point ? "point" : ""}`,
    cx: x.at(acrossValue(list)),
    cy: y.at(upValue(list)),
    r: 5 + 22 * Math.sqrt(list.share),
    role: "option",
    "aria-selected": String(place === state.chosen),
    "aria-label": dotLabel(place),
    tabindex: tabbable ? 0 : -1,
    "data-place": place,
  }, svgElement("title", {}, dotLabel(place)));
  made.addEventListener("click", () => choose(place));
  return made;
}

function drawLandscape(places) {
  const width = Math.max(280, byId("landscape").clientWidth);
  const drawn = places.filter((place) => acrossValue(model.lists[place]) !== null);
  const svg = svgElement("svg", {
    viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT,
    role: "listbox", "aria-label": "Lists, the most probable first",
  });
  if (!drawn.length) {
    byId("landscape").replaceChildren(element("p", "muted empty", "No list passes the filters, or none has an AUC."));
    return;
  }
  const lists = drawn.map((place) => model.lists[place]);
  const x = scaleOf(lists.map(acrossValue), MARGIN.left, width - MARGIN.right, 0.08);
  const y = scaleOf(lists.map(upValue), HEIGHT - MARGIN.bottom, MARGIN.top, 0.08);
  const grid = svgElement("g", { "aria-hidden": "true" });
  drawAxes(grid, x, y, width);
  const first = drawn.includes(state.chosen) ? state.chosen : drawn[0];
  // the most probable are drawn last, on top; the chosen one above all
  const order = [...drawn].reverse().sort((a, b) => (a === state.chosen) - (b === state.chosen));
  svg.append(grid, ...order.map((place) => dot(place, x, y, place === first)));
  byId("landscape").replaceChildren(svg);
}

function walkDots(event) {
  const at = event.target.closest(".dot");
  if (!at) return;
  const places = passing().filter((place) => acrossValue(model.lists[place]) !== null);
  const here = places.indexOf(Number(at.dataset.place));
  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    choose(places[here]);
    focusDot(places[here]);
  } else if (event.key in steps) {
    event.preventDefault();
    focusDot(places[(here + steps[event.key] + places.length) % places.length]);
  }
}

function focusDot(place) {
  for (const made of document.querySelectorAll(".dot")) made.setAttribute("tabindex", -1);
  const made = document.querySelector(`.dot[data-place="${place}"]`);
  made.setAttribute("tabindex", 0);
  made.focus();
}

/* The landscape as a table. */
function drawTable(places) {
  byId("lists").replaceChildren(...places.map((place) => {
    const list = model.lists[place];
    const rules = element("ol", "rules");
    rules.append(...list.items.map((item) => element("li", "", ruleName(item))));
    const cells = [
      element("td", "number", String(place + 1)),
      element("td", "", rules, ...(place === model.point ? [element("span", "tag", "point estimate")] : [])),
      element("td", "number", String(list.items.length)),
      ...(hasPosterior ? [element("td", "number", signed(upValue(list), 2))] : []),
      element("td", "number", list.shareText),
      element("td", "number", areaText(areaOf(list))),
      element("td", "", button("Show", `Show list ${place + 1}`, `show${place}`, () => choose(place))),
    ];
    return element("tr", place === state.chosen ? "current" : "", ...cells);
  }));
}

/* -------------------------------------------------------------------- comparison */

function nameOf(place) {
  return place === model.point ? "the point estimate" : `list ${place + 1}`;
}

function drawPanel(id, place, other) {
  const list = model.lists[place];
  const lines = element("ol", "lines");
  lines.append(...listLines(list.items, list.counts, model.lists[other].items));
  const tag = element("p", "muted", `${nameOf(place)[0].toUpperCase()}${nameOf(place).slice(1)}, ${list.shareText} of draws`);
  const price = priceTable(list, point, "the point estimate", areaOf(list), areaOf(point));
  document.querySelector(`#${id} .body`).replaceChildren(tag, price, lines);
}

function drawComparison() {
  drawPanel("chosen", state.chosen, state.held);
  drawPanel("held", state.held, state.chosen);
  const { items } = model.lists[state.chosen];
  byId("edit").disabled = !canEdit(items);
  const isOutside = model.patterns !== null && !canEdit(items);
  byId("edit-note").textContent = isOutside ? "This list has rules outside those that the page has counts for, so it cannot be edited here." : "";
}

function choose(place) {
  state.chosen = place;
  update();
}

/* ----------------------------------------------------------------------- editing */

function startEditing(items) {
  state.draft = [...items];
  state.start = [...items];
  state.history = [];
  drawEditor();
}

/* An edit that can be undone; "focus" is the key of the button to stand on afterwards. */
function edit(items, focus) {
  state.history.push(state.draft);
  state.draft = items;
  drawEditor();
  (document.querySelector(`[data-key="${focus}"]:not(:disabled)`) ?? byId("undo")).focus();
}

function swapped(items, line) {
  const places = { [line]: items[line + 1], [line + 1]: items[line] };
  return items.map((item, i) => places[i] ?? item);
}

function draftButtons(item, line) {
  if (item === undefined) return [];
  const { text } = model.antecedents[item];
  const up = button("↑", `Move up: ${text}`, `up${item}`, () => edit(swapped(state.draft, line - 1), `up${item}`));
  const down = button("↓", `Move down: ${text}`, `down${item}`, () => edit(swapped(state.draft, line), `down${item}`));
  const isPinned = pinned().includes(item);
  const drop = button(isPinned ? "Pinned" : "Drop", `Drop: ${text}`, `drop${item}`, () => edit(state.draft.filter((own) => own !== item), ""));
  up.disabled = line === 0;
  down.disabled = line === state.draft.length - 1;
  drop.disabled = isPinned;
  return [element("span", "actions screen-only", up, down, drop)];
}

function drawEditor() {
  if (model.patterns === null) return;
  const now = priced(state.draft);
  byId("draft").replaceChildren(...listLines(now.items, now.counts, state.start, draftButtons));
  const barred = new Set([...forbidden(), ...state.draft]);
  const free = model.antecedents.map((_, item) => item).slice(0, model.patterns.nAntecedents).filter((item) => !barred.has(item));
  const before = byId("new-rule").value;
  byId("new-rule").replaceChildren(...free.map((item) => new Option(model.antecedents[item].text, item)));
  if (free.includes(Number(before))) byId("new-rule").value = before;
  byId("new-place").replaceChildren(...now.counts.map((_, line) => new Option(line + 1, line)));
  byId("new-place").value = state.draft.length;
  byId("insert").disabled = free.length === 0;
  byId("undo").disabled = state.history.length === 0;
  byId("start-over").disabled = state.history.length === 0;
  const start = priced(state.start);
  const broken = brokenLocks();
  byId("price").replaceChildren(
    priceTable(now, point, "the point estimate", now.auc, point.auc),
    ...(isSame(state.start, point.items) ? [] : [priceTable(now, start, "the start", now.auc, start.auc)]),
    element("p", "caption muted", "AUC here is on the training data."),
    ...(broken ? [element("p", "warn", broken)] : []),
  );
}

const isSame = (ours, theirs) => ours.length === theirs.length && ours.every((item, i) => item === theirs[i]);

function brokenLocks() {
  const lacks = pinned().filter((item) => !state.draft.includes(item));
  const has = forbidden().filter((item) => state.draft.includes(item));
  const names = (items) => items.map((item) => model.antecedents[item].text).join("; ");
  const said = [lacks.length ? `lacks ${names(lacks)}` : "", has.length ? `has ${names(has)}` : ""];
  return said.some(Boolean) ? `Against your filters the list ${said.filter(Boolean).join(" and ")}.` : "";
}

function insertRule() {
  const item = Number(byId("new-rule").value);
  const place = Number(byId("new-place").value);
  edit([...state.draft.slice(0, place), item, ...state.draft.slice(place)], `drop${item}`);
}

/* The edited list as a document: antecedents are passed on to the letter. */
function savedDocument() {
  const rules = state.draft.map((item) => model.antecedents[item].document);
  return `{"format": "elseif edited list", "version": 1, "antecedents": [\n${rules.join(",\n")}\n]}\n`;
}

function save() {
  const link = element("a");
  link.href = URL.createObjectURL(new Blob([savedDocument()], { type: "application/json" }));
  link.download = "edited-list.json";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/* --------------------------------------------------------------------------- start */

function update() {
  const places = passing();
  byId("n-shown").textContent = `${places.length} of ${model.lists.length} lists`;
  byId("across-text").textContent = byId("across").value === "length" ? "number of rules" : "AUC";
  drawLandscape(places);
  drawTable(places);
  drawComparison();
  if (state.draft) drawEditor();
}

const on = (id, event, action) => byId(id)?.addEventListener(event, action);

fillLengths();
for (const id of ["shortest", "longest", "across"]) on(id, "change", update);
for (const lock of locks) lock.addEventListener("change", update);
on("clear-filters", "click", clearFilters);
on("landscape", "keydown", walkDots);
on("hold", "click", () => { state.held = state.chosen; update(); });
on("back-to-point", "click", () => { state.held = model.point; update(); });
on("edit", "click", () => {
  startEditing(model.lists[state.chosen].items);
  byId("editing").scrollIntoView();
});
on("insert", "click", insertRule);
on("undo", "click", () => { state.draft = state.history.pop(); drawEditor(); });
on("start-over", "click", () => startEditing(state.start));
on("save", "click", save);
byId("rules").open = window.innerWidth > 900;
window.addEventListener("resize", () => drawLandscape(passing()));
update();
if (canEdit(point.items)) startEditing(point.items);
