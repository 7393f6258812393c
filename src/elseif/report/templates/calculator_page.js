"use strict";
/* The calculator's page: shows what calculator.js says of the case, on screen, in print and as text. */

/* An element with text and children; text is never markup. */
function element(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

/* Of each model: its parts of the page. */
const modelElements = [...document.querySelectorAll(".model-answer")].map((answer, index) => ({
  results: answer.querySelector(".results"),
  explanation: answer.querySelector(".explanation"),
  ifMissing: answer.querySelector(".if-missing"),
  answer,
  lines: [...document.querySelectorAll(".list")[index].querySelectorAll(".line")],
}));

/* ------------------------------------------------------------------------- results */

const SVG = "http://www.w3.org/2000/svg";

function rectangle(className, x, width) {
  const made = document.createElementNS(SVG, "rect");
  for (const [name, value] of Object.entries({ class: className, x, width, y: 0, height: 10 })) {
    made.setAttribute(name, value);
  }
  return made;
}

/* A bar from 0 to the end of the model's axis: a band for an interval or a range, and marks for risks. */
function bar(end, low, high, risks) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "bar");
  svg.setAttribute("viewBox", "0 0 100 10");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  svg.append(rectangle("track", 0, 100));
  svg.append(rectangle("band", (100 * low) / end, (100 * (high - low)) / end));
  for (const risk of risks) svg.append(rectangle("mark", Math.min(Math.max((100 * risk) / end - 0.5, 0), 99), 1));
  return svg;
}

function scale(ticks) {
  const made = element("div", "scale", ...ticks.map((tick) => element("span", "", tick)));
  made.setAttribute("aria-hidden", "true");
  return made;
}

function labelName(label) {
  const made = element("bdi", "", label.shown);
  made.title = label.full;
  return made;
}

/* The consequents of one label over the lines that are possible, the least probable first. */
function consequents(model, index, lines) {
  return lines.map((line) => model.rules[line].labels[index]).sort((a, b) => a.risk - b.risk);
}

/* One label: a risk, or the range of risks. */
function resultFor(model, label, index, lines) {
  const sorted = consequents(model, index, lines);
  const least = sorted[0], most = sorted[sorted.length - 1];
  const decided = lines.length === 1;
  const number = decided ? least.texts[0] : `${least.texts[0]} to ${most.texts[0]}`;
  const interval = decided ? `${page.level} interval ${least.texts[1]} to ${least.texts[2]}` : "range still possible";
  const [low, high] = decided ? [least.low, least.high] : [least.risk, most.risk];
  const made = element("div", decided ? "result decided" : "result open");
  made.append(
    element("p", "of", element("span", "probability-of", "Probability of "), labelName(label)),
    element("p", "risk", number),
    bar(model.end, low, high, sorted.map((consequent) => consequent.risk)),
    scale(model.ticks),
    element("p", "interval", interval),
  );
  if (decided && least.over) {
    made.append(element("p", "over-lists", `${page.level} interval over all lists ${least.over[0]} to ${least.over[1]}`));
  }
  return made;
}

function plural(count, word) {
  return `${count} ${word}${count === "1" || count === 1 ? "" : "s"}`;
}

function ruleText(model, line) {
  const { conditions } = model.rules[line];
  if (!conditions.length) return line ? "none of the lines above is true" : "the same for every case";
  return conditions.map((condition) => condition.text).join(" and ");
}

const questionText = (index) => questions[index].querySelector(".asked").textContent;

function explanation(model, assessment) {
  const { possible, next, decided } = assessment;
  const ask = next < 0 ? "" : ` Next: ${questionText(model.columns[next].question)}`;
  if (decided) {
    return `Line ${possible[0] + 1} applies. ${plural(model.rules[possible[0]].count, "past case")} behind it.`;
  }
  if (possible.length === 1) return `Line ${possible[0] + 1} applies, whatever the values that are not known.${ask}`;
  return `Not decided: ${possible.length} lines are possible.${ask || " The answer depends on what is not known."}`;
}

