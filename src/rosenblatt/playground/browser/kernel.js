// The perceptron with a polynomial kernel: w is a sum of examples, and only products of points are needed.

import { runEpochs } from "./epochs.js";

export function kernelOf({ parameters, bias }) {
  const [degree, offset] = [parameters.degree ?? 2, bias ? 1 : 0]; // the 1 is the constant feature
  const product = ([a1, a2], [b1, b2]) => {
    const base = offset + (a1 * b1 + a2 * b2);
    let power = base;
    for (let i = 1; i < degree; i += 1) power *= base;
    return power;
  };
  return { degree, offset, product };
}

class KernelRun {
  constructor(task, x, y) {
    Object.assign(this, { x, y, movesAlways: false, mistakes: 0, t: 0, log: { t: [], row: [], tau: [] } });
    this.product = kernelOf(task).product;
    this.scores = new Float64Array(y.length); // of every point, kept up to date
  }

  passOver(rowNumbers) {
    for (let k = 0; k < this.y.length; k += 1) {
      const i = rowNumbers ? rowNumbers[k] : k;
      if (this.y[i] * this.scores[i] <= 0) this.mistake(i);
      this.t += 1;
    }
  }

  mistake(i) {
    this.mistakes += 1;
    const point = this.x[i];
    if (this.product(point, point) === 0) return; // there is nothing to add
    for (let j = 0; j < this.y.length; j += 1) this.scores[j] += this.y[i] * this.product(this.x[j], point);
    this.log.t.push(this.t);
    this.log.row.push(i);
    this.log.tau.push(1);
  }

  counts() {
    return { mistakes: this.mistakes, updates: this.log.t.length };
  }

  noRowWouldMove() {
    return this.y.every((label, i) => label * this.scores[i] > 0 || this.product(this.x[i], this.x[i]) === 0);
  }
}

export function learnKernel(task, x, y) {
  const run = new KernelRun(task, x, y);
  const outcome = runEpochs(run, task, y.length);
  const dual = new Array(y.length).fill(0);
  for (const i of run.log.row) dual[i] += y[i];
  const { degree, offset } = kernelOf(task);
  return { ...outcome, t: run.t, log: run.log, dual, kernel: { degree, offset } };
}
