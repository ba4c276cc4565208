// The verbs on rows that engine/core.py asks for, for rows of two numbers: what vector.py does with numpy.
//
// The engine adds products in sixteen lanes; of two products, that is their plain sum.

export function bind(loop, rows, weights) {
  loop.rows = rows.values;
  loop.w = weights.w;
  loop.u = weights.u;
  loop.sigma = weights.sigma;
}

export function refuse_misfit() {
  // The last look at shapes: here all arrays are made in one place, linear.js.
}

const row = (loop, i) => loop.rows[i];
const rowInOrder = (loop, k) => (loop.has_order ? loop.order[k] : k);

function scoreBy(loop, k, vector) {
  const [x1, x2] = row(loop, rowInOrder(loop, k));
  return loop.scale * (loop.w[2 * vector] * x1 + loop.w[2 * vector + 1] * x2) + loop.bias[vector];
}

// The first place from `start` on whose example moves the one vector there is, or has no finite score: `scores[0]`.
export function seek(loop, start) {
  for (let k = start; k < loop.stop; k += 1) {
    const score = scoreBy(loop, k, 0);
    loop.scores[0] = score;
    const margin = (2 * loop.y[rowInOrder(loop, k)] - 1) * score;
    if (loop.rule.moves(margin) || !Number.isFinite(margin)) return k;
  }
  return loop.stop;
}

export function score_tile(loop, k, count) {
  for (let vector = 0; vector < loop.vectors; vector += 1) rescore(loop, k, count, 0, vector);
}

export function rescore(loop, k, count, place, vector) {
  for (let r = 0; r < count; r += 1) loop.scores[place + r * loop.vectors + vector] = scoreBy(loop, k + r, vector);
}

export function score_block(loop, k, count) {
  for (let r = k; r < k + count; r += 1) {
    for (let vector = 0; vector < loop.vectors; vector += 1) loop.out[r * loop.vectors + vector] = scoreBy(loop, r, vector);
  }
}

// w += step x and u += late x.
export function add(loop, i, k, step, late) {
  const x = row(loop, i);
  for (let j = 0; j < 2; j += 1) {
    loop.w[2 * k + j] += step * x[j];
    loop.u[2 * k + j] += late * x[j];
  }
}

// w += step v and u += late v, where v = sigma x; then 1 / sigma += gain x².
export function add_along(loop, i, k, step, late, gain) {
  const x = row(loop, i);
  for (let j = 0; j < 2; j += 1) {
    const v = loop.sigma[2 * k + j] * x[j];
    loop.w[2 * k + j] += step * v;
    loop.u[2 * k + j] += late * v;
    loop.sigma[2 * k + j] /= 1 + gain * (v * x[j]);
  }
}

export function norm2(loop, i) {
  const [x1, x2] = row(loop, i);
  return x1 * x1 + x2 * x2;
}

export function variance(loop, i, k, squared) {
  const x = row(loop, i);
  const v = [loop.sigma[2 * k] * x[0], loop.sigma[2 * k + 1] * x[1]];
  return squared ? v[0] * v[0] + v[1] * v[1] : v[0] * x[0] + v[1] * x[1];
}

export const is_zero = (loop, i) => row(loop, i).every((value) => value === 0);

// A random word of 64 bits to 0 … below-1: the high half of their product (Lemire).
export const scaled_down = (word, below) => Number((word * BigInt(below)) >> 64n);
export const words_of = (bits) => bits;
export const next_word = (bits) => bits.next();
