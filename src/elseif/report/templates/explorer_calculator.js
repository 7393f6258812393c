"use strict";
/* The calculator of any list, out of one that has a line for every condition of this page.
 *
 * Its questions and its wording are those of elseif's own calculator; only numbers are filled in.
 */

async function inflated(text) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).text();
}

/* The lines of a list as the calculator's data hold them; a condition is told by its number here. */
function calculatorRules({ items, counts }, asked) {
  const { rows, decimals } = consequents(counts);
  return counts.map((ofLine, line) => ({
    head: lineHead(line, items.length),
    conditions: (model.antecedents[items[line]]?.conditions ?? []).map((number) => asked(number)),
    count: casesText(ofLine),
    labels: rows[line].map(({ mean, low, high }) => ({
      risk: mean, low, high, texts: [mean, low, high].map((share) => percentText(share, decimals)), over: null,
    })),
  }));
}

/* A column with some of its conditions, in a given order; its cells are the distinct ways to meet those. */
function withConditions(column, indices, number) {
  const conditions = indices.map((index) => column.conditions[index]);
  const isMissing = (index) => column.conditions[index].operator === "is missing";
  const asksMissing = indices.some(isMissing);
  const cells = new Map();
  for (const cell of column.cells) {
    // a value that is missing is an answer only where a condition asks for it
    if (!asksMissing && cell.some((truth, index) => truth && isMissing(index))) continue;
    const kept = indices.map((index) => cell[index]);
    cells.set(kept.join(), kept);
  }
  return { ...column, ...(column.question === undefined ? {} : { question: number }), conditions, cells: [...cells.values()] };
}

/* The columns that a list asks for, in its order, each with the places of the conditions it uses. */
function columnsUsed(items, rules) {
  const used = new Map();
  for (const number of items.flatMap((item) => model.antecedents[item].conditions)) {
    const { column, index } = rules[number].conditions[0];
    if (!used.has(column)) used.set(column, []);
    if (!used.get(column).includes(index)) used.get(column).push(index);
  }
  return used;
}

/* How far the axis goes: to the first of these that holds all intervals. */
const AXIS_ENDS = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1];

function fillData(data, list) {
  const part = data.models?.[0] ?? data; // one of several models, or the only one
  const known = part.rules;
  const used = columnsUsed(list.items, known);
  const places = [...used.keys()];
  const asked = (number) => {
    const { column, index, ...texts } = known[number].conditions[0];
    return { column: places.indexOf(column), index: used.get(column).indexOf(index), ...texts };
  };
  const questions = places.map((column) => part.columns[column].question ?? column);
  part.rules = calculatorRules(list, asked);
  part.columns = places.map((column, number) => withConditions(part.columns[column], used.get(column), number));
  if (data.questions) data.questions = questions.map((number) => data.questions[number]);
  if ("end" in part) {
    const highest = Math.max(...part.rules.flatMap(({ labels }) => labels.map(({ high }) => high)));
    part.end = AXIS_ENDS.find((end) => highest <= end) ?? 1;
    part.ticks = [0, part.end / 2, part.end].map((share) => `${Number((100 * share).toPrecision(3))}%`);
  }
  if ("form" in data) data.form = hashOf(JSON.stringify(data.questions));
  if ("hash" in part) part.hash = "";
  return { part, questions };
}

/* ----------------------------------------------------------------------------- page */

function fillQuestions(page, questions) {
  const all = [...page.querySelectorAll(".question")];
  const after = page.createComment("");
  all[0]?.before(after);
  const kept = questions.map((number) => all[number]);
  for (const question of all) question.remove();
  after.before(...kept);
  if (!kept.length) {
    const said = page.createElement("p");
    said.textContent = "The list asks nothing: it gives the same answer for every case.";
    after.before(said);
  }
  after.remove();
}

function fillConditions(page, line, lines, numbers) {
  const shown = numbers.flatMap((number, i) => {
    const condition = lines[number].querySelector(".condition").cloneNode(true);
    const and = page.createElement("span");
    and.className = "and";
    and.textContent = "and";
    return i ? [" ", and, " ", condition] : [condition];
  });
  line.querySelector(".condition")?.replaceWith(...shown);
}

