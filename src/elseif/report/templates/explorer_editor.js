"use strict";
/* Editing a list: every change has its price in log posterior, and can be undone and redone. */

function startEditing(items, draft = items) {
  state.draft = [...draft];
  state.start = [...items];
  state.history = isSame(items, draft) ? [] : [[...items]];
  state.future = [];
  drawEditor();
}

/* An edit that can be undone; "focus" is the key of the button to stand on afterwards. */
function edit(items, focus) {
  state.history.push(state.draft);
  state.future = [];
  state.draft = items;
  drawEditor();
  (document.querySelector(`[data-key="${focus}"]:not(:disabled)`) ?? byId("undo")).focus();
}

/* Back to an earlier list or on to a later one. */
function travel(from, to) {
  if (!from.length) return;
  to.push(state.draft);
  state.draft = from.pop();
  drawEditor();
}

const undo = () => travel(state.history, state.future);
const redo = () => travel(state.future, state.history);

function undoByKey(event) {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.target.matches("input, textarea")) return;
  const key = event.key.toLowerCase();
  const action = key === "y" || (key === "z" && event.shiftKey) ? redo : key === "z" ? undo : null;
  if (action === null || state.draft === null) return;
  event.preventDefault();
  action();
}

function swapped(items, line) {
  const places = { [line]: items[line + 1], [line + 1]: items[line] };
  return items.map((item, i) => places[i] ?? item);
}

/* ------------------------------------------------------------------ lines of the draft */

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

/* Antecedents that can be edited, by their conditions. */
const byConditions = new Map();
if (model.patterns !== null) {
  model.antecedents.slice(0, model.patterns.nAntecedents).forEach(({ conditions }, item) => {
    byConditions.set(conditionKey(conditions), item);
  });
}

function conditionKey(conditions) {
  return [...conditions].sort((a, b) => a - b).join(".");
}

/* Conditions that differ in the threshold alone, in its order. */
const families = new Map();
model.conditions.forEach(({ family }, number) => {
  if (family === null) return;
  if (!families.has(family)) families.set(family, []);
  families.get(family).push(number);
});
for (const members of families.values()) members.sort((a, b) => model.conditions[a].rank - model.conditions[b].rank);

/* The rule of the pool with the nearest other threshold on one side (-1 or 1), or null. */
function stepped(item, number, side) {
  const { conditions } = model.antecedents[item];
  const members = families.get(model.conditions[number].family) ?? [];
  const barred = new Set([...forbidden(), ...state.draft]);
  for (let i = members.indexOf(number) + side; members[i] !== undefined; i += side) {
    const twin = byConditions.get(conditionKey(conditions.map((own) => (own === number ? members[i] : own))));
    if (twin !== undefined && !barred.has(twin)) return { item: twin, number: members[i] };
  }
  return null;
}

/* Buttons to the thresholds next to those of a rule, with what each would cost. */
function steppers(item, line, now) {
  if (item === undefined || pinned().includes(item)) return [];
  const rows = model.antecedents[item].conditions.flatMap((number, position) => {
    const sides = [-1, 1].flatMap((side) => {
      const next = stepped(item, number, side);
      if (next === null) return [];
      const items = state.draft.map((own, i) => (i === line ? next.item : own));
      const change = signed(priced(items).logPosterior - now.logPosterior, 2);
      const { text } = model.conditions[next.number];
      const key = `step${line}-${position}-${side}`;
      const made = button("", `${side < 0 ? "Lower" : "Higher"} threshold: ${spelt(model.conditions[next.number])}, log posterior ${change}`, key, () => edit(items, key));
      made.className = "step";
      made.append(side < 0 ? "‹ " : "", element("bdi", "", ...unbroken(text)), " ", element("span", "muted number", change), side < 0 ? "" : " ›");
      return [made];
    });
    return sides.length ? [element("div", "stepper", ...sides)] : [];
  });
  if (!rows.length) return [];
  return [element("div", "steppers screen-only", element("span", "caption muted", "Other thresholds:"), ...rows)];
}

function drawEditor() {
  if (model.patterns === null) return;
  const now = priced(state.draft);
  const end = barEnd(now.counts);
  const lines = listLines(now.items, now.counts, state.start, end, draftButtons);
  lines.forEach((made, line) => made.querySelector(".if").after(...steppers(now.items[line], line, now)));
  byId("draft").replaceChildren(...lines);
  byId("draft-bars").textContent = barsText(end);
  drawInsertion(now);
  byId("undo").disabled = state.history.length === 0;
  byId("redo").disabled = state.future.length === 0;
  byId("start-over").disabled = isSame(state.draft, state.start);
  const start = priced(state.start);
  const broken = brokenLocks();
  byId("price").replaceChildren(
    priceTable(now, point, "the point estimate", now.auc, point.auc),
    ...(isSame(state.start, point.items) ? [] : [priceTable(now, start, "the start", now.auc, start.auc)]),
    element("p", "caption muted", "AUC here is on the training data."),
    ...(broken ? [element("p", "warn", broken)] : []),
  );
  keepLink();
}

