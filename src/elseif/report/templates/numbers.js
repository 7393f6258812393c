/* The twin of showing/numbers.py: probabilities, counts and heads of lines as text. */

/* As Python writes it: a value just between two goes to the even one. */
function fixed(value, decimals) {
  const halves = value * 2 ** (decimals + 1);
  if (!Number.isInteger(halves) || halves % 2 === 0) return value.toFixed(decimals);
  const scaled = value * 10 ** decimals;
  const below = Math.floor(scaled);
  return ((below % 2 === 0 ? below : below + 1) / 10 ** decimals).toFixed(decimals);
}

const FINE = 0.0095;

function percentText(share, decimals = 0) {
  if ((0 < share && share < FINE) || (1 - FINE < share && share < 1)) {
    const least = Math.max(1, decimals);
    const text = fixed(100 * share, least);
    if (Number(text) === 0) return `<${(10 ** -least).toFixed(least)}%`;
    if (Number(text) === 100) return `>${(100 - 10 ** -least).toFixed(least)}%`;
    return `${text}%`;
  }
  return `${fixed(100 * share, decimals)}%`;
}

function decimalsFor(narrowest) {
  if (!(narrowest < 0.02)) return 0;
  return Math.min(3, Math.ceil(Math.log10(0.02 / Math.max(narrowest, 1e-9))));
}

function countText(n) {
  const digits = Number.isInteger(n) ? 0 : 2;
  const [whole, rest] = fixed(n, digits).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return rest === undefined ? grouped : `${grouped}.${rest}`;
}

/* The twins of showing/probability_axis.py: where an axis of probabilities ends, and a tick of it. */
const SCALES = [0.01, 0.02, 0.05, 0.06, 0.08, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 1];
const probabilityEnd = (highest) => SCALES.find((end) => end >= highest - 1e-9) ?? 1;
const percentTick = (share) => `${Number((100 * share).toFixed(9))}%`;

const lineHead = (line, length) =>
  length === 0 ? "always" : line === length ? "else" : line === 0 ? "if" : "else if";
