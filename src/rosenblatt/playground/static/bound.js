// Is there a line, and how many mistakes can there be? The certificate in a sentence, and the bound beside the updates.

import { by, element } from "./dom.js";
import { count, number, plural } from "./words.js";

export function showBound(replay, certificate, { learner }) {
  const host = by("bound-text");
  const ended = replay.trace.converged ? "It came to rest" : "It has not come to rest";
  const run = replay.T ? `${ended} after ${plural(replay.K, "update")} in ${plural(replay.trace.epochs.length, "epoch")} (ended by: ${replay.trace.stopped}).` : "";
  if (!certificate) return host.replaceChildren(element("p", {}, run));
  const parts = [];
  if (certificate.separable) {
    parts.push(element("p", { class: "verdict" }, certificate.sentence));
    if (["perceptron", "averaged", "voted"].includes(learner) && certificate.bound !== null) {
      const share = Math.min(1, replay.K / certificate.bound);
      const meter = element("div", { class: "meter" }, element("div", { class: "meter-fill" }));
      meter.firstChild.style.width = `${Math.max(0.5, 100 * share)}%`;
      parts.push(element("p", { class: "bound-line" }, element("strong", {}, count(replay.K)), ` of at most R²∕γ² = ${number(certificate.radius, 3)}²∕${number(certificate.margin, 3)}² = `, element("strong", {}, number(certificate.bound, 1)), " updates"), meter);
    }
  } else {
    parts.push(element("p", { class: "verdict none" }, certificate.sentence));
  }
  return host.replaceChildren(...parts, element("p", { class: "muted" }, run));
}
