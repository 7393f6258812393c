"use strict";
/* Bookmarks: lists to come back to, kept in the link's fragment, and in this browser if it lets us.
 *
 * A bookmark is a name and the numbers of rules of this page; no count leaves the page by it. The
 * link also holds the list that is being edited, after the bookmarks, and what it was made from.
 */

/* A short hash of a text (FNV-1a). */
function hashOf(text) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}

/* Which page the numbers of rules belong to. */
const fingerprint = hashOf(model.antecedents.map(({ document: rule }) => rule).join("\n"));
const STORE = `elseif explorer ${fingerprint}`;
const MOST_MARKS = 50;

const isMarked = (items) => state.marks.some((mark) => isSame(mark.items, items));

const isEdited = () => state.draft !== null && !isSame(state.draft, point.items);

/* What stands in the link after #. */
function fragmentOf(marks, withDraft = true) {
  const draft = withDraft && isEdited() ? `@${state.draft.join(".")},${state.start.join(".")}` : "";
  if (!marks.length && !draft) return "";
  const each = marks.map(({ name, items }) => `${items.join(".")}~${encodeURIComponent(name).replace(/~/g, "%7E")}`);
  return `#${fingerprint}:${each.join(";")}${draft}`;
}

/* Rules by their numbers: null where this page does not have them, or has one of them twice. */
function itemsOf(numbers) {
  const items = numbers === "" ? [] : numbers.split(".").map(Number);
  const isKnown = items.every((item) => model.antecedents[item] !== undefined) && new Set(items).size === items.length;
  return isKnown ? items : null;
}

/* Bookmarks of a fragment: null where it has none, or belongs to another page. */
function marksOf(fragment) {
  const match = /^#([0-9a-f]{8}):([^@]*)/.exec(fragment);
  if (!match || match[1] !== fingerprint) return null;
  if (match[2] === "") return [];
  return match[2].split(";").slice(0, MOST_MARKS).flatMap((text) => {
    const [numbers, name = ""] = text.split("~");
    const items = itemsOf(numbers);
    if (items === null || listOf(items) === null) return [];
    try {
      return [{ name: decodeURIComponent(name).slice(0, 80), items }];
    } catch {
      return []; // a link that was cut short
    }
  });
}

/* Go on with the edited list of a fragment, if it has one; "Undo" leads to what it was made from.
 *
 * The address is written once: a browser that is told to load it meanwhile finds it whole.
 */
function resumeDraft(fragment) {
  const match = /^#([0-9a-f]{8}):[^@]*@([\d.]*),([\d.]*)$/.exec(fragment);
  if (!match || match[1] !== fingerprint) return false;
  const [draft, start] = [itemsOf(match[2]), itemsOf(match[3])];
  if (draft === null || start === null || !canEdit(draft) || !canEdit(start)) return false;
  startEditing(start, draft);
  return true;
}

/* Have the page's address hold what is shown. */
function keepLink() {
  const fragment = fragmentOf(state.marks);
  const isOwn = /^#[0-9a-f]{8}:/.test(location.hash); // and no anchor within the page
  try {
    if (fragment || isOwn) history.replaceState(null, "", fragment || location.pathname + location.search);
  } catch { /* a page in a frame may not */ }
  byId("copy-link").disabled = state.marks.length === 0 && !isEdited();
}

function keepMarks() {
  keepLink();
  try {
    localStorage.setItem(STORE, fragmentOf(state.marks, false));
  } catch { /* nor may a file in some browsers */ }
}

function readMarks() {
  const marks = marksOf(location.hash);
  if (marks !== null) return marks;
  try {
    return marksOf(localStorage.getItem(STORE) ?? "") ?? [];
  } catch {
    return [];
  }
}

function addMark(items, name) {
  const [focus, isFull] = [document.activeElement, state.marks.length >= MOST_MARKS];
  if (isMarked(items) || isFull) {
    say(isFull ? `There is room for ${MOST_MARKS} bookmarks.` : "That list is bookmarked already.");
    return;
  }
  state.marks.push({ name, items: [...items] });
  keepMarks();
  draw();
  focus.focus();
  say(`Bookmarked: ${name}.`);
}

function removeMark(index) {
  const [{ name }] = state.marks.splice(index, 1);
  keepMarks();
  draw();
  (document.querySelector("#marks button") ?? byId("bookmarks-title")).focus();
  say(`Removed: ${name}.`);
}

function drawMarks() {
  byId("no-marks").hidden = state.marks.length > 0;
  byId("marks-table").hidden = state.marks.length === 0;
  byId("export-marks").disabled = state.marks.length === 0;
  byId("copy-link").disabled = state.marks.length === 0 && !isEdited();
  byId("marks").replaceChildren(...state.marks.map(({ name, items }, index) => {
    const list = listOf(items);
    const field = element("input");
    field.value = name;
    field.maxLength = 80;
    field.setAttribute("aria-label", `Name of bookmark ${index + 1}`);
    field.addEventListener("change", () => { state.marks[index].name = field.value; keepMarks(); });
    const drawn = model.lists.findIndex((own) => isSame(own.items, items));
    const show = button("Show", `Show ${name}`, `mark-show${index}`, () => {
      choose(drawn);
      byId("compare-title").scrollIntoView();
    });
    const edit = button("Edit", `Edit ${name}`, `mark-edit${index}`, () => {
      startEditing(items);
      byId("editing").scrollIntoView();
    });
    const remove = button("Remove", `Remove ${name}`, `mark-remove${index}`, () => removeMark(index));
    const rules = element("ol", "rules");
    rules.append(...items.map((item) => element("li", "", ruleName(item))));
    return element("tr", "",
      element("td", "", field),
      element("td", "", rules, ...(items.length ? [] : ["no rule"])),
      ...(hasPosterior ? [element("td", "number", signed(upValue(list), 2))] : []),
      element("td", "number", areaText(areaOf(list))),
      element("td", "", element("span", "actions screen-only", ...(drawn < 0 ? [] : [show]), ...(canEdit(items) ? [edit] : []), remove)));
  }));
}

/* Bookmarks as a file: names, rules as elseif reads them, and as text. */
function marksDocument() {
  const marks = state.marks.map(({ name, items }) => ({
    name,
    antecedents: items.map((item) => JSON.parse(model.antecedents[item].document)),
    text: items.map((item) => model.antecedents[item].text),
  }));
  return `${JSON.stringify({ format: "elseif bookmarks", version: 1, link: fragmentOf(state.marks, false), bookmarks: marks }, null, 1)}\n`;
}

async function importMarks(file) {
  let marks = null;
  try {
    marks = marksOf(String(JSON.parse(await file.text()).link));
  } catch { /* no JSON, or of another shape */ }
  if (marks === null) {
    say("This file has no bookmarks of this page.");
    return;
  }
  const fresh = marks.filter(({ items }) => !isMarked(items)).slice(0, MOST_MARKS - state.marks.length);
  state.marks.push(...fresh);
  keepMarks();
  draw();
  say(`${fresh.length} bookmark${fresh.length === 1 ? "" : "s"} added.`);
}
