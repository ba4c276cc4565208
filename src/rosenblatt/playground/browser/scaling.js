// Columns centred and divided by their spread, to the bit as the library does it: features/table/numbers.py.

// Σ in the order in which numpy adds: eight sums abreast, and longer columns by halves.
function sum(values, from = 0, to = values.length) {
  const n = to - from;
  if (n < 8) {
    let total = 0;
    for (let i = from; i < to; i += 1) total += values[i];
    return total;
  }
  if (n > 128) {
    const half = Math.floor(n / 2) - (Math.floor(n / 2) % 8);
    return sum(values, from, from + half) + sum(values, from + half, to);
  }
  const lanes = values.slice(from, from + 8);
  let i = 8;
  for (; i < n - (n % 8); i += 8) for (let j = 0; j < 8; j += 1) lanes[j] += values[from + i + j];
  let total = ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
  for (; i < n; i += 1) total += values[from + i];
  return total;
}

export function meanAndSd(values) {
  const n = values.length;
  if (values.every((value) => value === values[0])) return [values[0], 0];
  const first = sum(values) / n;
  const shift = sum(values.map((value) => value - first)) / n;
  const variance = sum(values.map((value) => { const d = value - first - shift; return d * d; })) / n;
  return [first + shift, Math.sqrt(variance)];
}

// Places in the plane as single-precision numbers, and the means and spreads of both columns.
export function scaled(x) {
  const measured = [0, 1].map((axis) => meanAndSd(x.map((point) => point[axis])));
  const plane = x.map((point) => point.map((value, axis) => Math.fround((value - measured[axis][0]) / (measured[axis][1] || 1))));
  return { plane, mean: measured.map(([mean]) => mean), sd: measured.map(([, sd]) => sd) };
}
