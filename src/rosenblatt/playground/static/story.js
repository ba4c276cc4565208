// The arithmetic of a step, in the lecture's words and numbers.

import { element } from "./dom.js";
import { LEARNERS } from "./learners.js";
import { score } from "./replay.js";
import { count, factor, number, term, vector } from "./words.js";

// What there is to say about example number t - 1, the one that led to where the replay is.
export function stepFacts(replay, t, settings) {
  if (t === 0) return beginning(replay, settings);
  const row = replay.rowAt(t - 1);
  const { epoch, place } = replay.epochOf(t - 1);
  if (row < 0) return [line("Where", `Example ${count(t)}: it made no update.`)];
  const where = line("Example", `${place} of ${replay.n} in epoch ${epoch} · point ${row + 1}`);
  if (replay.kernel) return [where, ...kernelStep(replay, t, row)];
  if (replay.vectors > 1) return [where, ...manyClasses(replay, t, row, settings)];
  return [where, ...linearStep(replay, t, row, settings)];
}

// The same in one sentence, for those who listen.
export function summary(replay, t, settings) {
  if (t === 0) return "Before the first example.";
  const row = replay.rowAt(t - 1);
  const { epoch, place } = replay.epochOf(t - 1);
  const k = replay.updateAt(t - 1);
  const { last } = replay.at(t);
  const start = `Epoch ${epoch}, example ${place}${row < 0 ? "" : `, point ${row + 1}`}: `;
  if (k < 0) return `${start}no update.`;
  const moved = replay.vectors > 1 && !replay.kernel && `${replay.trace.classes[replay.y[row]]} gains it${replay.rival?.[k] >= 0 ? `, ${replay.trace.classes[replay.rival[k]]} loses it` : ""}`;
  const weights = replay.kernel ? `point ${row + 1} joins the sum` : moved || `w becomes ${vector(last.slice(0, -1))}${settings.bias ? `, b ${number(last.at(-1))}` : ""}`;
  return `${start}update ${k + 1}, ${weights}.`;
}

function line(name, ...content) {
  const parts = content.map((part) => (typeof part === "string" ? unbroken(part) : part));
  return element("div", { class: "fact" }, element("dt", {}, name), element("dd", {}, ...parts));
}

// A formula is not broken inside a vector, a product or a comparison.
function unbroken(text) {
  const whole = (all, inside) => (inside.split(", ").length > 3 ? all : all.replace(/, /g, ",\u00a0")); // a long vector may be broken
  return text.replace(/y a/g, "y\u00a0a").replace(/ ([≤<]) /g, "\u00a0$1\u00a0").replace(/\(([^()]*)\)/g, whole);
}

function beginning(replay, { bias }) {
  const [w1, w2, b] = replay.trace.start;
  if (replay.vectors > 1) return [line("Start", "The weights of every class are 0, and so are all scores."), line("Next", "Step to the first example.")];
  const start = replay.kernel ? "No example in the sum yet: every score is 0." : `w = ${vector([w1, w2])}${bias ? `,  b = ${number(b)}` : ", no bias"}`;
  return [line("Start", start), line("Next", "Step to the first example.")];
}

function linearStep(replay, t, row, settings) {
  const k = replay.updateAt(t - 1);
  const { last: before, variances } = replay.at(t - 1);
  const after = replay.at(t).last;
  const [x, y] = [replay.rows[row], replay.y[row]];
  const a = score(before, x);
  const margin = y * a;
  const bias = settings.bias;
  const sign = y > 0 ? "+1" : "−1";
  const sum = sumOf(before, x, bias);
  const lines = [
    line("Given", `${replay.columns > 2 ? "x₁, x₂ and products: " : ""}x = ${vector(x)},  y =\u00a0${sign}`),
    line(
      "Activation", element("span", { class: "formula" }, `a = w·x${bias ? " + b" : ""} = ${sum} = `),
      element("strong", { "data-activation": a }, number(a))
    ),
    verdict(settings, margin, k >= 0),
  ];
  if (k < 0) return [
    ...lines, line("Weights", `unchanged: w = ${vector(after.slice(0, -1))}${bias ? `, b = ${number(after.at(-1))}` : ""}`)
  ];
  const tau = replay.tau[k];
  if (LEARNERS[settings.learner].secondOrder) return [...lines, ...secondOrderStep(x, y, tau, before, after, variances, settings)];
  const norm2 = x.reduce((sum2, value) => sum2 + value * value, bias ? 1 : 0);
  const step = tau * y;
  const times = Math.abs(step) === 1 ? "" : `${number(Math.abs(step))}·`;
  const sense = step < 0 ? "−" : "+";
  lines.push(line("Step", rule(settings, tau, margin, norm2)));
  const sumOfVectors = `w ← w + τ y x = ${vector(before.slice(0, -1))} ${sense} ${times}${vector(x)} = `;
  lines.push(line("Update", element("span", { class: "formula" }, unbroken(sumOfVectors)), element("strong", {}, unbroken(vector(after.slice(0, -1))))));
  if (bias) {
    const sumOfNumbers = `b ← b + τ y = ${number(before.at(-1))}${term(step)} = `;
    lines.push(line("", element("span", { class: "formula" }, sumOfNumbers), element("strong", {}, number(after.at(-1)))));
  }
  const now = y * score(after, x);
  lines.push(line(
    "Why it helps",
    `y a goes from ${number(margin)} to ${number(now)}: τ ${bias ? "(|x|² + 1)" : "|x|²"} = ${number(tau * norm2)} more`
  ));
  return lines;
}

