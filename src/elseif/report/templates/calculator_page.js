"use strict";
/* The calculator's form: reads answers, and shows what calculator.js says of them. */

const model = JSON.parse(document.getElementById("data").textContent);
const form = document.getElementById("case");
const questions = [...document.querySelectorAll(".question")];
const lineElements = [...document.querySelectorAll(".line")];
const byId = (id) => document.getElementById(id);

/* An element with text and children; text is never markup. */
function element(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

/* ------------------------------------------------------------------------ answers */

function readAnswer(question, column) {
  const chosen = question.querySelector("input[type=radio]:checked")?.value;
  if (chosen === "unknown" || chosen === "missing") return { state: chosen };
  const field = question.querySelector(".field");
  if (!field) return { state: "value", value: Number(chosen) };
  if (field.tagName === "SELECT") {
    const state = field.value;
    return state === "unknown" || state === "missing" ? { state } : { state: "value", value: Number(state) };
  }
  if (column.kind !== "date") return readNumber(field.value);
  if (field.validity.badInput) return { state: "invalid", why: "The date is not complete." };
  return readDate(field.value);
}

function answerText(column, answer) {
  if (answer.state === "missing") return "not recorded";
  if (answer.state !== "value") return "unknown";
  if (column.kind === "date") return answer.value.replace(/\.0+$/, "").replace(/T00:00:00$/, "").replace("T", " ");
  if (column.kind === "numeric") return `${answer.value}${column.unit ? ` ${column.unit}` : ""}`;
  return column.options[answer.value];
}

/* What to say beside a field; an answer that cannot be read counts as unknown. */
function remark(column, answer) {
  if (answer.state === "invalid") return `${answer.why} Taken as unknown.`;
  if (answer.state !== "value") return "";
  if (column.kind === "numeric" && column.range) {
    const [low, high] = column.range;
    if (answer.value < low || answer.value > high) return `Outside ${low} to ${high}: please check.`;
  }
  if (column.kind === "category" && answer.value === column.options.length - 1) {
    const why = column.allLevels ? "Not seen in training" : "Named in no line";
    return `${why}: no condition on it is true.`;
  }
  return "";
}

/* A value typed takes "unknown" away, and an emptied field brings it back. */
function pairFieldWithRadios(question, changed) {
  const field = question.querySelector("input.field");
  if (!field) return;
  const radios = [...question.querySelectorAll("input[type=radio]")];
  if (changed === field) {
    const isEmpty = field.value === "" && !field.validity.badInput;
    const isMissing = isEmpty && radios.some((radio) => radio.checked && radio.value === "missing");
    if (isMissing) return;
    for (const radio of radios) radio.checked = isEmpty && radio.value === "unknown";
  } else if (changed.type === "radio") {
    field.value = "";
  }
}

/* Arrow keys move a number by its step. */
function stepNumber(event) {
  const direction = { ArrowUp: 1, ArrowDown: -1 }[event.key];
  const question = event.target.closest(".question");
  if (!direction || !event.target.matches("input.number-field")) return;
  const { step } = model.columns[questions.indexOf(question)];
  const answer = readNumber(event.target.value);
  if (answer.state !== "value") return;
  event.preventDefault();
  const decimals = Math.max(String(step).split(".")[1]?.length ?? 0, String(answer.value).split(".")[1]?.length ?? 0);
  event.target.value = (answer.value + direction * step).toFixed(Math.min(decimals, 15));
  event.target.dispatchEvent(new Event("input", { bubbles: true }));
}

/* ------------------------------------------------------------------------- results */

const SVG = "http://www.w3.org/2000/svg";

function rectangle(className, x, width) {
  const made = document.createElementNS(SVG, "rect");
  for (const [name, value] of Object.entries({ class: className, x, width, y: 0, height: 10 })) {
    made.setAttribute(name, value);
  }
  return made;
}

/* A bar from 0 to 100 %: a band for an interval or a range, and marks for risks. */
function bar(low, high, risks) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "bar");
  svg.setAttribute("viewBox", "0 0 100 10");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  svg.append(rectangle("track", 0, 100));
  svg.append(rectangle("band", 100 * low, 100 * (high - low)));
  for (const risk of risks) svg.append(rectangle("mark", Math.min(Math.max(100 * risk - 0.5, 0), 99), 1));
  return svg;
}

function labelName(label) {
  const made = element("bdi", "", label.shown);
  made.title = label.full;
  return made;
}

/* One label over the lines that are possible: a risk, or the range of risks. */
function resultFor(label, place, lines) {
  const consequents = lines.map((line) => model.rules[line].labels[place]);
  const sorted = [...consequents].sort((a, b) => a.risk - b.risk);
  const least = sorted[0], most = sorted[sorted.length - 1];
  const decided = lines.length === 1;
  const number = decided ? least.texts[0] : `${least.texts[0]} to ${most.texts[0]}`;
  const interval = decided ? `${model.level} interval ${least.texts[1]} to ${least.texts[2]}` : "range still possible";
  const [low, high] = decided ? [least.low, least.high] : [least.risk, most.risk];
  const made = element("div", decided ? "result decided" : "result open");
  made.append(
    element("p", "of", "Probability of ", labelName(label)),
    element("p", "risk", number),
    bar(low, high, consequents.map((consequent) => consequent.risk)),
    scale(),
    element("p", "interval", interval),
  );
  return made;
}

function scale() {
  const made = element("div", "scale", element("span", "", "0%"), element("span", "", "50%"), element("span", "", "100%"));
  made.setAttribute("aria-hidden", "true");
  return made;
}

