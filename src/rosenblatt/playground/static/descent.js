// Gradient descent on the lecture's surface, f(θ) = ½ (θ₁² − θ₂)² + ½ (θ₁ − 1)²: neighbours' `descend`, word for word.

import { element } from "./dom.js";
import { general, number, vector } from "./words.js";

const TOLERANCE = 1e-8; // no slope exceeds it where descent has arrived
const DIVERGENCE = 1e6; // a value this many times the first two will not come back

export const value = ([a, b]) => 0.5 * ((a * a - b) * (a * a - b)) + 0.5 * ((a - 1) * (a - 1));
export const slope = ([a, b]) => [2 * (a * a - b) * a + a - 1, b - a * a];

// θ ← θ − η ∂f/∂θ, until no slope exceeds the tolerance: { path, values, converged, message }.
export function descend({ start, eta, steps }) {
  const [path, values] = [[start], [value(start)]];
  while (values.length <= steps) {
    const theta = path.at(-1);
    const along = slope(theta);
    if (along.every((part) => Math.abs(part) <= TOLERANCE)) return { path, values, converged: true, message: `No slope exceeds ${general(TOLERANCE, 6)} after ${values.length - 1} steps.` };
    path.push(theta.map((part, j) => part - eta * along[j]));
    values.push(value(path.at(-1)));
    const most = DIVERGENCE * Math.max(1, ...values.slice(0, 2).map(Math.abs));
    if (!(path.at(-1).every(Number.isFinite) && Math.abs(values.at(-1)) <= most)) {
      const message = `eta = ${general(eta, 6)} is too large: the value grew from ${general(values[0], 4)} to ${general(values.at(-1), 4)} in ${values.length - 1} steps. Try a smaller eta, such as ${general(eta / 10, 6)}.`;
      return { path, values, converged: false, message };
    }
  }
  return { path, values, converged: false, message: noArrival(values, eta) };
}

function noArrival(values, eta) {
  const taken = values.length - 1;
  const half = Math.floor(taken / 2);
  const rises = values.slice(half).filter((one, i, late) => i > 0 && one > late[i - 1]).length;
  if (4 * rises > half) return `eta = ${general(eta, 6)} is too large: after ${taken} steps the value still rises and falls, last at ${general(values.at(-1), 4)}. Try a smaller eta, such as ${general(eta / 10, 6)}.`;
  return `Still falling after ${taken} steps, at ${general(values.at(-1), 4)}: take more steps, or try a larger eta than ${general(eta, 6)}.`;
}

// A descent with the verbs of a replayed run: an example is a step, and every step moves.
export class DescentReplay {
  constructor(asked) {
    Object.assign(this, asked, descend(asked));
    this.surface = true;
    this.T = this.values.length - 1;
    this.K = this.T;
    [this.n, this.vectors, this.columns] = [1, 1, 2];
    this.epochEnds = [this.T];
    this.trace = { points: [], y: [], names: ["θ₁", "θ₂"], classes: ["−", "+"], letters: [], heldOut: [], chosen: [], columns: [], notes: [], epochs: [[this.T, 0, this.T]], converged: this.converged };
  }

  at(t) { return { t, k: t }; }

  agrees() { return true; }

  updatesBefore(t) { return t; }

  updateAt(t) { return t < this.T ? t : -1; }

  after(k) { return k; }

  next(t) { return Math.min(t + 1, this.T); }

  previous(t) { return Math.max(t - 1, 0); }

  nextEpoch() { return this.T; }

  epochsBefore(t) { return t >= this.T ? 1 : 0; }

  epochOf(t) { return { epoch: 1, place: t + 1 }; }
}

// The arithmetic of the step that led to t.
export function descentFacts(replay, t) {
  const { path, values, eta, T, message } = replay;
  const line = (name, ...content) => element("div", { class: "fact" }, element("dt", {}, name), element("dd", {}, ...content));
  const f = line("Surface", "f(θ) = ½ (θ₁² − θ₂)² + ½ (θ₁ − 1)²");
  const ended = t >= T ? [line("End", message)] : [];
  if (t === 0) return [f, line("Start", `θ = ${vector(path[0])}, f = ${number(values[0])}`), line("Next", "Step along the slope."), ...ended];
  const [before, after] = [path[t - 1], path[t]];
  const along = slope(before);
  return [
    f, line("Slope", `∂f/∂θ = (2 (θ₁² − θ₂) θ₁ + θ₁ − 1, θ₂ − θ₁²) = ${vector(along)} at ${vector(before)}`),
    line("Update", `θ ← θ − η ∂f/∂θ = ${vector(before)} − ${number(eta)}·${vector(along)} = `, element("strong", {}, vector(after))),
    line("Value", `f goes from ${number(values[t - 1])} to `, element("strong", {}, number(values[t])), values[t] > values[t - 1] ? ": uphill, the step was too long" : ""),
    ...ended,
  ];
}

export const descentSummary = ({ path, values }, t) => (t === 0 ? "Before the first step." : `Step ${t}: theta becomes ${vector(path[t])}, the value ${number(values[t])}.`);