const sumOf = (weights, x, bias) => `${x.map((value, j) => `${factor(weights[j])}·${factor(value)}`).join(" +\u00a0")}${bias || weights.at(-1) !== 0 ? term(weights.at(-1)) : ""}`;

// More than two classes: a score each, the right one against its rival, and what both become.
function manyClasses(replay, t, row, settings) {
  const { classes } = replay.trace;
  const k = replay.updateAt(t - 1);
  const [before, after] = [replay.at(t - 1).last, replay.at(t).last];
  const [x, right, rival] = [replay.rows[row], replay.y[row], replay.rivalAt(before, row)];
  const scores = replay.scores(before, x);
  const margin = scores[right] - scores[rival];
  const lines = [
    line("Given", `x = ${vector(x)}, of class ${classes[right]}`),
    ...classes.map((name, c) => line(
      c ? "" : "Scores", ...c ? [of("s", name)] : [of("s", name), " = ", of("w", name), "·x", ...settings.bias ? [" + ", of("b", name)] : []],
      element("span", { class: "formula" }, unbroken(` = ${sumOf(before[c], x, settings.bias)} = `)),
      element("strong", { class: `class-name c${c}`, "data-score": scores[c] }, number(scores[c]))
    )),
    line("Rival", `${classes[rival]}, the highest of the others`),
  ];
  const { movesAlways, secondOrder } = LEARNERS[settings.learner];
  const difference = [of("s", classes[right]), " − ", of("s", classes[rival]), ` = ${number(margin)}`];
  if (movesAlways) {
    const rule = settings.learner === "logistic" ? "every class moves by rate · (1 if it is right, else 0, less its probability) · x" : "every class's score is pulled towards +1 if it is right, else −1";
    return [...lines, line("Margin", ...difference, `: ${margin <= 0 ? "wrong" : "right"}; ${rule}`), ...becomes(classes, before, after)];
  }
  const word = margin <= 0 ? "mistake" : k >= 0 ? "too close" : "right";
  lines.push(line("Margin", ...difference, " ", element("span", { class: word === "right" ? "badge right" : "badge wrong" }, word), k < 0 ? " · nothing to do" : ""));
  if (k < 0) return lines;
  const along = secondOrder ? "Σx" : "x";
  return [
    ...lines, line("Step", `τ = ${number(replay.tau[k])}: ${classes[right]} gains τ ${along}, ${classes[rival]} loses it`),
    ...becomes(classes, before, after),
    line("Why it helps", `the margin goes from ${number(margin)} to ${number(replay.margin(after, row))}`),
  ];
}

// A letter with the name of a class below it.
const of = (letter, name) => element("span", {}, letter, element("sub", {}, name));

// The weights of the classes that have moved.
function becomes(classes, before, after) {
  const moved = classes.map((name, c) => [name, c]).filter(([, c]) => after[c].some((value, j) => value !== before[c][j]));
  return moved.map(([name, c], i) => line(
    i ? "" : "Update", of("w", name), ` = ${vector(after[c].slice(0, -1))}, `, of("b", name), ` = ${number(after[c].at(-1))}`
  ));
}

// AROW: along Σx, by how uncertain each weight still is.
function secondOrderStep(x, y, tau, before, after, variances, { bias, r }) {
  const along = x.map((value, j) => variances[j] * value);
  const variance = along.reduce((sum, value, j) => sum + value * x[j], bias ? variances.at(-1) : 0);
  const sense = tau * y < 0 ? "−" : "+";
  const lines = [
    line("Step", `τ = (1 − y a) / (x′Σx + r) = ${number(1 - y * score(before, x))} / (${number(variance)} + ${number(r)}) = ${number(tau)}`),
    line("Uncertain", `Σ = ${vector(bias ? variances : variances.slice(0, -1))}, along the diagonal; then it shrinks`),
    line(
      "Update", element("span", { class: "formula" }, unbroken(`w ← w + τ y Σx = ${vector(before.slice(0, -1))} ${sense} ${number(Math.abs(tau))}·${vector(along)} = `)),
      element("strong", {}, unbroken(vector(after.slice(0, -1))))
    ),
  ];
  if (bias) {
    const sumOfNumbers = `b ← b + τ y Σ₀ = ${number(before.at(-1))}${term(tau * y * variances.at(-1))} = `;
    lines.push(line("", element("span", { class: "formula" }, sumOfNumbers), element("strong", {}, number(after.at(-1)))));
  }
  return [...lines, line(
    "Why it helps", `y a goes from ${number(y * score(before, x))} to ${number(y * score(after, x))}: τ x′Σx = ${number(tau * variance)} more`
  )];
}

