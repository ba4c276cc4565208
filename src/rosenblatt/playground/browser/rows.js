// The verbs on rows that engine/core.py asks for, for rows of a few numbers: what vector.py does with numpy.

export function bind(loop, rows, weights) {
  loop.rows = rows.values;
  loop.d = rows.d;
  loop.w = weights.w;
  loop.u = weights.u;
  loop.sigma = weights.sigma;
}

export function refuse_misfit() {
  // The last look at shapes: here all arrays are made in one place, linear.js.
}

const row = (loop, i) => loop.rows[i];
const rowInOrder = (loop, k) => (loop.has_order ? loop.order[k] : k);

// The sum of at most five products as the engine adds them: in sixteen lanes, which are then added by halves (kernel.h).
export function sumOfLanes(p) {
  return ((p[0] + (p[4] ?? 0)) + (p[2] ?? 0)) + (p[1] + (p[3] ?? 0));
}

// w·x, where w are numbers from a place on.
export function dot(x, w, from = 0) {
  return sumOfLanes(x.map((value, j) => w[from + j] * value));
}

const scoreBy = (loop, k, vector) => (
  loop.scale * dot(row(loop, rowInOrder(loop, k)), loop.w, loop.d * vector) + loop.bias[vector]
);

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
  row(loop, i).forEach((value, j) => {
    loop.w[loop.d * k + j] += step * value;
    loop.u[loop.d * k + j] += late * value;
  });
}

// w += step v and u += late v, where v = sigma x; then 1 / sigma += gain x².
export function add_along(loop, i, k, step, late, gain) {
  row(loop, i).forEach((value, j) => {
    const v = loop.sigma[loop.d * k + j] * value;
    loop.w[loop.d * k + j] += step * v;
    loop.u[loop.d * k + j] += late * v;
    loop.sigma[loop.d * k + j] /= 1 + gain * (v * value);
  });
}

export function norm2(loop, i) {
  return sumOfLanes(row(loop, i).map((value) => value * value));
}

export function variance(loop, i, k, squared) {
  return sumOfLanes(row(loop, i).map((value, j) => {
    const v = loop.sigma[loop.d * k + j] * value;
    return squared ? v * v : v * value;
  }));
}

export const is_zero = (loop, i) => row(loop, i).every((value) => value === 0);

// A random word of 64 bits to 0 … below-1: the high half of their product (Lemire).
export const scaled_down = (word, below) => Number((word * BigInt(below)) >> 64n);
export const words_of = (bits) => bits;
export const next_word = (bits) => bits.next();

// Fisher-Yates from the last place downwards, one random word a place.
export function permute(order, bits) {
  for (let place = order.length - 1; place >= 0; place -= 1) {
    const j = scaled_down(next_word(bits), place + 1);
    [order[place], order[j]] = [order[j], order[place]];
  }
}
