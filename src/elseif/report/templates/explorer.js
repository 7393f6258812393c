"use strict";
/* The explorer's state, its filters, the comparison of two lists, and what its buttons do. */

const state = {
  chosen: 0, held: model.point, group: null, marks: [], projected: 0,
  draft: null, start: null, history: [], future: [],
};
if (model.lists.length > 1 && model.point === 0) state.chosen = 1;

/* ----------------------------------------------------------------------- filters */

const locks = [...document.querySelectorAll(".lock")];
const pinned = () => locks.filter((lock) => lock.value === "must").map((lock) => Number(lock.dataset.item));
const forbidden = () => locks.filter((lock) => lock.value === "not").map((lock) => Number(lock.dataset.item));

/* Places of the lists that pass the filters. */
function passing() {
  const [shortest, longest] = [Number(byId("shortest").value), Number(byId("longest").value)];
  const [must, mustNot] = [pinned(), forbidden()];
  const first = state.group === null ? null : groups[state.group].rules;
  return model.lists.flatMap((list, index) => {
    const { items } = list;
    const fits = items.length >= shortest && items.length <= longest && (first === null || first.includes(firstRule(list)))
      && must.every((item) => items.includes(item)) && !mustNot.some((item) => items.includes(item));
    return fits ? [index] : [];
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
  state.group = null;
  fillLengths();
  update();
}

/* -------------------------------------------------------------------- comparison */

function nameOf(index) {
  return index === model.point ? "the point estimate" : `list ${index + 1}`;
}

function drawPanel(id, index, other) {
  const list = model.lists[index];
  const lines = element("ol", "lines");
  const end = barEnd(list.counts, model.lists[other].counts);
  lines.append(...listLines(list.items, list.counts, model.lists[other].items, end));
  const tag = element("p", "muted", `${nameOf(index)[0].toUpperCase()}${nameOf(index).slice(1)}, ${list.shareText} of draws`);
  const price = priceTable(list, point, "the point estimate", areaOf(list), areaOf(point));
  document.querySelector(`#${id} .body`).replaceChildren(tag, price, lines, barsNote(end));
}

function drawComparison() {
  drawPanel("chosen", state.chosen, state.held);
  drawPanel("held", state.held, state.chosen);
  const { items } = model.lists[state.chosen];
  byId("edit").disabled = !canEdit(items);
  const isOutside = model.patterns !== null && !canEdit(items);
  byId("edit-note").textContent = isOutside ? "This list has rules outside those that the page has counts for, so it cannot be edited here." : "";
}

function choose(index) {
  state.chosen = index;
  draw();
}

/* --------------------------------------------------------------------------- start */

/* All but the editor, which follows from filters and edits alone. */
function draw() {
  const places = passing();
  byId("n-shown").textContent = `${places.length} of ${model.lists.length} lists`;
  drawLandscape(places);
  drawLegend();
  drawTable(places);
  drawComparison();
  drawMarks();
}

function update() {
  draw();
  if (state.draft) drawEditor();
}

const on = (id, event, action) => byId(id)?.addEventListener(event, action);

/* Buttons that every list has. */
const shownLists = {
  chosen: () => ({ list: model.lists[state.chosen], name: nameOf(state.chosen) }),
  held: () => ({ list: model.lists[state.held], name: nameOf(state.held) }),
  draft: () => ({ list: priced(state.draft), name: "edited list" }),
  projected: () => ({ list: projectedList(), name: `projected list of ${projectedList().items.length} rules` }),
};
for (const [which, shown] of Object.entries(shownLists)) {
  const named = ({ name }) => `${name[0].toUpperCase()}${name.slice(1)}`;
  on(`mark-${which}`, "click", () => addMark(shown().list.items, named(shown())));
  on(`calculator-${which}`, "click", () => saveCalculator(shown()));
  on(`copy-${which}`, "click", () => copyText(listText(shown().list), named(shown())));
}

fillLengths();
for (const id of ["shortest", "longest", "across"]) on(id, "change", update);
for (const lock of locks) lock.addEventListener("change", update);
on("clear-filters", "click", clearFilters);
on("landscape", "keydown", walkDots);
on("card", "pointerenter", () => clearTimeout(hiding));
on("card", "pointerleave", hideCardSoon);
document.addEventListener("keydown", (event) => { if (event.key === "Escape") hideCard(); });
on("hold", "click", () => { state.held = state.chosen; draw(); });
on("back-to-point", "click", () => { state.held = model.point; draw(); });
on("edit", "click", () => {
  startEditing(model.lists[state.chosen].items);
  byId("editing").scrollIntoView();
});
on("insert", "click", insertRule);
on("new-rule", "change", () => drawPlaces(priced(state.draft)));
on("new-rule", "dblclick", insertRule);
on("new-rule", "keydown", (event) => {
  if (event.key !== "Enter") return;
  event.preventDefault(); // or the button that is focused next is pressed as well
  insertRule();
});
on("new-place", "change", () => drawCandidates(priced(state.draft), Number(byId("new-place").value)));
on("find-rule", "input", () => drawCandidates(priced(state.draft), Number(byId("new-place").value)));
on("undo", "click", undo);
on("redo", "click", redo);
document.addEventListener("keydown", undoByKey);
on("start-over", "click", () => edit(state.start, ""));
on("save", "click", () => saveFile("edited-list.json", "application/json", savedDocument()));
on("projected-edit", "click", () => {
  startEditing(projectedList().items);
  byId("editing").scrollIntoView();
});
for (const id of ["copy-link", "copy-link-draft"]) on(id, "click", () => copyText(location.href.split("#")[0] + fragmentOf(state.marks), "Link"));
on("export-marks", "click", () => saveFile("bookmarks.json", "application/json", marksDocument()));
on("import-marks", "change", (event) => { if (event.target.files[0]) importMarks(event.target.files[0]); event.target.value = ""; });
window.addEventListener("hashchange", () => {
  const fragment = location.hash;
  state.marks = marksOf(fragment) ?? state.marks;
  resumeDraft(fragment);
  draw();
});
byId("rules").open = window.innerWidth > 900;
window.addEventListener("resize", () => drawLandscape(passing()));
if (model.path) state.projected = Math.max(0, model.path.lists.findIndex(({ most }) => most === model.path.chosen));
const opened = location.hash;
state.marks = readMarks();
update();
drawPath();
if (!resumeDraft(opened) && canEdit(point.items)) startEditing(point.items);