/* The line for a record without what is not known, or null: only where it tells more than the answer does. */
function lineIfMissing({ ifMissing, decided }) {
  return decided || ifMissing === null || ifMissing.length > 1 ? null : ifMissing[0];
}

/* What Python predicts where the values that are not known are missing from the record. */
function ifMissingText(model, assessment) {
  const line = lineIfMissing(assessment);
  return line === null ? "" : `If not recorded (missing), line ${line + 1} applies: ${riskTexts(model, [line]).join("; ")}.`;
}

/* One sentence for each label, for ears and for texts. */
function riskTexts(model, possible) {
  return model.labels.map((label, index) => {
    const sorted = consequents(model, index, possible);
    const [risk, low, high] = sorted[0].texts;
    if (possible.length > 1) return `${label.shown} between ${risk} and ${sorted[sorted.length - 1].texts[0]}`;
    const wider = sorted[0].over ? `, over all lists ${sorted[0].over.join(" to ")}` : "";
    return `${label.shown} ${risk}, ${page.level} interval ${low} to ${high}${wider}`;
  });
}

function spoken(model, assessment) {
  const name = model.name ? `${model.name}: ` : "";
  const sentence = explanation(model, assessment);
  const risks = `Probability of ${riskTexts(model, assessment.possible).join("; ")}.`;
  const missing = ifMissingText(model, assessment);
  return `${name}${sentence}${/[.?!]$/.test(sentence) ? "" : "."} ${risks}${missing ? ` ${missing}` : ""}`;
}

let speaking;
function announce(text) {
  clearTimeout(speaking);
  speaking = setTimeout(() => { byId("spoken").textContent = text; }, 400); // once the typing pauses
}

const ONLY_IF_NOT_RECORDED = "reached only where a value is not recorded (missing)";

function showLine(model, made, line, { lines, ...assessment }, answers) {
  const state = lines[line];
  const isIfMissing = lineIfMissing(assessment) === line;
  made.dataset.status = state.status;
  made.dataset.missing = String(isIfMissing);
  if (state.status === "applies") made.setAttribute("aria-current", "true");
  else made.removeAttribute("aria-current");
  made.querySelector(".badge").textContent = isIfMissing ? `${state.status === "possible" ? "possible; " : ""}applies if not recorded` : state.status;
  made.querySelectorAll(".condition").forEach((shown, i) => {
    shown.dataset.truth = state.truths[i] === null ? "open" : String(state.truths[i]);
  });
  made.querySelector(".reason").textContent = reason(model, model.rules[line], state, answers);
}

function reason(model, rule, state, answers) {
  if (state.status === "not reached") return "every such case is caught above";
  if (state.status === "only if not recorded") return ONLY_IF_NOT_RECORDED;
  if (state.status !== "ruled out") return "";
  const failed = rule.conditions.filter((_, i) => state.truths[i] === false);
  const places = [...new Set(failed.map(({ column }) => model.columns[column].question))];
  return places.map((q) => `${page.questions[q].shown}: ${answerText(page.questions[q], answers[q])}`).join(", ");
}

/* ------------------------------------------------------------------------ questions */

function showQuestion(index, answer, isNeeded, isNext) {
  const question = questions[index];
  question.querySelector(".remark").textContent = remark(page.questions[index], answer);
  const isUnanswered = answer.state === "unknown" || answer.state === "invalid";
  question.classList.toggle("next", isNext);
  question.classList.toggle("idle", isUnanswered && !isNeeded);
  question.querySelector(".flag").textContent = isNext ? "asked next" : isUnanswered && !isNeeded ? "not needed" : "";
  const field = question.querySelector("input.field");
  if (field) field.setAttribute("aria-invalid", String(answer.state === "invalid"));
}

