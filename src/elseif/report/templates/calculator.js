"use strict";
/* The list and one case: which lines could apply, and why the others cannot.
 *
 * An answer is one of
 *   { state: "unknown" }                not answered yet: the value may be anything
 *   { state: "not known" }              asked, and nobody knows: the value may be anything, or be missing
 *   { state: "missing" }                known not to be recorded: only "is missing" is true of it
 *   { state: "value", value: ... }      a number; text of a date; 1 or 0; the place of a category
 *
 * All that is ever asked of a value is which conditions hold of it. A column's "cells" are the
 * ways in which some value can meet its conditions, made by Python; a known answer is one cell,
 * an unknown one any of them. What reaches a line is kept as boxes: so many cells of each column.
 */

const MOST_BOXES = 512; // more than any list that people read has

const compare = {
  "is true": (value) => value === 1,
  "is false": (value) => value === 0,
  "level": (value, ...levels) => levels.includes(value),
  "=": (value, other) => value === other,
  "!=": (value, other) => value !== other,
  "in": (value, ...others) => others.includes(value),
  ">": (value, bound) => value > bound,
  "<=": (value, bound) => value <= bound,
  ">=": (value, bound) => value >= bound,
  "<": (value, bound) => value < bound,
  "between": (value, low, high) => value > low && value <= high,
};

function holds(condition, answer) {
  if (condition.operator === "is missing") return answer.state === "missing";
  if (answer.state === "missing") return false;
  return compare[condition.operator](answer.value, ...condition.values);
}

/* Whether the value may be anything. */
const isOpen = (answer) => answer.state === "unknown" || answer.state === "not known";

/* The ways in which an answer can meet the conditions of its column. */
function cellsOf(column, answer) {
  if (isOpen(answer)) return column.cells;
  return [column.conditions.map((condition) => holds(condition, answer))];
}

/* How a missing value meets the conditions of its column. */
const missingCell = (column) => column.conditions.map(({ operator }) => operator === "is missing");

/* For each rule: the columns it asks for, each with the conditions it needs there. */
function rulesByColumn(model) {
  return model.rules.map((rule) => {
    const needs = new Map();
    for (const { column, index } of rule.conditions) {
      needs.set(column, [...(needs.get(column) ?? []), index]);
    }
    return needs;
  });
}

/* Places of the lines that some case with these cells would be caught by.
 *
 * Of a list with too many boxes to follow, no line is left out that could be: "exact" is false.
 */
function possibleLines(model, cells) {
  const rules = rulesByColumn(model);
  const lastUse = cells.map((_, column) => Math.max(...rules.map((needs, line) => (needs.has(column) ? line : -1))));
  let boxes = [cells.map((ofColumn) => ofColumn.map((_, i) => i))];
  const possible = [];
  rules.forEach((needs, line) => {
    if (boxes === null) { // too many boxes: leave in whatever is not certain
      if ([...needs].every(([column, wanted]) => cells[column].some(meets(wanted)))) possible.push(line);
      return;
    }
    const left = new Map();
    let caught = false;
    for (const box of boxes) {
      let rest = box;
      for (const [column, wanted] of needs) {
        const meetsHere = (i) => meets(wanted)(cells[column][i]);
        const no = rest[column].filter((i) => !meetsHere(i));
        const yes = rest[column].filter(meetsHere);
        if (no.length) keep(left, replaced(rest, column, no), line, lastUse);
        rest = yes.length ? replaced(rest, column, yes) : null;
        if (rest === null) break;
      }
      if (rest !== null) caught = true;
    }
    if (caught) possible.push(line);
    boxes = left.size > MOST_BOXES ? null : [...left.values()];
  });
  return { possible, exact: boxes !== null };
}

const meets = (wanted) => (cell) => wanted.every((index) => cell[index]);

const replaced = (box, column, cells) => box.map((own, i) => (i === column ? cells : own));

/* Boxes that differ only in columns no later line asks for are one. */
function keep(boxes, box, line, lastUse) {
  const kept = box.map((cells, column) => (lastUse[column] <= line ? [0] : cells));
  boxes.set(kept.map((cells) => cells.join(".")).join("|"), kept);
}

