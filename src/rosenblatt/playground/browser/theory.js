// What the theorems say about a run, and how far it came: theory/bounds.py and theory/margin_report.py.

import { marginOf, ruleOf, scoresOf } from "./linear.js";
import { LEARNERS } from "./learners.js";
import { general } from "./words.js";
import { AROW, CONSTANT, MIRA, PA1, PA2, PERCEPTRON } from "./engine.js";

const ROOM = 1e-9; // more than rounding can take from R, γ and R²/γ² together
const SCHEDULE_NAMES = { 1: "1/updates", 2: "1/examples" };
const POTENTIAL = "by lemma 1 of Crammer et al. 2006: docs/convergence.md";

// A theorem with its number for this task, or `none`: why there is none.
export function boundFor(task, { radius: R, margin }, vectors) {
  const none = failedCondition(task, margin);
  if (none) return { most: null, formula: null, counts: null, source: null, none };
  const { kind, threshold: p, C } = ruleOf(task.learner, task.parameters);
  // With more than two classes an update moves two vectors.
  const [moved, R2] = vectors === 1 ? [1, "R²"] : [2, "2R²"];
  const theorem = {
    [PERCEPTRON]: () => [moved * (R / margin) ** 2, "updates", `${R2}/γ²`, "Block 1962; Novikoff 1962"],
    [MIRA]: () => [moved * (R / ((1 - p) * margin)) ** 2, "updates", p === 0 ? `${R2}/γ²` : `${R2}/((1−p)γ)²`, POTENTIAL],
    [PA1]: () => [Math.max(moved * R ** 2, 1 / C) / margin ** 2, "mistakes", `max(${R2}, 1/C)/γ²`, "Crammer et al. 2006, theorem 4"],
    [PA2]: () => [(moved * R ** 2 + 1 / (2 * C)) / margin ** 2, "mistakes", `(${R2} + 1/(2C))/γ²`, "Crammer et al. 2006, theorem 5"],
  };
  const [most, counts, formula, source] = theorem[kind]();
  return { most: neverTooSmall(most), counts, formula, source, none: null };
}

function failedCondition(task, margin) {
  if (LEARNERS[task.learner].kernel) return "the theorem is about a line, and a kernel bends it";
  const { rule, movesAlways } = LEARNERS[task.learner];
  const { kind, schedule } = ruleOf(task.learner, task.parameters);
  if (movesAlways) return `${rule} moves at every example, mistake or not`;
  if (kind === AROW) return `no theorem about ${rule} is known here`;
  if (schedule !== CONSTANT) return `the rate falls as ${SCHEDULE_NAMES[schedule]}, and late updates are too small for the proof of R²/γ²`;
  if (task.start.some((value) => value !== 0)) return "the weights do not start at 0";
  if (margin === null) return "no separating weights are known";
  return "";
}

// Rounding may have pushed it below a whole number that it stands for.
const neverTooSmall = (most) => (most < 1e15 ? Math.max(most, Math.floor(most * (1 + ROOM))) : most);

// The verdict in one sentence, about points and their classes.
export function sentence(certificate, examples, points, { bias, features }) {
  const words = verdict(certificate, examples, points, bias);
  const [curved, many] = [features.length > 0, examples.vectors > 1];
  if (many) return words.replace("A line separates", `${curved ? "Curved" : "Straight"} boundaries separate`).replace("No line", `No ${curved ? "curved" : "straight"} boundaries`);
  return curved ? words.replace(/^(A|No) line/, "$1 curve of these features") : words;
}

function verdict(certificate, examples, points, bias) {
  const { separable, margin, radius, rows } = certificate;
  if (separable) {
    const most = Math.floor(neverTooSmall((examples.vectors === 1 ? 1 : 2) * (radius / margin) ** 2));
    return `A line separates these points, with margin ${certificate.best ? "" : "at least "}${general(margin, 5)}: a perceptron makes at most ${most.toLocaleString("en")} update${most === 1 ? "" : "s"}.`;
  }
  if (separable === null) return "Undecided in the browser: the classes touch, or all but touch. `rosenblatt certify` decides it in whole numbers.";
  const numbered = rows.map((i) => i + 1);
  const begin = "No line can separate these points: ";
  if (rows.length === 1) return `${begin}point ${numbered[0]} is all zeros, and without a bias its score is always 0.`;
  const same = rows.length === 2 && examples.rows[0].every((_, j) => examples.rows[rows[0]][j] === examples.rows[rows[1]][j]);
  if (same) return `${begin}points ${Math.min(...numbered)} and ${Math.max(...numbered)} are identical but labelled differently.`;
  if (examples.vectors > 1) return `${begin}${rows.length} of them contradict each other, weighted as the proof says.`;
  const names = points.classes[1] === "+" ? ["the negative class", "the positive class"] : points.classes;
  const sides = [-1, 1].map((label) => rows.filter((i) => points.y[i] === label).length);
  if (sides.includes(0)) return `${begin}a weighted sum of ${Math.max(...sides)} points of one class is 0, and without a bias so is its score.`;
  const what = bias ? "mean" : "sum";
  const [one, other] = sides.map((many, i) => (
    many === 1 ? `${bias ? "" : "a multiple of "}a point of ${names[i]}` : `a weighted ${what} of ${many} points of ${names[i]}`
  ));
  return `${begin}${one} is also ${other}.`;
}

// The margin of some weights beside the best: the least y (w·x + b), divided by |(w, b)|, in the space of the theorem.
export function marginReached(view, weights, { rows, codes, pool }, certificate) {
  const size = Math.hypot(...weights.flat());
  const margins = [...pool].map((i) => marginOf(scoresOf(weights, rows[i]), codes[i]));
  const wrong = size > 0 ? margins.filter((margin) => margin <= 0).length : pool.length;
  const margin = size > 0 ? margins.reduce((a, b) => Math.min(a, b)) / size : 0;
  const begin = `γ = ${general(margin, 5)}: `;
  const comparable = certificate.fitsBias || weights[0].at(-1) === 0; // a first bias that does not learn is of another space
  const best = certificate.separable && certificate.best && comparable ? `γ* = ${general(certificate.margin, 5)}, the best` : "";
  if (!wrong) return `${begin}the ${view} weights separate all rows${best ? `; ${((100 * margin) / certificate.margin).toFixed(2)} % of ${best}` : ""}`;
  const side = `${wrong.toLocaleString("en")} of ${pool.length.toLocaleString("en")} rows ${wrong === 1 ? "is" : "are"} not on the right side of the ${view} weights`;
  const beyond = { true: best && `; ${best}, has all rows on the right side`, false: ", and there is no γ*", null: "; whether a line separates the rows is undecided" };
  return begin + side + beyond[certificate.separable];
}