/* The question that is asked next, or -1: the first that a model needs and nobody has answered. */
function nextQuestion(assessments) {
  const places = assessments.map(({ next }, m) => (next < 0 ? Infinity : models[m].columns[next].question));
  const first = Math.min(...places);
  return first === Infinity ? -1 : first;
}

function isNeededBy(assessments, index) {
  return assessments.some(({ needed }, m) => models[m].columns.some((column, i) => column.question === index && needed[i]));
}

/* --------------------------------------------------------------------- print and text */

/* A sign stays on the line of its value. */
const unbroken = (text) => text.replace(/(?<= )([≤≥<>=≠]) (?=\S)/g, "$1\u00a0");

function printedLines(model, assessment) {
  const lines = assessment.possible.map((line) => `line ${line + 1} (${unbroken(ruleText(model, line))})`);
  const said = lines.length === 1 ? `Applies: ${lines[0]}.` : `Possible: ${lines.join("; ")}.`;
  const missing = ifMissingText(model, assessment);
  return `${models.length > 1 ? `${model.name}: ` : ""}${said}${missing ? ` ${missing}` : ""}`;
}

function showPrinted(answers, assessments) {
  byId("printed-answers").replaceChildren(...page.questions.map((question, i) => {
    const name = element("th", "", questionText(i));
    name.scope = "row";
    const said = remark(question, answers[i]);
    return element("tr", "", name, element("td", "", answerText(question, answers[i]), said ? ` (${said})` : ""));
  }));
  byId("printed-lines").textContent = assessments.map((each, m) => printedLines(models[m], each)).join(" ");
}

/* The result as plain text, to paste into notes. */
function resultText() {
  const { answers, assessments, cautions } = current;
  const lines = [page.title];
  models.forEach((model, m) => {
    const { possible } = assessments[m];
    if (models.length > 1) lines.push("", model.name);
    lines.push(...riskTexts(model, possible).map((text) => `Probability of ${text}`));
    const said = possible.map((line) => `line ${line + 1} (${ruleText(model, line)}; ${plural(model.rules[line].count, "past case")})`);
    lines.push(possible.length === 1 ? `Applies: ${said[0]}` : `Not decided; possible: ${said.join("; ")}`);
    const missing = ifMissingText(model, assessments[m]);
    if (missing) lines.push(missing);
    lines.push(`Model: ${model.brief}`);
  });
  const given = page.questions.map((question, i) => [answers[i], `${questionText(i)}: ${answerText(question, answers[i])}`]);
  const known = given.filter(([answer]) => !["unknown", "invalid"].includes(answer.state)).map(([, text]) => text);
  if (models.length > 1) lines.push("");
  lines.push(`Answers: ${known.join("; ") || "none"}`, ...cautions.map((text) => `Caution: ${text}`));
  lines.push(`elseif ${page.version}, ${new Date().toISOString().slice(0, 10)}. ${page.note}`);
  return lines.join("\n");
}

/* Into the clipboard; where that is not allowed, into a field to copy from. */
async function copy(text, what) {
  const field = byId("to-copy");
  field.hidden = true;
  field.value = text;
  let done = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    field.hidden = false;
    field.select();
    done = document.execCommand("copy");
    field.hidden = done;
  }
  byId("copied").textContent = done ? `${what} copied.` : "Select the text below and copy it.";
}

/* ---------------------------------------------------------------------------- update */

let current;

