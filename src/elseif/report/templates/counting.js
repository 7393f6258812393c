"use strict";
/* Counts of any list, from how many cases of each label meet which conditions.
 *
 * Cases that meet the same conditions are one pattern. A condition has one bit for each pattern.
 */

function bitsOf(text, nWords) {
  const words = new Uint32Array(nWords);
  const bytes = atob(text);
  for (let i = 0; i < bytes.length; i += 1) words[i >>> 2] |= bytes.charCodeAt(i) << (8 * (i & 3));
  return words;
}

class Counter {
  constructor({ patterns, antecedents, labels }) {
    this.counts = patterns.counts;
    this.nLabels = labels.length;
    this.nWords = Math.ceil(patterns.counts.length / 32);
    this.bits = patterns.bits;
    this.antecedents = antecedents;
    this.conditions = new Map();
    this.covers = new Map();
  }

  /* The patterns that meet a condition. */
  condition(number) {
    if (!this.conditions.has(number)) this.conditions.set(number, bitsOf(this.bits[number], this.nWords));
    return this.conditions.get(number);
  }

  /* The patterns that meet an antecedent: all of its conditions. */
  cover(item) {
    if (!this.covers.has(item)) {
      const [first, ...others] = this.antecedents[item].conditions.map((number) => this.condition(number));
      const cover = others.length ? first.slice() : first;
      for (const other of others) for (let w = 0; w < cover.length; w += 1) cover[w] &= other[w];
      this.covers.set(item, cover);
    }
    return this.covers.get(item);
  }

  /* The line of a list that each pattern falls into, the default rule's last. */
  lines(items) {
    const lines = new Int32Array(this.counts.length).fill(items.length);
    for (let j = items.length - 1; j >= 0; j -= 1) {
      const cover = this.cover(items[j]);
      for (let p = 0; p < lines.length; p += 1) if ((cover[p >>> 5] >>> (p & 31)) & 1) lines[p] = j;
    }
    return lines;
  }

  /* Cases of each label that each rule catches, the default rule last; in units. */
  of(lines, length) {
    const counts = Array.from({ length: length + 1 }, () => new Array(this.nLabels).fill(0));
    this.counts.forEach((pattern, p) => {
      const line = counts[lines[p]];
      for (let label = 0; label < this.nLabels; label += 1) line[label] += pattern[label];
    });
    return counts;
  }

  /* The counts of a list with one more rule, from the lines and counts that it has without. */
  withRule(lines, counts, item, position) {
    const cover = this.cover(item);
    const taken = counts.map((line) => new Array(line.length).fill(0));
    for (let w = 0; w < cover.length; w += 1) {
      for (let word = cover[w]; word !== 0; word &= word - 1) {
        const p = 32 * w + 31 - Math.clz32(word & -word);
        if (lines[p] < position) continue;
        const line = taken[lines[p]];
        for (let label = 0; label < this.nLabels; label += 1) line[label] += this.counts[p][label];
      }
    }
    const caught = new Array(this.nLabels).fill(0).map((_, label) => sum(taken.map((line) => line[label])));
    const left = counts.map((line, j) => line.map((n, label) => n - taken[j][label]));
    return [...left.slice(0, position), caught, ...left.slice(position)];
  }
}
