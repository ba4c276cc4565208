// Is there a line, and how many mistakes can there be? The certificate in a sentence, and the bound beside the updates.

import { by, element } from "./dom.js";
import { count, number, plural } from "./words.js";

export function showBound(replay, certificate) {
  const { trace } = replay;
  const ended = trace.converged ? "It came to rest" : "It did not come to rest";
  const run = replay.T ? `${ended}: ${plural(replay.K, "update")} in ${plural(trace.epochs.length, "epoch")}. It ended by ${trace.stopped}.` : "";
  const parts = [];
  if (certificate?.separable === false) {
    const proof = certificate.rows.length;
    const these = proof === 1 ? "this point proves" : `these ${["", "", "two", "three", "four", "five"][proof] ?? proof} points prove`;
    parts.push(element("p", { class: "verdict none" }, `No bound: ${these} that no line separates them.`));
  }
  if (certificate) parts.push(element("p", { class: certificate.separable ? "verdict" : "muted" }, certificate.sentence));
  if (certificate?.separable) parts.push(...bound(replay, certificate));
  by("bound-text").replaceChildren(...parts, element("p", { class: "muted" }, run));
}

function bound(replay, { bound: most, formula, counts, source, none, radius, margin }) {
  if (most === null) return [element("p", { class: "muted" }, `No bound for this run: ${none}.`)];
  const made = counts === "mistakes" ? replay.trace.epochs.reduce((sum, [, mistakes]) => sum + mistakes, 0) : replay.K;
  const meter = element("div", { class: "meter" }, element("div", { class: "meter-fill" }));
  meter.firstChild.style.width = `${Math.max(0.5, 100 * Math.min(1, made / most))}%`;
  return [
    element("p", {}, element("strong", {}, count(made)), ` ${counts}, of at most ${formula} = `, element("strong", {}, number(most, 1))),
    meter,
    element("p", { class: "muted" }, `R = ${number(radius, 3)}, γ = ${number(margin, 3)}. ${source}.`),
  ];
}
