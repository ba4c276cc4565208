// The run as Python, as a command line and as CSV.

import { LETTERS, labelAt } from "./classes.js";
import { asCsv } from "./table.js";
import { LEARNERS } from "./learners.js";
import { parameters } from "./state.js";

const SHUFFLE = { shuffled: "True", once: '"once"', given: "False", replacement: '"replacement"' };

const literal = (value) => (typeof value === "string" ? JSON.stringify(value) : String(value));

// As many epochs as were allowed; as were made, if the playground ended the run before.
const epochsOf = (state, { trace }) => (trace.converged ? state.epochs : Math.max(1, trace.epochs.length));

// Python that ends on the same weights, to the bit.
export function asPython(state, suffix, replay) {
  const learner = state[`learner${suffix}`];
  const { estimator: name, kernel } = LEARNERS[learner];
  if (name === null) return `# ${learner} has no estimator: use the command line below.\n`;
  const settings = [
    ["max_iter", epochsOf(state, replay)], ["shuffle", SHUFFLE[state.order]], ["random_state", state.seed],
  ];
  if (kernel) settings.push(["kernel", '"poly"'], ["coef0", state.bias ? 1 : 0]); // the 1 is the constant feature
  if (!state.bias) settings.push(["fit_intercept", "False"]);
  for (const [key, value] of Object.entries(parameters(state, suffix))) settings.push([key, literal(value)]);
  const started = !kernel && replay.trace.start.some((value) => value !== 0);
  const first = [state.w1, state.w2, ...replay.features.map(() => 0)].join(", ");
  const start = started ? `, coef_init=[[${first}]], intercept_init=[${state.b}]` : "";
  const weights = replay.heldOut.size ? ", sample_weight=learned" : "";
  const rows = replay.trace.points.map(([x, y]) => `[${x}, ${y}]`);
  const lines = [
    ...replay.features.length ? ["import numpy as np"] : [], `from rosenblatt import ${name}${state.scale ? ", TableFeatures" : ""}`, "",
    `X = [${wrap(rows)}]`, `y = [${wrap(replay.y.map((label, i) => (replay.trace.letters.length ? literal(labelAt(replay.trace, i).toUpperCase()) : String(label))))}]`,
  ];
  if (state.scale) lines.push('X = TableFeatures().fit_transform({"x1": [x1 for x1, x2 in X], "x2": [x2 for x1, x2 in X]})');
  if (replay.features.length) {
    const product = (feature) => `X[:, ${feature[1] - 1}] * X[:, ${feature[3] - 1}]`;
    lines.push("X = np.asarray(X, dtype=float)", `X = np.column_stack([X, ${replay.features.map(product).join(", ")}])`);
  }
  if (weights) lines.push(`held_out = [${[...replay.heldOut].join(", ")}]`, "learned = [0 if i in held_out else 1 for i in range(len(X))]");
  if (state.strict) lines.push("# The library counts a margin of 0 as a mistake, always: < is the page's own.");
  lines.push("", `clf = ${name}(${settings.map(([key, value]) => `${key}=${value}`).join(", ")})`, `clf.fit(X, y${start}${weights})`,
    { kernel: "print(clf.dual_coef_)", voted: "print(clf.decision_function(X))  # votes" }[learner] ?? "print(clf.coef_, clf.intercept_)");
  return lines.join("\n") + "\n";
}

// Gradient descent that takes the same path, to the bit.
export function descentPython({ start, eta, steps }) {
  return [
    "from rosenblatt.estimators.neighbours import descend", "",
    "def f(theta):", "    a, b = theta", "    return 0.5 * ((a * a - b) * (a * a - b)) + 0.5 * ((a - 1) * (a - 1))", "",
    "def slope(theta):", "    a, b = theta", "    return [2 * (a * a - b) * a + a - 1, b - a * a]", "",
    `descent = descend(f, slope, start=[${start.join(", ")}], eta=${eta}, steps=${steps})`, "print(descent.message, descent.end)", "",
  ].join("\n");
}

function wrap(parts) {
  const lines = [""];
  for (const part of parts) {
    if (lines.at(-1).length + part.length > 100) lines.push("");
    lines[lines.length - 1] += `${part}, `;
  }
  const text = lines.map((line) => line.trimEnd()).join("\n     ");
  return text.endsWith(",") ? text.slice(0, -1) : text;
}

// The command line that ends on the same weights, on the points as CSV.
export function asCommand(state, suffix, replay) {
  const learner = state[`learner${suffix}`];
  if (LEARNERS[learner].kernel) return "# `rosenblatt train` has no kernels: use the Python above.\n";
  const words = [
    `rosenblatt train points.csv --target ${labelName(replay)}`, `--learner ${learner}`,
    `--epochs ${epochsOf(state, replay)}`, `--seed ${state.seed}`,
  ];
  if (state.order !== "shuffled") words.push(`--order ${state.order}`);
  if (!state.bias) words.push("--no-bias");
  if (!state.scale) words.push("--no-scale --double"); // as they are, with all their digits
  for (const [key, value] of Object.entries(parameters(state, suffix))) words.push(`--${key.replace("_", "-")} ${value}`);
  const notes = [];
  if (state.strict) notes.push("# A margin of 0 is a mistake there, always.");
  if (replay.features.length) notes.push("# Without the products: they are in the Python above.");
  if (replay.heldOut.size) notes.push("# It learns from all points: those held out are in the Python above.");
  if ([state.w1, state.w2, state.b].some((value) => value !== 0)) notes.push(
    "# It starts at 0: start weights are in the Python above."
  );
  return [...notes, words.join(" ")].join("\n") + "\n";
}

// The column of labels must not be called as one of the others.
const labelName = ({ trace }) => ["label", "class", "target"].find((name) => !trace.names.includes(name));

export function pointsCsv(replay) {
  const { points, names, classes, letters } = replay.trace;
  // A file's classes are sorted, and of two the second is the positive one: names that would be sorted otherwise stay out.
  const named = classes[1] !== "+" && classes.every((name, i) => i === 0 || classes[i - 1] < name);
  const list = points.map(([x, y], i) => [x, y, labelAt(replay.trace, i)]);
  const byLetter = LETTERS.map((letter) => (named ? classes[letters.indexOf(letter)] : undefined));
  return asCsv(list, [...names, labelName(replay)], letters.length ? byLetter : named ? classes : ["-1", "1"]);
}

export function download(name, content, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