function verdict({ learner, p, strict }, margin, moved) {
  const value = number(margin);
  if (LEARNERS[learner].movesAlways) {
    return line("Margin", `y a = ${value}: ${margin <= 0 ? "wrong" : "right"}; this rule moves at every example`);
  }
  const wanted = ["passive-aggressive", "arow"].includes(learner) ? "y a < 1" : learner === "mira" && p > 0 ? `y a < ${number(p)}` : strict ? "y a < 0" : "y a ≤ 0";
  const word = strict && margin === 0 && !moved ? "right" : margin <= 0 ? "mistake" : moved ? "too close" : "right";
  const mark = element("span", { class: word === "right" ? "badge right" : "badge wrong" }, word);
  const onLine = strict && margin === 0 && " · on the line, and with < nothing is done about it";
  const stays = onLine || (margin <= 0 ? " but x is 0: there is nothing to add" : " · nothing to do");
  return line("Margin", `y a = ${value} `, mark, moved ? ` since ${wanted}` : stays);
}

function rule({ learner, C, variant, bias }, tau, margin, norm2) {
  const size = `|x|²${bias ? " + 1" : ""} = ${number(norm2)}`;
  const missing = `1${margin < 0 ? " + " + number(-margin) : " − " + number(margin)}`;
  switch (learner) {
    case "mira": return `τ = (1 − y a) / (|x|²${bias ? " + 1" : ""}) = (${missing}) / ${number(norm2)} = ${number(tau)}`;
    case "passive-aggressive":
      return variant === "II" ? `τ = (1 − y a) / (${size} + 1/(2C)) = ${number(tau)}` : `τ = min(C, (1 − y a) / (|x|²${bias ? " + 1" : ""})) = min(${number(C)}, (${missing}) / ${number(norm2)}) = ${number(tau)}`;
    case "logistic": return `τ = rate · σ(−y a) = ${number(tau)}`;
    case "widrow-hoff": return `τ = rate · (1 − y a) = ${number(tau)}`;
    default: return `τ = ${number(tau)}${LEARNERS[learner].additive ? ", the rate" : ""}`;
  }
}

function kernelStep(replay, t, row) {
  const k = replay.updateAt(t - 1);
  const y = replay.y[row];
  const { degree, offset } = replay.trace.kernel;
  const x = replay.rows[row];
  const before = Array.from({ length: replay.vectors }, (_, vector) => replay.alphas(replay.updatesBefore(t - 1), vector));
  const product = (other) => (offset + other.reduce((sum, value, j) => sum + value * x[j], 0)) ** degree;
  const inSum = line("In the sum", `${new Set(replay.row.slice(0, k < 0 ? replay.updatesBefore(t) : k + 1)).size} of ${replay.n} points`);
  const scores = before.map((alphas) => replay.rows.reduce((sum, other, i) => sum + alphas[i] * product(other), 0));
  if (replay.vectors > 1) return [...kernelOfMany(replay, row, k, scores), inSum];
  const [a] = scores;
  const lines = [
    line("Given", `x = ${vector(x)},  y =\u00a0${y > 0 ? "+1" : "−1"}`),
    line(
      "Activation",
      element("span", { class: "formula" }, `a = Σ αᵢ (${offset ? `${offset} + ` : ""}xᵢ·x)${"⁰¹²³⁴⁵⁶⁷⁸"[degree]} = `),
      element("strong", {}, number(a))
    ),
  ];
  const mark = element("span", { class: k < 0 ? "badge right" : "badge wrong" }, k < 0 ? "right" : "mistake");
  lines.push(line("Margin", `y a = ${number(y * a)} `, mark, k < 0 ? " · nothing to do" : " since y a ≤ 0"));
  if (k >= 0) {
    const alpha = replay.alphas(k + 1)[row];
    lines.push(line(
      "Update", `α of point ${row + 1}: ${number(alpha - replay.tau[k] * y)}${term(replay.tau[k] * y)} = `,
      element("strong", {}, number(alpha))
    ));
  }
  return [...lines, inSum];
}

function kernelOfMany(replay, row, k, scores) {
  const { classes } = replay.trace;
  const [right, mark] = [replay.y[row], element("span", { class: k < 0 ? "badge right" : "badge wrong" }, k < 0 ? "right" : "mistake")];
  const lines = [
    line("Given", `x = ${vector(replay.rows[row])}, of class ${classes[right]}`),
    line("Scores", ...classes.flatMap((name, c) => [of("s", name), ` = ${number(scores[c])}, `]), mark),
  ];
  return k < 0 ? lines : [...lines, line("Update", `α of point ${row + 1}: 1 more in ${classes[right]}, 1 less in ${classes[replay.rival[k]]}`)];
}
