// Linear learners: the engine's loop, as engine.js has it from core.py, over the rows of the page.

import { FINE, Loop, RULES } from "./engine.js";
import { runEpochs } from "./epochs.js";
import { LEARNERS } from "./learners.js";
import { dot } from "./rows.js";

const LARGEST_WEIGHT = 1e290; // of which sums over many examples would not be finite: engine/weights.py

// The loop's rule of a learner with parameters by their public names.
export function ruleOf(learner, parameters) {
  const fields = Object.entries(LEARNERS[learner].parameters).map(([field, { name }]) => [field, parameters[name]]);
  return RULES[LEARNERS[learner].rule](Object.fromEntries(fields.filter(([, value]) => value !== undefined)));
}

// Which class has the highest score, the first of equals; of two, which are one score, 0 or 1.
export function decide(scores) {
  if (scores.length === 1) return scores[0] >= 0 ? 1 : 0;
  return scores.reduce((best, score, c) => (score > scores[best] ? c : best), 0);
}

// The highest-scoring other class, the lowest index on a tie.
export function rivalOf(scores, right) {
  let best = right === 0 ? 1 : 0;
  for (let c = best + 1; c < scores.length; c += 1) if (c !== right && scores[c] > scores[best]) best = c;
  return best;
}

// y a; with more than two classes the right class's score less the rival's.
export function marginOf(scores, code) {
  return scores.length === 1 ? (2 * code - 1) * scores[0] : scores[code] - scores[rivalOf(scores, code)];
}

// The loop over examples { rows, codes, vectors, pool, heldOut }: a run while it goes.
export class LinearRun {
  constructor({ learner, parameters, bias, start, strict = false }, examples) {
    const { rows, codes, vectors, pool } = examples;
    const d = rows[0].length;
    const zeros = () => new Float64Array(vectors * d);
    this.examples = examples;
    this.movesAlways = LEARNERS[learner].movesAlways;
    this.rule = ruleOf(learner, parameters);
    if (strict) this.rule.moves = (margin) => margin < this.rule.threshold; // < for ≤: the library never does that
    this.weights = {
      vectors, fit_intercept: bias, w: zeros(), u: zeros(), sigma: zeros().fill(1),
      bias: new Float64Array(vectors), bias_u: new Float64Array(vectors), bias_sigma: new Float64Array(vectors).fill(1),
      scores: new Float64Array(4 * vectors), scale: 1, weight: 0, settled: 0, t: 0, updates: 0, largest: 0,
    };
    if (vectors === 1) {
      this.weights.w.set(start.slice(0, 2));
      this.weights.bias[0] = start[2];
    }
    this.log = { t: [], row: [], rival: [], tau: [] };
    this.buffers = ["t", "row", "rival", "tau"].map(() => new Float64Array(pool.length));
    const all = { n: rows.length, d, dense: true, values: rows };
    this.loop = new Loop(all, this.weights, this.rule, [codes, null, null], this.buffers);
  }

  passOver(rowNumbers) {
    const before = this.loop.t;
    this.loop.run(rowNumbers, 0, rowNumbers.length);
    if (this.movesAlways && this.examples.vectors > 1) { // every class moves: which example it was is all that is logged
      rowNumbers.forEach((row, k) => this.record([before + k, row, -1, 0]));
    } else for (let k = 0; k < this.loop.logged; k += 1) this.record(this.buffers.map((buffer) => buffer[k]));
  }

  record(entry) {
    ["t", "row", "rival", "tau"].forEach((name, i) => this.log[name].push(entry[i]));
  }

  counts() {
    return { mistakes: this.loop.mistakes, updates: this.loop.updates };
  }

  overflowed() {
    const { w, bias } = this.weights;
    return this.loop.fault !== FINE || ![...w, ...bias].every((value) => Math.abs(value) < LARGEST_WEIGHT);
  }

  noRowWouldMove() {
    const { rows, codes, pool } = this.examples;
    const weights = this.last();
    return pool.every((i) => {
      // Without a bias a row of zeros stays a mistake that nothing can mend.
      const mendable = this.weights.fit_intercept || rows[i].some((value) => value !== 0);
      return !mendable || !this.rule.moves(marginOf(scoresOf(weights, rows[i]), codes[i]));
    });
  }

  // For every vector its weights, and its bias behind them.
  last() {
    return vectorsOf(this.weights.w, this.weights.bias);
  }

  // Their means over all examples so far.
  averaged() {
    const { t } = this.loop;
    const sums = vectorsOf(this.weights.u, this.weights.bias_u);
    return t === 0 ? this.last() : this.last().map((vector, k) => vector.map((value, j) => (t * value - sums[k][j]) / t));
  }

  // The share of held-out rows that the last and the averaged weights have wrong.
  heldOutErrors() {
    const { rows, codes, heldOut } = this.examples;
    return [this.last(), this.averaged()].map((weights) => (
      heldOut.filter((i) => decide(scoresOf(weights, rows[i])) !== codes[i]).length / heldOut.length
    ));
  }
}

export const scoresOf = (weights, x) => weights.map((vector) => dot(x, vector) + vector.at(-1));

function vectorsOf(w, bias) {
  const d = w.length / bias.length;
  return Array.from(bias, (b, k) => [...w.slice(k * d, (k + 1) * d), b]);
}

// A run of a task on examples: what happened, the log, and the weights.
export function learn(task, examples) {
  const run = new LinearRun(task, examples);
  const first = run.last();
  const outcome = runEpochs(run, task, examples.pool);
  if (outcome.overflowed) return beforeOverflow(task, examples, outcome, first);
  return { ...outcome, t: run.loop.t, log: run.log, last: run.last(), averaged: run.averaged() };
}

// The weights before the epoch in which they overflowed, by learning the others again.
function beforeOverflow(task, examples, { overflowed, stopped }, first) {
  const note = `The weights overflowed in epoch ${overflowed}: choose a smaller eta0, or scale the features first. The weights before that epoch are kept.`;
  if (overflowed === 1) {
    const none = { t: [], row: [], rival: [], tau: [] };
    return { epochs: [], order: [], errors: [], converged: false, stopped, notes: [note], t: 0, log: none, last: first, averaged: first };
  }
  return { ...learn({ ...task, epochs: overflowed - 1 }, examples), converged: false, stopped, notes: [note] };
}