function update() {
  const answers = questions.map((_, index) => readAnswer(index));
  const assessments = models.map((model) => assess(model, answersFor(model, answers)));
  const next = nextQuestion(assessments);
  questions.forEach((_, i) => showQuestion(i, answers[i], isNeededBy(assessments, i), next === i));
  const cautions = page.questions.map((question, i) => [questionText(i), outside(question, answers[i])]);
  const said = cautions.filter(([, text]) => text).map(([name, text]) => `${name}: ${text[0].toLowerCase()}${text.slice(1)}`);
  current = { answers, assessments, next, cautions: said };
  models.forEach((model, m) => {
    const parts = modelElements[m], assessment = assessments[m];
    parts.lines.forEach((made, line) => showLine(model, made, line, assessment, answers));
    parts.results.replaceChildren(...model.labels.map((label, index) => resultFor(model, label, index, assessment.possible)));
    parts.explanation.textContent = explanation(model, assessment);
    parts.ifMissing.textContent = ifMissingText(model, assessment);
    parts.answer.classList.toggle("decided", assessment.possible.length === 1);
  });
  byId("cautions").replaceChildren(...said.map((text) => element("li", "", text)));
  byId("copied").textContent = "";
  byId("to-copy").hidden = true;
  showPrinted(answers, assessments);
  announce([...assessments.map((each, m) => spoken(models[m], each)), ...said].join(" "));
}

function clearAll() {
  form.reset();
  forgetLink();
  update();
  form.querySelector("input, select")?.focus();
}

function datePrinted() {
  const now = new Date();
  byId("printed-on").textContent = now.toLocaleString(undefined, { dateStyle: "long", timeStyle: "short" });
  byId("printed-case").textContent = byId("case-name").value || "not named";
}

function onChange(event) {
  forgetLink();
  onFieldLeft(event);
}

function onFieldLeft(event) {
  const question = event.target.closest(".question");
  if (question) pairFieldWithChoice(question, event.target);
  update();
}

/* Enter goes on to the question that is asked next. */
function goOn(event) {
  if (event.key !== "Enter" || !event.target.closest(".question") || event.target.tagName === "SELECT") return;
  event.preventDefault();
  update();
  if (current.next >= 0) questions[current.next].querySelector("input, select").focus();
}

/* A choice is taken back by choosing it again, or by Delete. */
function takeBack(choice) {
  choice.checked = false;
  choice.dispatchEvent(new Event("input", { bubbles: true }));
}

let wasChosen = null;
form.addEventListener("pointerdown", (event) => {
  const choice = event.target.closest(".segments label")?.querySelector("input");
  wasChosen = choice?.type === "radio" && choice.checked ? choice : null;
});
form.addEventListener("click", (event) => {
  if (event.target === wasChosen && event.detail > 0) takeBack(wasChosen);
  if (event.target.matches?.("input")) wasChosen = null;
});
form.addEventListener("input", onChange);
form.addEventListener("focusout", (event) => {
  if (event.target.matches("input.field")) onFieldLeft(event); // half a date is no input event
});
form.addEventListener("keydown", (event) => {
  stepNumber(event);
  goOn(event);
  const isChoice = event.target.matches(".segments input:checked");
  if (isChoice && (event.key === "Delete" || event.key === "Backspace")) takeBack(event.target);
});
form.addEventListener("submit", (event) => event.preventDefault());
byId("clear").addEventListener("click", clearAll);
byId("print").addEventListener("click", () => window.print());
byId("copy-result").addEventListener("click", () => copy(resultText(), "Result"));
byId("copy-link").addEventListener("click", () => copy(location.href.split("#")[0] + fragment(), "Link"));
window.addEventListener("beforeprint", datePrinted);

/* Where the answer sticks to the bottom, a field that gets the focus scrolls clear of it. */
new ResizeObserver(() => {
  const { position, top } = getComputedStyle(byId("answer"));
  const height = position === "sticky" && top === "auto" ? byId("answer").offsetHeight + 12 : 0;
  document.documentElement.style.scrollPaddingBottom = `${height}px`;
}).observe(byId("answer"));

/* What browsers restore of old answers is cleared; what a link says is filled in. */
function begin() {
  byId("link-note").textContent = readFragment(location.hash);
  update();
}
window.addEventListener("pageshow", begin);
window.addEventListener("hashchange", () => { if (location.hash.startsWith(`#${LINK}=`)) begin(); });