function plural(count, word) {
  return `${count} ${word}${count === "1" || count === 1 ? "" : "s"}`;
}

function ruleText(line) {
  const { conditions } = model.rules[line];
  if (!conditions.length) return line ? "none of the lines above is true" : "the same for every case";
  return conditions.map((condition) => condition.text).join(" and ");
}

function explanation(assessment) {
  const { possible, next } = assessment;
  if (possible.length === 1) {
    const rule = model.rules[possible[0]];
    return `Line ${possible[0] + 1} applies. ${plural(rule.count, "past case")} behind it.`;
  }
  const ask = next < 0 ? "" : ` Next: ${questionText(next)}`;
  return `Not decided: ${possible.length} lines are possible.${ask}`;
}

function questionText(column) {
  return questions[column].querySelector(".asked").textContent;
}

/* The same for ears: one sentence, once the typing pauses. */
function spoken(assessment) {
  const [line] = assessment.possible;
  if (assessment.possible.length > 1) {
    const ranges = model.labels.map((label, place) => {
      const sorted = assessment.possible.map((j) => model.rules[j].labels[place]).sort((a, b) => a.risk - b.risk);
      return `${label.shown} between ${sorted[0].texts[0]} and ${sorted[sorted.length - 1].texts[0]}`;
    });
    return `${explanation(assessment)}. Probability of ${ranges.join("; ")}.`;
  }
  const risks = model.labels.map((label, place) => {
    const [risk, low, high] = model.rules[line].labels[place].texts;
    return `${label.shown} ${risk}, ${model.level} interval ${low} to ${high}`;
  });
  return `${explanation(assessment)} Probability of ${risks.join("; ")}.`;
}

let speaking;
function announce(text) {
  clearTimeout(speaking);
  speaking = setTimeout(() => { byId("spoken").textContent = text; }, 400);
}

function showLine(made, line, state, answers) {
  made.dataset.status = state.status;
  if (state.status === "applies") made.setAttribute("aria-current", "true");
  else made.removeAttribute("aria-current");
  made.querySelector(".badge").textContent = state.status;
  const rule = model.rules[line];
  made.querySelectorAll(".condition").forEach((shown, i) => {
    shown.dataset.truth = state.truths[i] === null ? "open" : String(state.truths[i]);
  });
  made.querySelector(".reason").textContent = reason(rule, state, answers);
}

function reason(rule, state, answers) {
  if (state.status === "not reached") return "every such case is caught above";
  if (state.status !== "ruled out") return "";
  const failed = rule.conditions.filter((_, i) => state.truths[i] === false);
  const columns = [...new Set(failed.map(({ column }) => column))];
  return columns.map((c) => `${model.columns[c].shown}: ${answerText(model.columns[c], answers[c])}`).join(", ");
}

function showQuestion(question, column, answer, isNeeded, isNext) {
  const said = remark(column, answer);
  question.querySelector(".remark").textContent = said;
  const isOpen = answer.state === "unknown" || answer.state === "invalid";
  question.classList.toggle("next", isNext);
  question.classList.toggle("idle", isOpen && !isNeeded);
  question.querySelector(".flag").textContent = isNext ? "asked next" : isOpen && !isNeeded ? "not needed" : "";
  const field = question.querySelector("input.field");
  if (field) field.setAttribute("aria-invalid", String(answer.state === "invalid"));
}

function showPrinted(answers, assessment) {
  byId("printed-answers").replaceChildren(...model.columns.map((column, i) => {
    const name = element("th", "", questionText(i));
    name.scope = "row";
    const said = remark(column, answers[i]);
    return element("tr", "", name, element("td", "", answerText(column, answers[i]), said ? ` (${said})` : ""));
  }));
  const lines = assessment.possible.map((line) => `Line ${line + 1}: ${ruleText(line)}.`);
  byId("printed-lines").textContent = lines.join(" Or: ");
}

function update() {
  const answers = questions.map((question, i) => readAnswer(question, model.columns[i]));
  const known = answers.map((answer) => (answer.state === "invalid" ? { state: "unknown" } : answer));
  const assessment = assess(model, known);
  questions.forEach((question, i) => {
    showQuestion(question, model.columns[i], answers[i], assessment.needed[i], assessment.next === i);
  });
  lineElements.forEach((made, line) => showLine(made, line, assessment.lines[line], known));
  byId("results").replaceChildren(...model.labels.map((label, place) => resultFor(label, place, assessment.possible)));
  byId("explanation").textContent = explanation(assessment);
  byId("answer").classList.toggle("decided", assessment.possible.length === 1);
  showPrinted(answers, assessment);
  announce(spoken(assessment));
}

function clearAll() {
  form.reset();
  update();
  form.querySelector("input, select")?.focus();
}

function datePrinted() {
  const now = new Date();
  byId("printed-on").textContent = now.toLocaleString(undefined, { dateStyle: "long", timeStyle: "short" });
  byId("printed-case").textContent = byId("case-name").value || "not named";
}

function onChange(event) {
  const question = event.target.closest(".question");
  if (question) pairFieldWithRadios(question, event.target);
  update();
}

form.addEventListener("input", onChange);
form.addEventListener("focusout", (event) => {
  if (event.target.matches("input.field")) onChange(event); // half a date is no input event
});
form.addEventListener("keydown", stepNumber);
form.addEventListener("submit", (event) => event.preventDefault());
byId("clear").addEventListener("click", clearAll);
byId("print").addEventListener("click", () => window.print());
window.addEventListener("beforeprint", datePrinted);
window.addEventListener("pageshow", () => { form.reset(); update(); }); // browsers restore old answers
