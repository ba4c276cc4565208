// The perceptron with a polynomial kernel: w is a sum of examples, and only products of points are needed.

import { runEpochs } from "./epochs.js";
import { decide, marginOf, rivalOf } from "./linear.js";

export function kernelOf({ parameters, bias }) {
  const [degree, offset] = [parameters.degree ?? 2, bias ? 1 : 0]; // the 1 is the constant feature
  const product = (a, b) => {
    const base = offset + a.reduce((sum, value, j) => sum + value * b[j], 0);
    let power = base;
    for (let i = 1; i < degree; i += 1) power *= base;
    return power;
  };
  return { degree, offset, product };
}

class KernelRun {
  constructor(task, examples) {
    Object.assign(this, { ...examples, movesAlways: false, mistakes: 0, t: 0, log: { t: [], row: [], rival: [], tau: [] } });
    this.product = kernelOf(task).product;
    this.moves = (margin) => (task.strict ? margin < 0 : margin <= 0);
    this.scores = this.rows.map(() => new Float64Array(this.vectors)); // of every point, those held out too, kept up to date
  }

  passOver(rowNumbers) {
    for (const i of rowNumbers) {
      if (this.moves(marginOf(this.scores[i], this.codes[i]))) this.mistake(i);
      this.t += 1;
    }
  }

  mistake(i) {
    this.mistakes += 1;
    const point = this.rows[i];
    if (this.product(point, point) === 0) return; // there is nothing to add
    const rival = this.vectors === 1 ? -1 : rivalOf(this.scores[i], this.codes[i]);
    const moves = movesOf(this.codes[i], rival);
    this.rows.forEach((other, j) => {
      const product = this.product(other, point);
      for (const [vector, sign] of moves) this.scores[j][vector] += sign * product;
    });
    [this.t, i, rival, 1].forEach((value, k) => this.log[["t", "row", "rival", "tau"][k]].push(value));
  }

  counts() {
    return { mistakes: this.mistakes, updates: this.log.t.length };
  }

  noRowWouldMove() {
    const mendable = (i) => this.product(this.rows[i], this.rows[i]) !== 0;
    return this.pool.every((i) => !this.moves(marginOf(this.scores[i], this.codes[i])) || !mendable(i));
  }

  heldOutErrors() {
    const share = this.heldOut.filter((i) => decide([...this.scores[i]]) !== this.codes[i]).length / this.heldOut.length;
    return [share, share];
  }
}

// What an update does: [vector, sign], for two classes the one vector there is.
export const movesOf = (code, rival) => (rival < 0 ? [[0, 2 * code - 1]] : [[code, 1], [rival, -1]]);

export function learnKernel(task, examples) {
  const run = new KernelRun(task, examples);
  const outcome = runEpochs(run, task, examples.pool);
  const dual = examples.rows.map(() => new Array(examples.vectors).fill(0));
  run.log.row.forEach((i, k) => movesOf(examples.codes[i], run.log.rival[k]).forEach(([vector, sign]) => { dual[i][vector] += sign; }));
  const { degree, offset } = kernelOf(task);
  return { ...outcome, t: run.t, log: run.log, dual, kernel: { degree, offset } };
}
