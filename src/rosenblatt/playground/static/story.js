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
  const weights = replay.kernel ? `point ${row + 1} joins the sum` : `w becomes ${vector(last.slice(0, 2))}${settings.bias ? `, b ${number(last[2])}` : ""}`;
  return `${start}update ${k + 1}, ${weights}.`;
}

function line(name, ...content) {
  const parts = content.map((part) => (typeof part === "string" ? unbroken(part) : part));
  return element("div", { class: "fact" }, element("dt", {}, name), element("dd", {}, ...parts));
}

// A formula is not broken inside a vector, a product or a comparison.
function unbroken(text) {
  return text.replace(/y a/g, "y\u00a0a").replace(/ ([≤<]) /g, "\u00a0$1\u00a0").replace(/, (?=[−\d.]+[,)])/g, ",\u00a0");
}

function beginning(replay, { bias }) {
  const [w1, w2, b] = replay.trace.start;
  const start = replay.kernel ? "No example in the sum yet: every score is 0." : `w = ${vector([w1, w2])}${bias ? `,  b = ${number(b)}` : ", no bias"}`;
  return [line("Start", start), line("Next", "Step to the first example.")];
}

function linearStep(replay, t, row, settings) {
  const k = replay.updateAt(t - 1);
  const { last: before, variances } = replay.at(t - 1);
  const after = replay.at(t).last;
  const [x, y] = [replay.x[row], replay.y[row]];
  const a = score(before, x);
  const margin = y * a;
  const bias = settings.bias;
  const sign = y > 0 ? "+1" : "−1";
  const sum = `${factor(before[0])}·${factor(x[0])} + ${factor(before[1])}·${factor(x[1])}${bias || before[2] !== 0 ? term(before[2]) : ""}`;
  const lines = [
    line("Given", `x = ${vector(x)},  y = ${sign}`),
    line(
      "Activation", element("span", { class: "formula" }, `a = w·x${bias ? " + b" : ""} = ${sum} = `),
      element("strong", { "data-activation": a }, number(a))
    ),
    verdict(settings, margin, k >= 0),
  ];
  if (k < 0) return [
    ...lines, line("Weights", `stay w = ${vector(after.slice(0, 2))}${bias ? `, b = ${number(after[2])}` : ""}`)
  ];
  const tau = replay.tau[k];
  if (LEARNERS[settings.learner].secondOrder) return [...lines, ...secondOrderStep(x, y, tau, before, after, variances, settings)];
  const norm2 = x[0] * x[0] + x[1] * x[1] + (bias ? 1 : 0);
  const step = tau * y;
  const times = Math.abs(step) === 1 ? "" : `${number(Math.abs(step))}·`;
  const sense = step < 0 ? "−" : "+";
  lines.push(line("Step", rule(settings, tau, margin, norm2)));
  const sumOfVectors = `w ← w + τ y x = ${vector(before.slice(0, 2))} ${sense} ${times}${vector(x)} = `;
  lines.push(line("Update", element("span", { class: "formula" }, unbroken(sumOfVectors)), element("strong", {}, unbroken(vector(after.slice(0, 2))))));
  if (bias) {
    const sumOfNumbers = `b ← b + τ y = ${number(before[2])}${term(step)} = `;
    lines.push(line("", element("span", { class: "formula" }, sumOfNumbers), element("strong", {}, number(after[2]))));
  }
  const now = y * score(after, x);
  lines.push(line(
    "Why it helps",
    `y a goes from ${number(margin)} to ${number(now)}: τ ${bias ? "(|x|² + 1)" : "|x|²"} = ${number(tau * norm2)} more`
  ));
  return lines;
}

// AROW: along Σx, by how uncertain each weight still is.
function secondOrderStep(x, y, tau, before, after, variances, { bias, r }) {
  const along = [variances[0] * x[0], variances[1] * x[1]];
  const variance = along[0] * x[0] + along[1] * x[1] + (bias ? variances[2] : 0);
  const sense = tau * y < 0 ? "−" : "+";
  const lines = [
    line("Step", `τ = (1 − y a) / (x′Σx + r) = ${number(1 - y * score(before, x))} / (${number(variance)} + ${number(r)}) = ${number(tau)}`),
    line("Uncertain", `Σ = ${vector(bias ? variances : variances.slice(0, 2))}, along the diagonal; then it shrinks`),
    line(
      "Update", element("span", { class: "formula" }, unbroken(`w ← w + τ y Σx = ${vector(before.slice(0, 2))} ${sense} ${number(Math.abs(tau))}·${vector(along)} = `)),
      element("strong", {}, unbroken(vector(after.slice(0, 2))))
    ),
  ];
  if (bias) {
    const sumOfNumbers = `b ← b + τ y Σ₀ = ${number(before[2])}${term(tau * y * variances[2])} = `;
    lines.push(line("", element("span", { class: "formula" }, sumOfNumbers), element("strong", {}, number(after[2]))));
  }
  return [...lines, line(
    "Why it helps", `y a goes from ${number(y * score(before, x))} to ${number(y * score(after, x))}: τ x′Σx = ${number(tau * variance)} more`
  )];
}

function verdict({ learner, p }, margin, moved) {
  const value = number(margin);
  if (LEARNERS[learner].movesAlways) {
    return line("Margin", `y a = ${value}: ${margin <= 0 ? "wrong" : "right"}; this rule moves at every example`);
  }
  const wanted = ["passive-aggressive", "arow"].includes(learner) ? "y a < 1" : learner === "mira" && p > 0 ? `y a < ${number(p)}` : "y a ≤ 0";
  const word = margin <= 0 ? "mistake" : moved ? "too close" : "right";
  const mark = element("span", { class: word === "right" ? "badge right" : "badge wrong" }, word);
  const stays = margin <= 0 ? " but x is 0: there is nothing to add" : " · nothing to do";
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
  const x = replay.x[row];
  const before = replay.alphas(replay.updatesBefore(t - 1));
  const a = replay.x.reduce((sum, other, i) => sum + before[i] * (offset + other[0] * x[0] + other[1] * x[1]) ** degree, 0);
  const lines = [
    line("Given", `x = ${vector(x)},  y = ${y > 0 ? "+1" : "−1"}`),
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
  return [
    ...lines,
    line(
      "In the sum", `${new Set(replay.row.slice(0, k < 0 ? replay.updatesBefore(t) : k + 1)).size} of ${replay.n} points`
    ),
  ];
}
