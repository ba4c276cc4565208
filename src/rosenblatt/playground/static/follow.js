// Two learners side by side: which of them the steps, the words and the charts follow.

import { by } from "./dom.js";
import { NAMES } from "./words.js";

export class Follow {
  // `choose(which)` is called with "first" or "beside".
  constructor(choose) {
    this.named = ""; // what is said before a sentence about a step, where there are two
    this.buttons = [...by("follow").querySelectorAll("button")];
    for (const button of this.buttons) button.addEventListener("click", () => choose(button.dataset.follow));
  }

  show(runs, followed) {
    const two = Boolean(runs["2"]);
    by("follow").hidden = !two;
    this.named = two ? `${name(runs, followed)}: ` : "";
    this.other = two ? name(runs, followed ? "" : "2") : "";
    if (!two) return;
    this.buttons.forEach((button, i) => {
      const suffix = ["", "2"][i];
      button.textContent = name(runs, suffix);
      button.setAttribute("aria-pressed", String(suffix === followed));
    });
    by("follow-words").textContent = `The step, the bound, the charts and the scrubber are those of the ${followed ? "second" : "first"} learner.`;
  }
}

// Two of one kind are told apart by their places.
function name(runs, suffix) {
  const [own, other] = [runs[suffix], runs[suffix ? "" : "2"]].map(({ learner }) => NAMES[learner]);
  return own === other ? `${own} (${suffix ? "second" : "first"})` : own;
}
