"use strict";
/* The case: answers read from the form, written into a link, and read from one. */

const page = JSON.parse(document.getElementById("data").textContent);
const models = page.models;
const form = document.getElementById("case");
const questions = [...document.querySelectorAll(".question")];
const byId = (id) => document.getElementById(id);
const fieldOf = (question) => question.querySelector(".field");
const choicesOf = (question) => [...question.querySelectorAll(".segments input")];

/* ------------------------------------------------------------------------ answers */

/* What was chosen: nothing, "not known", "missing", or the place of an option. */
function chosenAnswer(text) {
  if (text === "missing" || text === "not known") return { state: text };
  return text === "unknown" || text === undefined ? { state: "unknown" } : { state: "value", value: Number(text) };
}

function readAnswer(index) {
  const question = questions[index];
  const field = fieldOf(question);
  const chosen = choicesOf(question).find((choice) => choice.checked)?.value;
  if (chosen !== undefined || !field) return chosenAnswer(chosen);
  if (field.tagName === "SELECT") return chosenAnswer(field.value);
  if (page.questions[index].kind !== "date") return readNumber(field.value, page.questions[index].grouped);
  if (field.validity.badInput) return { state: "invalid", why: "The date is not complete." };
  return readDate(field.value);
}

/* The answers to one model's questions.
 *
 * What cannot be read is not answered. What is not recorded is an answer to a list that has a line for
 * it; to any other list it is not known, for nothing is ever taken for no.
 */
function answersFor(model, answers) {
  return model.columns.map((column) => {
    const answer = answers[column.question];
    if (answer.state === "invalid") return { state: "unknown" };
    const hasLine = column.conditions.some((condition) => condition.operator === "is missing");
    return answer.state === "missing" && !hasLine ? { state: "not known" } : answer;
  });
}

/* A number as its field shows the range: with its thousands set apart, where those of others are. */
function amountText(value, isGrouped) {
  const [whole, rest] = String(value).split(".");
  const shown = isGrouped && !String(value).includes("e") ? whole.replace(/\B(?=(\d{3})+$)/g, ",") : whole;
  return rest === undefined ? shown : `${shown}.${rest}`;
}

function answerText(question, answer) {
  if (answer.state === "missing") return "not recorded";
  if (answer.state === "not known") return "not known";
  if (answer.state !== "value") return "not answered";
  if (question.kind === "date") return answer.value.replace(/\.0+$/, "").replace(/T00:00:00$/, "").replace("T", " ");
  if (question.kind === "numeric") return `${amountText(answer.value, question.grouped)}${question.unit ? ` ${question.unit}` : ""}`;
  return question.options[answer.value];
}

/* What to say of values outside the ranges that are known. */
function outside(question, answer) {
  if (answer.state !== "value") return "";
  const value = question.kind === "date" ? answer.value.slice(0, 10) : answer.value;
  const passed = question.ranges.filter(({ low, high }) => value < low || value > high);
  return passed.map(({ remark }) => remark).join(" ");
}

/* What to say beside a field. */
function remark(question, answer) {
  return answer.state === "invalid" ? `${answer.why} Taken as not answered.` : outside(question, answer);
}

/* A value typed takes "not known" away, and the other way round. */
function pairFieldWithChoice(question, changed) {
  const field = fieldOf(question);
  if (!field || field.tagName === "SELECT") return;
  const [notKnown] = choicesOf(question);
  if (changed === notKnown && notKnown.checked) field.value = "";
  else if (changed === field && (field.value !== "" || field.validity.badInput)) notKnown.checked = false;
}

/* Arrow keys move a number by its step. */
function stepNumber(event) {
  const direction = { ArrowUp: 1, ArrowDown: -1 }[event.key];
  const question = event.target.closest(".question");
  if (!direction || !event.target.matches("input.number-field")) return;
  const { step, grouped } = page.questions[questions.indexOf(question)];
  const answer = readNumber(event.target.value, grouped);
  if (answer.state !== "value") return;
  event.preventDefault();
  const decimals = Math.max(String(step).split(".")[1]?.length ?? 0, String(answer.value).split(".")[1]?.length ?? 0);
  event.target.value = (answer.value + direction * step).toFixed(Math.min(decimals, 15));
  event.target.dispatchEvent(new Event("input", { bubbles: true }));
}

/* --------------------------------------------------------------------------- links */

const LINK = "case";

/* The answers as a fragment, which browsers do not send: the form's key, then answers by place. */
function fragment() {
  const parameters = new URLSearchParams([[LINK, page.form]]);
  questions.forEach((question, index) => {
    const answer = readAnswer(index);
    if (answer.state === "missing" || answer.state === "not known") parameters.set(index, "?");
    else if (answer.state === "value") parameters.set(index, valueForLink(question, answer));
  });
  return `#${parameters}`;
}

function valueForLink(question, answer) {
  const field = fieldOf(question);
  return field && field.tagName !== "SELECT" ? field.value.trim() : String(answer.value);
}

/* One answer put into the form; whether it could be. */
function putAnswer(index, text) {
  const question = questions[index];
  const field = fieldOf(question);
  const isTyped = field && field.tagName !== "SELECT";
  const wanted = isTyped && text !== "?" ? [] : [...choicesOf(question), ...(isTyped || !field ? [] : field.options)];
  const isNotKnown = (value) => value === "missing" || value === "not known";
  const choice = wanted.find(({ value }) => (text === "?" ? isNotKnown(value) : /^\d+$/.test(value) && value === text));
  if (choice) {
    if (choice.tagName === "OPTION") field.value = choice.value;
    else choice.checked = true;
    return true;
  }
  if (!isTyped || text === "?" || (field.type !== "text" && !isDateOf(field, text))) return false;
  field.value = text.slice(0, 40);
  if (readAnswer(index).state === "value") return true;
  field.value = "";
  return false;
}

/* Whether a date field can hold a text; browsers complain of what it cannot. */
function isDateOf(field, text) {
  const day = text.slice(0, 10), hasTime = text.includes("T");
  if (readDate(text).state !== "value" || hasTime !== (field.type === "datetime-local")) return false;
  const time = Date.parse(`${text.slice(0, 16)}${hasTime ? "" : "T00:00"}Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day); // no 30 February
}

/* The form as a link describes it; what to say where it could not be followed. */
function readFragment(text) {
  form.reset();
  const parameters = new URLSearchParams(text.replace(/^#/, ""));
  if (!parameters.has(LINK)) return "";
  if (parameters.get(LINK) !== page.form) {
    return "This link was made with another calculator or another version of it: nothing was filled in.";
  }
  const keys = [...new Set(parameters.keys())].filter((key) => key !== LINK);
  const unread = keys.filter((key) => {
    return !/^\d{1,6}$/.test(key) || Number(key) >= questions.length || !putAnswer(Number(key), parameters.get(key));
  });
  if (!unread.length) return "";
  const what = unread.length === 1 ? "One answer of this link" : `${unread.length} answers of this link`;
  return `${what} could not be read. The other answers are filled in.`;
}

/* A link that no longer describes the form is taken out of the address. */
function forgetLink() {
  byId("link-note").textContent = "";
  if (!location.hash.startsWith(`#${LINK}=`)) return;
  try {
    history.replaceState(null, "", location.href.split("#")[0]);
  } catch {
    location.hash = ""; // where a page may not rewrite its address
  }
}
