"use strict";
/* Lists in the explorer: how they are priced and drawn. */

const model = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

/* An element with text and children; text is never markup. */
function element(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

const SVG = "http://www.w3.org/2000/svg";

function svgElement(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/* A button; "key" finds it again when its line is drawn anew. */
function button(text, label, key, action) {
  const made = element("button", "", text);
  made.type = "button";
  made.setAttribute("aria-label", label);
  made.dataset.key = key;
  made.addEventListener("click", action);
  return made;
}

/* --------------------------------------------------------------------------- words */

const minus = (text) => text.replace("-", "\u2212");

/* A change, with its sign; what rounds to nothing has none. */
function signed(value, digits) {
  const text = Math.abs(value).toFixed(digits);
  return Number(text) === 0 ? text : `${value > 0 ? "+" : "\u2212"}${text}`;
}

const areaText = (area) => (area === null ? "not available" : area.toFixed(3));

/* A difference of log posteriors, in words. */
function oddsText(difference) {
  if (Math.abs(difference) < 0.005) return "equally probable";
  const factor = Math.exp(Math.abs(difference));
  if (factor < 1.05) return "about equally probable";
  const shown = factor > 1e6 ? "more than a million" : Number(factor.toPrecision(2)).toLocaleString("en");
  return `${shown} times ${difference > 0 ? "more" : "less"} probable`;
}

/* In full, where a name was too long to show. */
const spelt = (named) => named.spelt ?? named.text;

const ruleText = (item) => model.antecedents[item]?.text ?? "no rule";

/* Conditions whose lines are broken neither between a sign and its value nor at the hyphens of a date,
   and names only where a line is too short for them, then after an underscore. */
const SIGN_AND_VALUE = /((?<= )[≤≥<>=≠] \S{1,16}(?= |$)|\b\d{4}-\d{2}-\d{2}\b)/;
const WITH_UNDERSCORES = /([^\s_]+(?:_+[^\s_]+)+)/;
const breakable = (name) => element("span", "word", ...name.split(/(?<=_)(?=[^_])/).flatMap((part, i) => (i ? [element("wbr"), part] : [part])));
const named = (text) => text.split(WITH_UNDERSCORES).map((part, i) => (i % 2 ? breakable(part) : part));
const unbroken = (text) => text.split(SIGN_AND_VALUE).flatMap((part, i) => (i % 2 ? [element("span", "nowrap", part)] : named(part)));

/* The same where there is only text, as in the options of a menu. */
const joinedSigns = (text) => text.replace(/(?<= )([≤≥<>=≠]) (?=\S)/g, "$1\u00a0");

function ruleName(item) {
  const made = element("bdi", "rule", ...unbroken(model.antecedents[item].text));
  made.title = spelt(model.antecedents[item]);
  return made;
}

/* --------------------------------------------------------------------------- prices */

const point = model.lists[model.point];
const hasPosterior = point.logPosterior !== null; // not where counts are rounded
const areaOf = (list) => list.holdoutAuc ?? list.auc;

const counter = model.patterns === null ? null : new Counter(model);

function canEdit(items) {
  return model.patterns !== null && items.every((item) => item < model.patterns.nAntecedents);
}

/* A list made here, priced as Python would. */
function priced(items) {
  return withPrice(items, counter.of(counter.lines(items), items.length));
}

function withPrice(items, counts) {
  return { items, counts, logPosterior: logPosterior(model, items, counts), auc: areaUnderCurve(model, counts) };
}

const isSame = (ours, theirs) => ours.length === theirs.length && ours.every((item, i) => item === theirs[i]);

/* A list by its rules: one that was drawn or projected, or one that can be counted here. */
function listOf(items) {
  const drawn = model.lists.find((list) => isSame(list.items, items));
  if (drawn) return drawn;
  const projected = model.path?.lists.find((list) => isSame(list.items, items));
  if (projected) return withPrice(items, projected.counts);
  return canEdit(items) ? priced(items) : null;
}

/* Rows of: what, this list, against another; of the other itself there is nothing to compare. */
function priceTable(list, other, otherName, area, otherArea) {
  const isItself = list === other;
  const difference = hasPosterior ? list.logPosterior - other.logPosterior : null;
  const areaChange = area === null || otherArea === null ? "" : signed(area - otherArea, 3);
  const rows = [
    ...(hasPosterior ? [["Log posterior", minus(list.logPosterior.toFixed(2)), signed(difference, 2)]] : []),
    ["AUC", areaText(area), areaChange],
    ["Length", String(list.items.length), signed(list.items.length - other.items.length, 0)],
  ];
  const changes = isItself ? [] : [heading("col", "change")];
  const head = element("tr", "", element("td"), heading("col", "this list"), ...changes);
  const body = rows.map(([name, value, change]) => {
    const cells = isItself ? [value] : [value, change];
    return element("tr", "", heading("row", name), ...cells.map((cell) => element("td", "number", cell)));
  });
  const odds = hasPosterior ? `: ${oddsText(difference)}` : "";
  const said = isItself ? `${otherName[0].toUpperCase()}${otherName.slice(1)} itself` : `Against ${otherName}${odds}`;
  return element("table", "price", element("caption", "", said), element("thead", "", head), element("tbody", "", ...body));
}

function heading(scope, text) {
  const made = element("th", scope === "col" ? "number" : "", text);
  made.scope = scope;
  return made;
}

/* --------------------------------------------------------------------------- lines */

/* Where the bars of lists end: all have the page's scale, so that they can be compared, but for those
   that need a longer one. */
function barEnd(...lists) {
  const highest = Math.max(...lists.flatMap((counts) => consequents(counts).rows.flat().map(({ high }) => high)));
  return highest <= model.end ? model.end : probabilityEnd(highest);
}

function bar({ low, high, mean }, end) {
  const at = (share) => (100 * Math.min(share, end)) / end;
  const part = (name, x, width) => svgElement("rect", { class: name, x, width, y: 0, height: 10 });
  const mark = Math.min(Math.max(at(mean) - 0.5, 0), 99);
  const attributes = { class: "bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" };
  return svgElement("svg", attributes, part("track", 0, 100), part("band", at(low), at(high) - at(low)), part("mark", mark, 1));
}

/* The scale of bars, in words. */
const barsText = (end) => `Bars: 0 to ${percentTick(end)}.`;
const barsNote = (end) => element("p", "caption muted", barsText(end));

/* What each line leads to, by label, and how many decimals its percentages deserve. */
function consequents(counts) {
  const rows = counts.map((line) => model.places.map((label) => ({ label, ...consequent(model, line, label) })));
  const decimals = decimalsFor(Math.min(...rows.flat().map(({ low, high }) => high - low)));
  return { rows, decimals };
}

const intervalText = ({ low, high }, decimals) => `(${percentText(low, decimals)}–${percentText(high, decimals)})`;

const casesText = (counts) => countText(sum(counts) * model.unit);

/* What a line leads to: each label's probability, interval, and the cases behind it. */
function lineResult(counts, byLabel, decimals, end) {
  const made = element("div", "results");
  for (const outcome of byLabel) {
    const { label } = outcome;
    const text = element("span", "number", element("b", "", percentText(outcome.mean, decimals)), ` ${intervalText(outcome, decimals)}`);
    const row = element("div", "then");
    if (model.places.length > 1) row.append(element("bdi", "label", model.labels[label].shown));
    row.append(bar(outcome, end), text);
    made.append(row);
  }
  const n = casesText(counts);
  made.append(element("p", "count muted", `${n} case${n === "1" ? "" : "s"}`));
  return made;
}

/* Rules that two lists have in the same order: as many as there can be. */
function commonRules(ours, theirs) {
  const best = Array.from({ length: ours.length + 1 }, () => new Array(theirs.length + 1).fill([]));
  for (let i = ours.length - 1; i >= 0; i -= 1) {
    for (let j = theirs.length - 1; j >= 0; j -= 1) {
      const [down, right] = [best[i + 1][j], best[i][j + 1]];
      const longer = down.length >= right.length ? down : right;
      best[i][j] = ours[i] === theirs[j] ? [ours[i], ...best[i + 1][j + 1]] : longer;
    }
  }
  return best[0][0];
}

/* How a rule of one list stands in another: "" where it keeps its place among the others. */
function changeOf(item, common, other) {
  if (common.includes(item)) return "";
  const position = other.indexOf(item);
  return position < 0 ? "only here" : `moved: line ${position + 1} there`;
}

/* The lines of a list, set against another or null, with bars to "end"; "extras" adds buttons to a line. */
function listLines(items, counts, other, end, extras = () => []) {
  const common = other === null ? items : commonRules(items, other);
  const { rows, decimals } = consequents(counts);
  return counts.map((ofLine, line) => {
    const item = items[line];
    const head = element("span", "", element("span", "head", `${lineHead(line, items.length)} `));
    const top = element("div", "if", head);
    const made = element("li", "line", top);
    if (item !== undefined) {
      head.append(ruleName(item));
      const change = changeOf(item, common, other);
      if (change) {
        made.dataset.change = change === "only here" ? "only" : "moved";
        top.append(element("span", "tag", change));
      }
    }
    top.append(...extras(item, line));
    made.append(lineResult(ofLine, rows[line], decimals, end));
    return made;
  });
}
