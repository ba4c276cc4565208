// The log of a run, replayed: weights after any number of examples, forwards and back.
//
// Every update adds tau y x, in the order of the log and with the same double-precision operations as the engine, so the
// weights are its weights bit for bit. `u` sums t times each change: the average after T examples is (T w − u) / T. AROW
// adds tau y Σx, and its Σ, of which the diagonal is kept, shrinks. With more than two classes an update adds to the right
// class's vector and takes from the rival's. Where a rule moves every class, the engine itself goes over the examples again.

import { withProducts } from "./basis.js";
import { movesOf } from "./kernel.js";
import { LEARNERS } from "./learners.js";
import { LinearRun, decide, marginOf, rivalOf, scoresOf } from "./linear.js";

const EVERY = 256; // updates between checkpoints
const ROUNDING = 1e-12; // by which exp, and so softmax, may differ between machines

export class Replay {
  constructor(trace) {
    this.trace = trace;
    this.x = trace.scaled ?? trace.points; // places in the plane
    this.vectors = trace.vectors ?? 1;
    this.features = trace.features ?? [];
    this.rows = this.features.length ? this.x.map((point) => withProducts(point, this.features)) : this.x;
    this.columns = 2 + this.features.length;
    this.y = trace.y; // of two classes 1 and -1, of more their numbers
    this.codes = this.vectors === 1 ? trace.y.map((label) => (label > 0 ? 1 : 0)) : trace.y;
    this.heldOut = new Set(trace.heldOut ?? []);
    this.pool = [...trace.y.keys()].filter((i) => !this.heldOut.has(i)); // rows that are learned from
    this.n = this.pool.length;
    this.T = trace.examples;
    this.K = trace.log.row.length;
    this.row = trace.log.row;
    this.rival = trace.log.rival ?? null;
    this.tau = Array.isArray(trace.log.tau) ? trace.log.tau : new Array(this.K).fill(trace.log.tau);
    this.kernel = Boolean(trace.kernel);
    this.linear = !this.kernel && this.vectors === 1 && this.columns === 2; // is its border one line?
    let t = 0;
    this.t = trace.log.t.map((difference) => (t += difference)); // examples seen before each update
    let end = 0;
    this.epochEnds = trace.epochs.map(([examples]) => (end += examples));
    this.gain = trace.r ? 1 / trace.r : 0;
    this.width = this.vectors * (this.columns + 1);
    this.checkpoints = [this.beginning()];
    this.memo = { k: 0, sums: this.checkpoints[0] };
    if (this.vectors > 1 && !this.kernel && LEARNERS[trace.learner].movesAlways) this.path = this.runAgain();
  }

  // All vectors one after the other, each with its bias behind it; then their sums u; then their variances Σ.
  beginning() {
    const sums = new Array(3 * this.width).fill(0).fill(1, 2 * this.width);
    if (this.vectors === 1) [sums[0], sums[1], sums[this.columns]] = this.trace.start;
    return sums;
  }

  // Weights, sums and variances after k updates.
  sums(k) {
    if (this.path) return this.path[k];
    const base = Math.min(Math.floor(k / EVERY), this.checkpoints.length - 1);
    let from = base * EVERY;
    let s = [...this.checkpoints[base]];
    if (this.memo.k <= k && this.memo.k > from) [from, s] = [this.memo.k, [...this.memo.sums]];
    for (let i = from; i < k; i += 1) {
      if (i === this.checkpoints.length * EVERY) this.checkpoints.push([...s]);
      for (const [vector, sign] of this.movesOf(i)) this.move(s, i, vector, this.tau[i] * sign);
    }
    this.memo = { k, sums: [...s] };
    return s;
  }

  // Update i moves a vector by step x: what Loop.move of the engine does.
  move(s, i, vector, step) {
    const x = this.rows[this.row[i]];
    const late = this.t[i] * step;
    const [w, u, sigma] = [0, 1, 2].map((part) => part * this.width + vector * (this.columns + 1));
    for (let j = 0; j < this.columns; j += 1) {
      const v = s[sigma + j] * x[j]; // Σ stays 1 where the rule has none
      s[w + j] += step * v;
      s[u + j] += late * v;
      if (this.gain) s[sigma + j] /= 1 + this.gain * (v * x[j]);
    }
    const b = this.columns;
    const constant = this.trace.bias ? s[sigma + b] : 0;
    s[w + b] += step * constant;
    s[u + b] += this.t[i] * (step * constant);
    if (this.gain) s[sigma + b] /= 1 + this.gain * constant;
  }

