// Does a line separate the points? The point of their signed hull nearest to the origin answers: it is the best separator, or 0.
//
// A row x with label y stands for z = y (x, 1), without a bias for y x. With more than two classes it stands for one z against
// every rival: (x, 1) in the place of its own class, −(x, 1) in the rival's, 0 elsewhere (Kesler's construction). If the hull of
// the z keeps away from 0, its nearest point p separates: w* = p / |p|, with margin γ* = |p|. If 0 is in the hull, a few of the
// z prove that no line can: four in the plane. Both verdicts are checked: margins against their rounding, the sum of the few
// in whole numbers. (Wolfe, 1976.)

const ROUNDING = 1e-14; // more than rounding can take from a margin, relative to |w| |x|
const LEAST_WEIGHT = 1e-13; // in a sum that adds up to 1
const STEPS = 1000;

// Of examples { rows, codes, vectors, pool }; rows are told by their numbers, and radius is the longest (x, 1).
export function certify({ rows: all, codes, vectors, pool }, bias) {
  const own = [...pool].flatMap((i) => signedRows(bias ? [...all[i], 1] : all[i], codes[i], vectors).map((z) => [i, z]));
  const signed = own.map(([, z]) => z);
  const longest = signed.reduce((most, z) => Math.max(most, Math.sqrt(dot(z, z))), 0);
  const radius = vectors === 1 ? longest : longest / Math.SQRT2; // z has two copies of x
  const { nearest, rows } = nearestToOrigin(signed.map((z) => z.map((value) => value / longest)));
  const length = Math.sqrt(dot(nearest, nearest));
  const unit = nearest.map((value) => value / length);
  const margin = signed.reduce((least, z) => Math.min(least, dot(unit, z)), Infinity);
  if (length > 0 && margin > ROUNDING * longest) {
    const best = length * longest - margin <= 1e-6 * margin; // no margin is larger than |p|
    return { separable: true, radius, margin, best, w: vectorsOf(unit, vectors, bias), rows: [] };
  }
  const few = cancelling(signed, rows);
  const proof = identical(all, codes, pool) ?? (few && [...new Set(few.map((k) => own[k][0]))].sort((a, b) => a - b));
  if (proof) return { separable: false, radius, margin: null, w: null, rows: proof };
  return { separable: null, radius, margin: null, w: null, rows: [] };
}

// The z of a row: one, or one against every rival.
function signedRows(x, code, vectors) {
  if (vectors === 1) return [x.map((value) => (2 * code - 1) * value)];
  const zeros = x.map(() => 0);
  const rivals = [...Array(vectors).keys()].filter((rival) => rival !== code);
  return rivals.map((rival) => [...Array(vectors).keys()].flatMap((k) => (k === code ? x : k === rival ? x.map((value) => -value) : zeros)));
}

// One long vector as weights with their biases behind them: of two classes one list, of more one a class.
function vectorsOf(unit, vectors, bias) {
  const size = unit.length / vectors;
  const lists = Array.from({ length: vectors }, (_, k) => [...unit.slice(k * size, (k + 1) * size), ...bias ? [] : [0]]);
  return vectors === 1 ? lists[0] : lists;
}

// Two points at one place, of different classes: nothing proves it more plainly.
function identical(rows, codes, pool) {
  const places = new Map();
  for (const i of pool) {
    const place = rows[i].map((value) => value + 0).join(" ");
    const before = places.get(place) ?? i;
    if (codes[before] !== codes[i]) return [before, i];
    places.set(place, before);
  }
  return null;
}

const dot = (a, b) => a.reduce((sum, value, j) => sum + value * b[j], 0);

