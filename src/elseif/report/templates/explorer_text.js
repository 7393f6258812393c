"use strict";
/* Lists as text, what is copied, and files that are saved. */

/* Tell what was done, to eyes and to ears. */
let saying;
function say(text) {
  clearTimeout(saying);
  byId("said").textContent = text;
  saying = setTimeout(() => { byId("said").textContent = ""; }, 6000);
}

const probabilityOf = () => (model.places.length === 1 ? model.labels[model.places[0]].shown : "each label");

/* A list in the shape of the paper's figures: if ... then ..., else if ... */
function listText(list) {
  const { rows: byLine, decimals } = consequents(list.counts);
  const rows = byLine.map((byLabel, line) => {
    const results = [...byLabel].sort((a, b) => b.mean - a.mean).map((one) => {
      const name = byLabel.length > 1 ? `${model.labels[one.label].shown} ` : "";
      return `${name}${percentText(one.mean, decimals)} ${intervalText(one, decimals)}`;
    });
    const rule = list.items[line] === undefined ? "" : model.antecedents[list.items[line]].text;
    return [lineHead(line, list.items.length), rule, rule ? "then" : "", results.join(", "), `n = ${casesText(list.counts[line])}`];
  });
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => [...row[column]].length)));
  const lines = rows.map((row) => row.map((cell, column) => cell + " ".repeat(widths[column] - [...cell].length)).join(" ").trimEnd());
  const rounded = model.roundedTo === null ? "" : ` Counts are rounded to multiples of ${model.roundedTo}.`;
  return `Probability of ${probabilityOf()} (${percentText(model.level)} credible interval).${rounded}\n${lines.join("\n")}\n`;
}

/* Copied, or shown to be copied by hand where the browser does not let a page. */
async function copyText(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} copied.`);
  } catch {
    byId("by-hand-text").value = text;
    byId("by-hand").showModal();
    byId("by-hand-text").select();
  }
}

function saveFile(name, type, text) {
  const link = element("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