  // The same for a rule that moves every class: after each example.
  runAgain() {
    const { learner, parameters, bias, start } = this.trace;
    const run = new LinearRun({ learner, parameters, bias, start }, { rows: this.rows, codes: this.codes, vectors: this.vectors, pool: this.pool });
    const order = Int32Array.from(this.row);
    const path = [this.checkpoints[0]];
    for (let k = 0; k < this.K; k += 1) {
      run.loop.run(order, k, k + 1);
      const { w, u, bias: b, bias_u: late } = run.weights;
      path.push([...interleaved(w, b), ...interleaved(u, late), ...path[0].slice(2 * this.width)]);
    }
    return path;
  }

  // How far w ever goes: [least w₁, most w₁, least w₂, most w₂]; averages stay within.
  reach() {
    if (this.kernel || this.columns > 2) return [0, 0, 0, 0];
    if (!this.reached) {
      this.reached = [0, 0, 0, 0];
      for (let k = 0; k <= this.K; k += 1) {
        const s = this.sums(k);
        for (let place = 0; place < this.width; place += 3) {
          const [a, b, c, d] = k || place ? this.reached : [s[0], s[0], s[1], s[1]];
          this.reached = [Math.min(a, s[place]), Math.max(b, s[place]), Math.min(c, s[place + 1]), Math.max(d, s[place + 1])];
        }
      }
    }
    return this.reached;
  }

  // Everything that is to be shown after t examples; weights are a list of vectors, of two classes one.
  at(t) {
    const k = this.updatesBefore(t);
    const s = this.sums(k);
    const averaged = t === 0 ? s : s.map((value, j) => (j < this.width ? (t * value - s[j + this.width]) / t : value));
    return { t, k, last: this.vectorsIn(s), averaged: this.vectorsIn(averaged), variances: this.vectorsIn(s, 2 * this.width) };
  }

  // The weights after k updates.
  weightsAfter(k) {
    return this.vectorsIn(this.sums(k));
  }

  vectorsIn(sums, from = 0) {
    const size = this.columns + 1;
    const vectors = Array.from({ length: this.vectors }, (_, k) => sums.slice(from + k * size, from + (k + 1) * size));
    return this.vectors === 1 ? vectors[0] : vectors;
  }

  // The scores of a row by weights as `at` gives them: one, or one a class.
  scores(weights, row) {
    return scoresOf(this.vectors === 1 ? [weights] : weights, row);
  }

  // y a, or by how much the right class leads, of row i.
  margin(weights, i) {
    return marginOf(this.scores(weights, this.rows[i]), this.codes[i]);
  }

  // How many of these rows the weights call by another class.
  wrong(weights, rows = this.pool) {
    return rows.filter((i) => decide(this.scores(weights, this.rows[i])) !== this.codes[i]).length;
  }

  rivalAt(weights, i) {
    return rivalOf(this.scores(weights, this.rows[i]), this.codes[i]);
  }

  // How often each point has been added to a vector, sign included: the dual coefficients after k updates.
  alphas(k, vector = 0) {
    const sums = new Float64Array(this.x.length);
    for (let i = 0; i < k; i += 1) {
      for (const [moved, sign] of this.movesOf(i)) if (moved === vector) sums[this.row[i]] += this.tau[i] * sign;
    }
    return sums;
  }

  // What update i does: [vector, sign].
  movesOf(i) {
    return movesOf(this.codes[this.row[i]], this.rival ? this.rival[i] : -1);
  }