// Wolfe's way: a few points ("corral") whose own nearest point is inside them; a point beyond the plane through it joins, and
// those that get no weight leave.
function nearestToOrigin(points) {
  const least = (direction) => points.reduce((best, z, i) => (dot(direction, z) < dot(direction, points[best]) ? i : best), 0);
  let rows = [points.reduce((best, z, i) => (dot(z, z) < dot(points[best], points[best]) ? i : best), 0)];
  let weights = [1];
  let nearest = points[rows[0]];
  for (let step = 0; step < STEPS; step += 1) {
    const next = least(nearest);
    const length2 = dot(nearest, nearest);
    const done = dot(nearest, points[next]) > length2 - (1e-12 * length2 + 1e-17);
    if (done || rows.includes(next)) break;
    const settled = { nearest, rows }; // where rounding leads no further
    [rows, weights] = [[...rows, next], [...weights, 0]];
    for (;;) {
      const wanted = rows.length ? nearestInSpan(rows.map((i) => points[i])) : null;
      if (!wanted) return settled;
      if (wanted.every((weight) => weight > LEAST_WEIGHT)) { weights = wanted; break; }
      const share = Math.min(...weights.map((w, k) => (wanted[k] <= LEAST_WEIGHT ? w / (w - wanted[k]) : Infinity)));
      weights = weights.map((w, k) => (1 - share) * w + share * wanted[k]);
      const stay = weights.map((w) => w > LEAST_WEIGHT);
      if (stay.every(Boolean)) stay[weights.indexOf(Math.min(...weights))] = false;
      [rows, weights] = [rows.filter((_, k) => stay[k]), weights.filter((_, k) => stay[k])];
    }
    nearest = points[0].map((_, j) => rows.reduce((sum, i, k) => sum + weights[k] * points[i][j], 0));
  }
  return { nearest, rows };
}

// Weights that add up to 1, of the point nearest to 0 in the plane through these points; null where they are dependent.
function nearestInSpan(points) {
  const m = points.length;
  const equations = points.map((p) => [...points.map((q) => dot(p, q)), 1, 0]);
  return solve([...equations, [...points.map(() => 1), 0, 1]])?.slice(0, m) ?? null;
}

// Gauss, with the largest pivot of each column; the last column is the right side.
function solve(rows) {
  const n = rows.length;
  for (let c = 0; c < n; c += 1) {
    const best = rows.slice(c).reduce((most, row, i) => (Math.abs(row[c]) > Math.abs(rows[most][c]) ? c + i : most), c);
    if (Math.abs(rows[best][c]) < 1e-13) return null;
    [rows[c], rows[best]] = [rows[best], rows[c]];
    for (let r = 0; r < n; r += 1) {
      if (r === c) continue;
      const times = rows[r][c] / rows[c][c];
      for (let j = c; j <= n; j += 1) rows[r][j] -= times * rows[c][j];
    }
  }
  return rows.map((row, i) => row[n] / row[i]);
}

// Those of the rows whose points, with weights above 0, add up to exactly 0, in whole numbers; null if that is not so.
function cancelling(points, rows) {
  const whole = rows.map((i) => points[i].map(wholeNumber));
  const least = Math.min(...whole.flat().map(([, exponent]) => exponent));
  const matrix = whole[0].map((_, j) => whole.map((z) => z[j][0] << BigInt(z[j][1] - least)));
  const weights = kernelVector(matrix);
  if (!weights) return null;
  const sign = weights.some((value) => value < 0n) ? -1n : 1n;
  if (weights.some((value) => value * sign < 0n)) return null;
  return rows.filter((_, k) => weights[k] !== 0n);
}

// A double as a whole number times a power of two.
function wholeNumber(value) {
  let exponent = 0;
  let scaled = value;
  while (scaled !== Math.trunc(scaled)) [scaled, exponent] = [scaled * 2, exponent - 1];
  return [BigInt(scaled), exponent];
}

// Whole numbers, not all 0, with matrix · v = 0, where all such are multiples of one; else null. Elimination without fractions
// (Bareiss, 1968): every division is exact, and numbers grow by a few digits a column, not twofold.
function kernelVector(matrix) {
  const columns = matrix[0].length;
  let rows = matrix;
  const pivots = [];
  let last = 1n;
  for (let c = 0; c < columns; c += 1) {
    const place = pivots.length;
    const at = rows.findIndex((row, r) => r >= place && row[c] !== 0n);
    if (at < 0) continue;
    const order = [...rows];
    [order[place], order[at]] = [order[at], order[place]];
    const [chosen, divisor] = [order[place], last];
    rows = order.map((row, r) => (r === place ? row : row.map((value, j) => (value * chosen[c] - row[c] * chosen[j]) / divisor)));
    last = chosen[c];
    pivots.push(c);
  }
  if (pivots.length !== columns - 1) return null;
  const free = [...Array(columns).keys()].find((c) => !pivots.includes(c));
  const vector = new Array(columns).fill(0n);
  vector[free] = last; // which by now stands in every pivot's place
  pivots.forEach((c, r) => { vector[c] = -rows[r][free]; });
  return vector;
}
