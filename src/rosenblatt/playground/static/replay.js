// The log of a run, replayed: weights after any number of examples, forwards and back.
//
// Every update adds tau y x, in the order of the log and with the same double-precision operations as the engine, so the
// weights are its weights bit for bit. `u` sums t times each change: the average after T examples is (T w − u) / T. AROW
// adds tau y Σx, and its Σ, of which the diagonal is kept, shrinks.

const EVERY = 256; // updates between checkpoints

export class Replay {
  constructor(trace) {
    this.trace = trace;
    this.x = trace.scaled ?? trace.points;
    this.y = trace.y;
    this.n = trace.y.length;
    this.T = trace.examples;
    this.K = trace.log.row.length;
    this.row = trace.log.row;
    this.tau = Array.isArray(trace.log.tau) ? trace.log.tau : new Array(this.K).fill(trace.log.tau);
    this.kernel = Boolean(trace.kernel);
    let t = 0;
    this.t = trace.log.t.map((difference) => (t += difference)); // examples seen before each update
    let end = 0;
    this.epochEnds = trace.epochs.map(([examples]) => (end += examples));
    this.gain = trace.r ? 1 / trace.r : 0;
    this.checkpoints = [[...trace.start, 0, 0, 0, 1, 1, 1]];
    this.memo = { k: 0, sums: this.checkpoints[0] };
  }

  // w₁, w₂, b, their sums u and their variances Σ after k updates.
  sums(k) {
    let base = Math.min(Math.floor(k / EVERY), this.checkpoints.length - 1);
    let from = base * EVERY;
    let s = [...this.checkpoints[base]];
    if (this.memo.k <= k && this.memo.k > from) [from, s] = [this.memo.k, [...this.memo.sums]];
    const bias = this.trace.bias ? 1 : 0;
    for (let i = from; i < k; i += 1) {
      if (i === this.checkpoints.length * EVERY) this.checkpoints.push([...s]);
      const [x1, x2] = this.x[this.row[i]];
      const step = this.tau[i] * this.y[this.row[i]];
      const late = this.t[i] * step;
      const [v1, v2, constant] = [s[6] * x1, s[7] * x2, s[8] * bias]; // Σ stays 1 where the rule has none
      s[0] += step * v1;
      s[1] += step * v2;
      s[3] += late * v1;
      s[4] += late * v2;
      s[2] += step * constant;
      s[5] += this.t[i] * (step * constant);
      if (this.gain) {
        s[6] /= 1 + this.gain * (v1 * x1);
        s[7] /= 1 + this.gain * (v2 * x2);
        s[8] /= 1 + this.gain * constant;
      }
    }
    this.memo = { k, sums: [...s] };
    return s;
  }

  // How far w ever goes: [least w₁, most w₁, least w₂, most w₂]; averages stay within.
  reach() {
    if (this.kernel) return [0, 0, 0, 0];
    if (!this.reached) {
      const [w1, w2] = this.trace.start;
      this.reached = [w1, w1, w2, w2];
      for (let k = 1; k <= this.K; k += 1) {
        const [v1, v2] = this.sums(k);
        const [a, b, c, d] = this.reached;
        this.reached = [Math.min(a, v1), Math.max(b, v1), Math.min(c, v2), Math.max(d, v2)];
      }
    }
    return this.reached;
  }

  // Everything that is to be shown after t examples.
  at(t) {
    const k = this.updatesBefore(t);
    const s = this.sums(k);
    const last = s.slice(0, 3);
    const averaged = t === 0 ? last : [0, 1, 2].map((j) => (t * s[j] - s[j + 3]) / t);
    return { t, k, last, averaged, variances: s.slice(6) };
  }

  // How often each point has been added, sign included: the dual coefficients after k updates.
  alphas(k) {
    const sums = new Float64Array(this.n);
    for (let i = 0; i < k; i += 1) sums[this.row[i]] += this.tau[i] * this.y[this.row[i]];
    return sums;
  }

  // Do the replayed weights end where the engine did, to the last bit?
  agrees() {
    const exactly = (a, b) => a.every((value, i) => value === b[i]);
    if (this.kernel) return exactly([...this.alphas(this.K)], this.trace.dual);
    const end = this.at(this.T);
    return exactly(end.last, this.trace.last) && exactly(end.averaged, this.trace.averaged);
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
    if (this.trace.order === null) return t % this.n;
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

// The trace of points that nothing has learned from.
export function untrained({ points: list, minus, plus }) {
  const none = [0, 0, 0];
  return {
    points: list.map(([x, y]) => [x, y]), y: list.map((point) => point[2]), scaled: null, names: ["x₁", "x₂"], classes: minus && plus ? [minus, plus] : ["−", "+"],
    log: { t: [], row: [], tau: [] }, lived: [], order: null, examples: 0, epochs: [], bias: true, notes: [],
    start: none, last: none, averaged: none,
  };
}

// w·x + b, added in the order of the lecture.
export const score = ([w1, w2, b], [x1, x2]) => w1 * x1 + w2 * x2 + b;
export const norm = ([w1, w2]) => Math.hypot(w1, w2);

// The space of the theorems, in which the bias is a weight: θ = (w, b), where there is one.
export const theta = ({ trace }, [w1, w2, b]) => (trace.bias ? [w1, w2, b] : [w1, w2]);