function fillResults(line, rule, end) {
  line.querySelectorAll(".then").forEach((made, number) => {
    const { risk, low, high, texts } = rule.labels[number];
    const band = made.querySelector(".band");
    band.setAttribute("x", (100 * low) / end);
    band.setAttribute("width", (100 * (high - low)) / end);
    made.querySelector(".mark").setAttribute("x", Math.min(Math.max((100 * risk) / end - 0.5, 0), 99));
    made.querySelector(".number b").textContent = texts[0];
    made.querySelector(".number .muted").textContent = `(${texts[1]}–${texts[2]})`;
  });
  line.querySelector(".count").textContent = `${rule.count} past case${rule.count === "1" ? "" : "s"}`;
}

function fillLines(page, part, items) {
  const lines = [...page.querySelectorAll(".line")];
  const parent = lines[0].parentNode;
  const made = part.rules.map((rule, number) => {
    const isLast = number === items.length;
    const line = lines[isLast ? lines.length - 1 : 0].cloneNode(true);
    line.querySelector(".head").textContent = rule.head;
    if (line.dataset.number) line.dataset.number = number + 1;
    if (!isLast) fillConditions(page, line, lines, model.antecedents[items[number]].conditions);
    fillResults(line, rule, part.end ?? 1);
    return line;
  });
  parent.replaceChildren(...made);
}

/* What a user should know of the list, where the calculator has room for it. */
function fillFacts(page, part, list, name) {
  const totals = model.labels.map((_, label) => sum(list.counts.map((line) => line[label])));
  const n = sum(totals);
  const outcomes = model.places.map((label) => `${model.labels[label].shown} in ${countText(totals[label] * model.unit)} (${percentText(totals[label] / n, 1)})`);
  const facts = [["Population", `${countText(n * model.unit)} past cases`], ["Outcome", outcomes.join(", ")]];
  const area = list.holdoutAuc ?? null;
  if (area !== null) facts.push(["AUC", `${areaText(area)} on held-out data`]);
  else if (list.auc !== null) facts.push(["AUC", `${areaText(list.auc)} on the training data (too optimistic)`]);
  facts.push(["Kind of list", name]);
  const brief = `${facts[0][1]}. ${facts.filter(([heading]) => heading === "AUC").map(([, text]) => `AUC ${text}. `).join("")}${name[0].toUpperCase()}${name.slice(1)}.`;
  if ("brief" in part) {
    for (const shown of page.querySelectorAll("header p")) if (shown.textContent === part.brief) shown.textContent = brief;
    part.brief = brief;
  }
  page.querySelector(".facts")?.replaceChildren(...facts.map(([heading, text]) => {
    const row = page.createElement("div");
    for (const [tag, content] of [["dt", heading], ["dd", text]]) row.appendChild(page.createElement(tag)).textContent = content;
    return row;
  }));
}

async function calculatorOf(list, name) {
  // only the body is parsed: this page's policy lets no other page's styles through
  const text = await inflated(model.calculator);
  const start = text.indexOf("<body>") + "<body>".length;
  const page = new DOMParser().parseFromString(text.slice(start), "text/html");
  const holder = page.getElementById("data");
  const data = JSON.parse(holder.textContent);
  const { part, questions } = fillData(data, list);
  fillQuestions(page, questions);
  fillLines(page, part, list.items);
  fillFacts(page, part, list, name);
  const escapes = { "<": "\\u003c", ">": "\\u003e", "&": "\\u0026" };
  holder.textContent = JSON.stringify(data).replace(/[<>&]/g, (sign) => escapes[sign]);
  return `${text.slice(0, start)}${page.body.innerHTML}</body>\n</html>\n`;
}

const hasCalculator = (items) => model.calculator !== null && items.every((item) => model.antecedents[item].conditions.every((number) => number < model.nCalculator));

async function saveCalculator({ list, name }) {
  if (!hasCalculator(list.items)) {
    say("This page cannot make a calculator of that list: it has a rule outside those it has questions for.");
    return;
  }
  const kind = list.shareText === undefined ? name : `${name}, ${list.shareText} of draws`;
  saveFile("calculator.html", "text/html", await calculatorOf(list, kind));
  say("Calculator saved as calculator.html.");
}
