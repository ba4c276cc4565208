// Is there a line, and how many mistakes can there be? The certificate in a sentence, and the bound beside the updates.

import { by, element } from "./dom.js";
import { NAMES, count, number, plural } from "./words.js";

// After t examples: how a run ends is told when it has ended.
export function showBound(runs, followed, t) {
  const { replay, certificate } = runs[followed];
  const many = replay.vectors > 1;
  const curved = replay.features.length > 0;
  const boundaries = `${curved ? "curved" : "straight"} boundaries separate`;
  by("bound-title").textContent = many ? `Do ${boundaries} them?` : curved ? "Is there a curve?" : "Is there a line?";
  const what = many ? `no ${boundaries}` : `no ${curved ? "such curve" : "line"} separates`;
  const shown = Object.keys(runs).sort().map((suffix) => runs[suffix]);
  const ended = shown.filter((run) => run.replay.T && t >= run.replay.T);
  const ends = ended.map((run) => element("p", { class: "muted" }, ending(run, shown.length > 1)));
  const parts = [];
  if (certificate?.separable === false) {
    const proof = certificate.rows.length;
    const these = proof === 1 ? "this point proves" : `these ${[
      "", "", "two", "three", "four", "five",
    ][proof] ?? proof} points prove`;
    parts.push(element("p", { class: "verdict none" }, `No bound: ${these} that ${what} them.`));
  }
  if (certificate) parts.push(element("p", { class: certificate.separable ? "verdict" : "muted" }, certificate.sentence));
  if (certificate?.separable) parts.push(...bound(replay, certificate, t));
  by("bound-text").replaceChildren(...parts, ...ends);
}

function ending({ replay, learner }, named) {
  const { trace } = replay;
  const rest = trace.converged ? "converged" : "did not converge";
  return `${named ? NAMES[learner] : "It"} ${rest}: ${plural(replay.K, "update")} in ${plural(trace.epochs.length, "epoch")}, ended by ${trace.stopped}.${trace.reached ? ` Margin: ${trace.reached}.` : ""}`;
}

function bound(replay, { bound: most, formula, counts, source, none, radius, margin }, t) {
  if (most === null) return [element("p", { class: "muted" }, `No bound for this run: ${none}.`)];
  const over = replay.trace.epochs.slice(0, replay.epochsBefore(t)); // mistakes are known epoch by epoch
  const soFar = counts === "mistakes" ? over.reduce((sum, [, mistakes]) => sum + mistakes, 0) : replay.updatesBefore(t);
  const meter = element("div", { class: "meter" }, element("div", { class: "meter-fill" }));
  meter.firstChild.style.width = `${Math.max(0.5, 100 * Math.min(1, soFar / most))}%`;
  return [
    element(
      "p", {}, element("strong", {}, count(soFar)), ` ${counts}, of at most ${formula} = `,
      element("strong", {}, number(most, 1))
    ),
    meter,
    element("p", { class: "muted" }, `R = ${number(radius, 3)}, γ = ${number(margin, 3)}${replay.trace.bias ? ", of θ = (w, b)" : ""}. ${source}.`),
  ];
}