function brokenLocks() {
  const lacks = pinned().filter((item) => !state.draft.includes(item));
  const has = forbidden().filter((item) => state.draft.includes(item));
  const names = (items) => items.map((item) => model.antecedents[item].text).join("; ");
  const said = [lacks.length ? `lacks ${names(lacks)}` : "", has.length ? `has ${names(has)}` : ""];
  return said.some(Boolean) ? `Against your filters the list ${said.filter(Boolean).join(" and ")}.` : "";
}

/* ------------------------------------------------------------------------- insertion */

const MOST_WORK = 4e6; // patterns looked at before the page lets go for a moment
const MOST_OPTIONS = 200;
let pricing;

/* What each rule would change in the log posterior as a line of the draft; told when all are known. */
function priceInsertions(now, candidates, position, done) {
  clearTimeout(pricing);
  const lines = counter.lines(now.items);
  const prices = [];
  const atOnce = Math.max(1, Math.floor(MOST_WORK / counter.counts.length));
  const goOn = () => {
    for (const item of candidates.slice(prices.length, prices.length + atOnce)) {
      prices.push({ item, change: changeOfInsertion(now, lines, item, position) });
    }
    if (prices.length === candidates.length) done(prices);
    else pricing = setTimeout(goOn, 0);
  };
  goOn();
}

function changeOfInsertion(now, lines, item, position) {
  const items = [...now.items.slice(0, position), item, ...now.items.slice(position)];
  return logPosterior(model, items, counter.withRule(lines, now.counts, item, position)) - now.logPosterior;
}

/* Rules with every word that was typed; 60000 finds 60,000, too. */
function withWords(items) {
  const plain = (text) => text.toLowerCase().replace(/(\d),(?=\d{3})/g, "$1");
  const words = plain(byId("find-rule").value).split(/\s+/).filter(Boolean);
  return items.filter((item) => words.every((word) => plain(model.antecedents[item].text).includes(word)));
}

function drawInsertion(now) {
  const before = { position: Number(byId("new-place").value), length: byId("new-place").options.length };
  const isSameLength = before.length === now.counts.length;
  const position = isSameLength ? before.position : now.items.length;
  byId("new-place").replaceChildren(...now.counts.map((_, line) => new Option(line + 1, line)));
  byId("new-place").value = position;
  drawCandidates(now, position);
}

/* The rules that can be inserted, the best buy first. */
function drawCandidates(now, position) {
  const barred = new Set([...forbidden(), ...state.draft]);
  const free = Array.from({ length: model.patterns.nAntecedents }, (_, item) => item).filter((item) => !barred.has(item));
  const matching = withWords(free);
  const before = Number(byId("new-rule").value || -1);
  byId("insert").disabled = matching.length === 0;
  priceInsertions(now, matching, position, (prices) => {
    prices.sort((a, b) => b.change - a.change);
    const kept = prices.filter(({ item }, i) => i < MOST_OPTIONS || item === before);
    byId("new-rule").replaceChildren(...kept.map(({ item, change }) => new Option(`${signed(change, 2)}  ${joinedSigns(model.antecedents[item].text)}`, item)));
    byId("new-rule").value = kept.some(({ item }) => item === before) ? before : kept[0]?.item ?? "";
    const pool = model.patterns.nAntecedents === model.nPool ? "the pool" : `the ${countText(model.patterns.nAntecedents)} most probable of ${countText(model.nPool)} in the pool`;
    const cut = kept.length < matching.length ? `, the best ${MOST_OPTIONS} shown` : "";
    byId("n-rules").textContent = `${countText(matching.length)} rules of ${pool}${cut}.`;
    drawPlaces(now);
  });
}

/* What the chosen rule would cost as each line. */
function drawPlaces(now) {
  const item = Number(byId("new-rule").value);
  if (byId("new-rule").value === "") return;
  const lines = counter.lines(now.items);
  for (const option of byId("new-place").options) {
    option.textContent = `${Number(option.value) + 1}  (${signed(changeOfInsertion(now, lines, item, Number(option.value)), 2)})`;
  }
}

function insertRule() {
  const item = Number(byId("new-rule").value);
  const position = Number(byId("new-place").value);
  edit([...state.draft.slice(0, position), item, ...state.draft.slice(position)], `drop${item}`);
}

/* The edited list as a document: antecedents are passed on to the letter. */
function savedDocument() {
  const rules = state.draft.map((item) => model.antecedents[item].document);
  return `{"format": "elseif edited list", "version": 1, "antecedents": [\n${rules.join(",\n")}\n]}\n`;
}
