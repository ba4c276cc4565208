// Linear learners: the engine's loop, as engine.js has it from core.py, over the rows of the page.

import { FINE, Loop, RULES } from "./engine.js";
import { runEpochs } from "./epochs.js";
import { LEARNERS } from "./learners.js";

const LARGEST_WEIGHT = 1e290; // of which sums over many examples would not be finite: engine/weights.py

// The loop's rule of a learner with parameters by their public names.
export function ruleOf(learner, parameters) {
  const fields = Object.entries(LEARNERS[learner].parameters).map(([field, { name }]) => [field, parameters[name]]);
  return RULES[LEARNERS[learner].rule](Object.fromEntries(fields.filter(([, value]) => value !== undefined)));
}

class LinearRun {
  constructor(task, x, y) {
    this.movesAlways = LEARNERS[task.learner].movesAlways;
    this.rule = ruleOf(task.learner, task.parameters);
    this.n = y.length;
    this.weights = {
      vectors: 1, fit_intercept: task.bias, w: Float64Array.from(task.start.slice(0, 2)), u: new Float64Array(2), sigma: new Float64Array(2).fill(1),
      bias: Float64Array.of(task.start[2]), bias_u: new Float64Array(1), bias_sigma: Float64Array.of(1), scores: new Float64Array(4),
      scale: 1, weight: 0, settled: 0, t: 0, updates: 0, largest: 0,
    };
    this.log = { t: [], row: [], rival: [], tau: [] };
    this.codes = y.map((label) => (label > 0 ? 1 : 0));
    const buffers = ["t", "row", "rival", "tau"].map(() => new Float64Array(this.n));
    this.rows = { n: this.n, dense: true, values: x };
    this.loop = new Loop(this.rows, this.weights, this.rule, [this.codes, null, null], buffers);
    this.buffers = buffers;
  }

  passOver(rowNumbers) {
    this.loop.run(rowNumbers, 0, this.n);
    ["t", "row", "rival", "tau"].forEach((name, i) => {
      for (let k = 0; k < this.loop.logged; k += 1) this.log[name].push(this.buffers[i][k]);
    });
  }

  counts() {
    return { mistakes: this.loop.mistakes, updates: this.loop.updates };
  }

  overflowed() {
    const { w, bias } = this.weights;
    return this.loop.fault !== FINE || ![...w, ...bias].every((value) => Math.abs(value) < LARGEST_WEIGHT);
  }

  noRowWouldMove() {
    const { w, bias, fit_intercept: hasBias } = this.weights;
    return this.rows.values.every(([x1, x2], i) => {
      const margin = (2 * this.codes[i] - 1) * (w[0] * x1 + w[1] * x2 + bias[0]);
      // Without a bias a row of zeros stays a mistake that nothing can mend.
      return !this.rule.moves(margin) || (!hasBias && x1 === 0 && x2 === 0);
    });
  }
}

// A run of a task on rows x with labels y: what happened, the log, and the weights.
export function learn(task, x, y) {
  const run = new LinearRun(task, x, y);
  const outcome = runEpochs(run, task, y.length);
  if (outcome.overflowed) return beforeOverflow(task, x, y, outcome);
  const { w, u, bias, bias_u: biasSum } = run.weights;
  const last = [...w, ...bias];
  const t = run.loop.t;
  const sums = [...u, ...biasSum];
  return { ...outcome, t, log: run.log, last, averaged: t === 0 ? last : last.map((value, j) => (t * value - sums[j]) / t) };
}

// The weights before the epoch in which they overflowed, by learning the others again.
function beforeOverflow(task, x, y, { overflowed, stopped }) {
  const note = `The weights overflowed in epoch ${overflowed}: choose a smaller eta0, or scale the features first. The weights before that epoch are kept.`;
  if (overflowed === 1) {
    const none = { t: [], row: [], rival: [], tau: [] };
    return { epochs: [], order: [], converged: false, stopped, notes: [note], t: 0, log: none, last: task.start, averaged: task.start };
  }
  return { ...learn({ ...task, epochs: overflowed - 1 }, x, y), converged: false, stopped, notes: [note] };
}