  // Do the replayed weights end where the engine did, to the last bit? Of softmax, but for the rounding of exp.
  agrees() {
    const near = (a, b) => a === b || (this.path && Math.abs(a - b) <= ROUNDING * Math.max(1, Math.abs(b)));
    const alike = (a, b) => a.flat().every((value, i) => near(value, b.flat()[i]));
    if (this.kernel) {
      const alphas = Array.from({ length: this.vectors }, (_, vector) => this.alphas(this.K, vector));
      return alike([...this.x.keys()].map((i) => alphas.map((sums) => sums[i])), this.trace.dual);
    }
    const end = this.at(this.T);
    return alike(end.last, this.trace.last) && alike(end.averaged, this.trace.averaged);
  }

  // Updates made by the first t examples.
  updatesBefore(t) {
    let low = 0;
    let high = this.K;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.t[middle] < t) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // The update that example number t (from 0) made, or -1.
  updateAt(t) {
    const k = this.updatesBefore(t);
    return k < this.K && this.t[k] === t ? k : -1;
  }

  // The row of example number t (from 0), or -1 where the order was too long to send and nothing happened.
  rowAt(t) {
    if (t < 0 || t >= this.T) return -1;
    if (this.trace.order === null) return this.pool[t % this.n];
    if (t < this.trace.order.length) return this.trace.order[t];
    const k = this.updateAt(t);
    return k < 0 ? -1 : this.row[k];
  }

  after(k) {
    return k === 0 ? 0 : this.t[k - 1] + 1;
  }

  nextUpdate(t) {
    const k = this.updatesBefore(t);
    return k < this.K ? this.t[k] + 1 : this.T;
  }

  previousUpdate(t) {
    const k = this.updatesBefore(t);
    if (k === 0) return 0;
    return this.t[k - 1] + 1 < t ? this.t[k - 1] + 1 : this.after(k - 1);
  }

  next(t, unit) {
    return unit === "update" || this.rowAt(t) < 0 ? this.nextUpdate(t) : Math.min(t + 1, this.T);
  }

  previous(t, unit) {
    return unit === "update" || (t > 0 && this.rowAt(t - 1) < 0) ? this.previousUpdate(t) : Math.max(t - 1, 0);
  }

  nextEpoch(t) {
    return this.epochEnds.find((end) => end > t) ?? this.T;
  }

  // How many epochs are over after t examples.
  epochsBefore(t) {
    const next = this.epochEnds.findIndex((end) => end > t);
    return next < 0 ? this.epochEnds.length : next;
  }

  // Which epoch example number t (from 0) belongs to, from 1, and its place in it, from 1.
  epochOf(t) {
    const epoch = this.epochEnds.findIndex((end) => end > t);
    if (epoch < 0) return { epoch: this.epochEnds.length, place: this.n };
    return { epoch: epoch + 1, place: t - (epoch ? this.epochEnds[epoch - 1] : 0) + 1 };
  }
}

// Vectors one after the other, each with its bias behind it.
function interleaved(w, biases) {
  const d = w.length / biases.length;
  return [...biases].flatMap((b, k) => [...w.slice(k * d, (k + 1) * d), b]);
}

// The trace of points that nothing has learned from.
export function untrained({ points: list, minus, plus }) {
  const none = [0, 0, 0];
  const letters = [...new Set(list.map((point) => point[2]))].filter((label) => typeof label === "string").sort();
  const many = letters.length > 0;
  return {
    points: list.map(([x, y]) => [x, y]), y: list.map(({ 2: label }) => (many ? 2 * letters.indexOf(label) - 1 : label)), letters,
    scaled: null, names: ["x₁", "x₂"], classes: minus && plus ? [minus, plus] : ["−", "+"],
    log: { t: [], row: [], tau: [] }, lived: [], order: null, examples: 0, epochs: [], bias: true, notes: [],
    start: none, last: none, averaged: none,
  };
}

// w·x + b of one vector, added as the engine adds.
export const score = (weights, x) => scoresOf([weights], x)[0];
export const norm = (weights) => Math.hypot(...weights.slice(0, -1));

// The space of the theorems, in which the bias is a weight: θ = (w, b) of all classes, where there is one.
export const theta = ({ trace, vectors }, weights) => (
  (vectors === 1 ? [weights] : weights).flatMap((vector) => (trace.bias ? vector : vector.slice(0, -1)))
);