/* Everything the page shows of a case: one answer for each column of the model.
 *
 * "possible" are the lines for some value of what is open. "ifMissing" are those where what is not
 * known is missing, as Python predicts for a row without it; null where every answer is known.
 */
function assess(model, answers) {
  const cells = model.columns.map((column, i) => cellsOf(column, answers[i]));
  const ways = [{ cells, ...possibleLines(model, cells) }];
  if (answers.some(({ state }) => state === "not known")) {
    const asMissing = model.columns.map((column, i) => (answers[i].state === "not known" ? [missingCell(column)] : cells[i]));
    ways.push({ cells: asMissing, ...possibleLines(model, asMissing) });
  }
  const [{ possible }, { possible: ifMissing } = { possible: null }] = ways;
  const needed = model.columns.map((_, i) => ways.some((way) => needs(model, way, i)));
  const decided = possible.length === 1 && (ifMissing === null || ifMissing.join() === possible.join());
  const orMissing = possibleLines(model, model.columns.map((column, i) => {
    return isOpen(answers[i]) ? [...cells[i], missingCell(column)] : cells[i];
  })).possible;
  const lines = model.rules.map((rule, line) => {
    const truths = rule.conditions.map(({ column, index }) => truth(cells[column], index));
    return { truths, status: lineStatus(line, truths, possible, orMissing, decided) };
  });
  const next = needed.findIndex((isNeeded, i) => isNeeded && answers[i].state === "unknown");
  return { possible, ifMissing, decided, lines, needed, next: decided ? -1 : next };
}

/* Whether a question is open and its answer would rule a line out. */
function needs(model, { cells, possible, exact }, column) {
  return cells[column].length > 1 && (!exact || matters(model, cells, column, possible));
}

/* Whether an answer to a question would rule a line out. */
function matters(model, cells, column, possible) {
  if (possible.length === 1) return false;
  return cells[column].some((cell) => {
    return possibleLines(model, replaced(cells, column, [cell])).possible.length < possible.length;
  });
}

/* true or false where all of a column's cells agree, else null. */
function truth(cells, index) {
  const first = cells[0][index];
  return cells.every((cell) => cell[index] === first) ? first : null;
}

function lineStatus(line, truths, possible, orMissing, decided) {
  if (possible.includes(line)) return decided ? "applies" : "possible";
  if (orMissing.includes(line)) return "only if not recorded";
  if (truths.includes(false)) return "ruled out";
  return "not reached"; // every such case is caught by a line above
}

/* A number as people write it: a decimal point or comma.
 *
 * Thousands are set apart only where the page itself writes them so; there, a point in the place of
 * a separator could be either.
 */
function readNumber(text, isGrouped = false) {
  let trimmed = text.trim().replace(/^[\u2212\u2013]/, "-");
  if (trimmed === "") return { state: "unknown" };
  if (isGrouped && /^[+-]?[1-9]\d{0,2}\.\d{3}$/.test(trimmed)) {
    return { state: "invalid", why: `Could be read in two ways. Write ${trimmed.replace(".", "")} or ${trimmed}0.` };
  }
  if (isGrouped && /^[+-]?[1-9]\d{0,2}([,\s]\d{3})+(\.\d+)?$/.test(trimmed)) trimmed = trimmed.replace(/[,\s]/g, "");
  if (/^[+-]?[1-9]\d{0,2},\d{3}$/.test(trimmed)) {
    const [whole, part] = trimmed.split(",");
    return { state: "invalid", why: `Could be read in two ways. Write ${whole}${part} or ${whole}.${part}.` };
  }
  const plain = /^[+-]?\d*,\d+$/.test(trimmed) ? trimmed.replace(",", ".") : trimmed;
  const isNumber = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain);
  const value = Number(plain);
  if (!isNumber || !Number.isFinite(value)) return { state: "invalid", why: "Not a number." };
  return { state: "value", value };
}

/* A date field's text, as Python writes dates. */
function readDate(text) {
  if (text === "") return { state: "unknown" };
  if (!/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?)?$/.test(text)) {
    return { state: "invalid", why: "Not a date with a year of four digits." };
  }
  const [day, time = "00:00"] = text.split("T");
  const [clock, fraction = ""] = `${time}${time.length === 5 ? ":00" : ""}`.split(".");
  return { state: "value", value: `${day}T${clock}.${fraction.padEnd(6, "0")}` };
}
