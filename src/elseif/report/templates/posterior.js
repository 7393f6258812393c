"use strict";
/* The posterior of a list from counts: the same formulas as in Python (sections 2.4, 2.5, 2.7). */

const HALF_LOG_TWO_PI = 0.9189385332046727;

/* log Gamma(x) for x > 0: moved up to where Stirling's series is exact to double precision. */
function logGamma(x) {
  let product = 1;
  while (x < 16) {
    product *= x;
    x += 1;
  }
  const r = 1 / (x * x);
  const tail = 1 / 1188 - r * (691 / 360360 - r / 156);
  const series = (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r * tail)))) / x;
  return (x - 0.5) * Math.log(x) - x + HALF_LOG_TWO_PI + series - Math.log(product);
}

/* The share of a Beta(a, b) distribution below x. */
function betaBelow(x, a, b) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const logFront = logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x);
  const front = Math.exp(logFront);
  // the fraction converges fast on the near side of the mean
  if (x < (a + 1) / (a + b + 2)) return (front / a) * betaFraction(x, a, b);
  return 1 - (front / b) * betaFraction(1 - x, b, a);
}

/* The continued fraction of the incomplete beta function, from the front. */
function betaFraction(x, a, b) {
  const tiny = 1e-300;
  const guarded = (value) => (Math.abs(value) < tiny ? tiny : value);
  let c = 1;
  let d = 1 / guarded(1 - ((a + b) * x) / (a + 1));
  let value = d;
  for (let m = 1; m < 100000; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    for (const term of [even, odd]) {
      d = 1 / guarded(1 + term * d);
      c = guarded(1 + term / c);
      value *= c * d;
    }
    if (Math.abs(c * d - 1) < 1e-15) break;
  }
  return value;
}

/* Where a Beta(a, b) distribution has a share below: by halving, which cannot go astray. */
function betaQuantile(share, a, b) {
  let low = 0;
  let high = 1;
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (betaBelow(middle, a, b) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/* ----------------------------------------------------------------- lists and counts */

const sum = (values) => values.reduce((total, value) => total + value, 0);

/* log p(d): the length, then rule by rule its cardinality and the rule among those unused. */
function logPrior(prior, antecedents, items) {
  let total = items.length * prior.logExpectedLength - logGamma(items.length + 1) - prior.logNormaliser;
  const left = prior.cardinalities.map(({ n, weight }) => ({ n, weight }));
  for (const item of items) {
    const { cardinality, weight } = antecedents[item];
    const ofClass = prior.cardinalities.findIndex((entry) => entry.cardinality === cardinality);
    const available = prior.cardinalities.filter((_, i) => left[i].n > 0).map((entry) => entry.logMass);
    const largest = Math.max(...available);
    const logAll = largest + Math.log(sum(available.map((logMass) => Math.exp(logMass - largest))));
    total += prior.cardinalities[ofClass].logMass - logAll + Math.log(weight / left[ofClass].weight);
    left[ofClass].n -= 1;
    left[ofClass].weight -= weight;
  }
  return total;
}

/* log p(y | d), the consequents integrated out. */
function logLikelihood(counts, pseudocounts, unit) {
  const all = sum(pseudocounts);
  const constant = logGamma(all) - sum(pseudocounts.map(logGamma));
  return sum(counts.map((line) => {
    const each = line.map((n, label) => logGamma(n * unit + pseudocounts[label]));
    return constant + sum(each) - logGamma(sum(line) * unit + all);
  }));
}

function logPosterior(model, items, counts) {
  return logPrior(model.prior, model.antecedents, items) + logLikelihood(counts, model.pseudocounts, model.unit);
}

/* A label's probability in a line: its mean and interval. */
function consequent(model, line, label) {
  const alphas = line.map((n, l) => n * model.unit + model.pseudocounts[l]);
  const a = alphas[label];
  const b = sum(alphas) - a;
  const tail = (1 - model.level) / 2;
  return { mean: a / (a + b), low: betaQuantile(tail, a, b), high: betaQuantile(1 - tail, a, b) };
}

/* AUC on the cases counted, ties counted half; the mean over labels where there are many. */
function areaUnderCurve(model, counts) {
  const labels = model.pseudocounts.length === 2 ? [1] : model.pseudocounts.map((_, label) => label);
  const areas = labels.map((label) => {
    const lines = counts.map((line) => {
      const alphas = line.map((n, l) => n * model.unit + model.pseudocounts[l]);
      return { risk: alphas[label] / sum(alphas), yes: line[label], no: sum(line) - line[label] };
    });
    const better = sum(lines.map((one) => one.yes * sum(lines.map((other) => {
      return other.no * (one.risk > other.risk ? 1 : one.risk === other.risk ? 0.5 : 0);
    }))));
    return better / (sum(lines.map(({ yes }) => yes)) * sum(lines.map(({ no }) => no)));
  });
  const mean = sum(areas) / areas.length;
  return Number.isFinite(mean) ? mean : null;
}
