// How the page looks: its theme, which panels are shown, which buttons are pressed, and what the signs in the plane mean.

import { colourOf } from "./classes.js";
import { by, element } from "./dom.js";

// What the state asks for, and whether there is something to undo and redo.
export function showLooks(state, { past, future }) {
  document.documentElement.dataset.theme = state.theme;
  document.documentElement.toggleAttribute("data-present", state.present);
  by("present").setAttribute("aria-pressed", String(state.present));
  for (const [id, list] of [["undo", past], ["redo", future]]) by(id).setAttribute("aria-disabled", String(!list.length));
  for (const panel of document.querySelectorAll("[data-panel]")) panel.toggleAttribute(
    "data-hidden", state.hide.includes(panel.dataset.panel)
  );
  by("left").toggleAttribute(
    "data-hidden", ["data", "learner", "training", "start", "points"].every((name) => state.hide.includes(name))
  );
  by("right").toggleAttribute(
    "data-hidden", ["step", "neuron", "bound", "charts"].every((name) => state.hide.includes(name)) && state.lesson === 0
  );
  document.documentElement.toggleAttribute("data-surface", state.data === "surface");
  for (const button of by("views").querySelectorAll("[data-view]")) button.setAttribute(
    "aria-pressed", String(button.dataset.view === state.view)
  );
  by("shade").setAttribute("aria-pressed", String(state.shade));
}

// What the signs in the plane stand for.
export function showClasses({ classes, letters, heldOut }) {
  const named = classes[1] !== "+";
  by("class-minus").textContent = named ? classes[0] : "negative";
  by("class-plus").textContent = named ? classes[1] : "positive";
  for (const sign of document.querySelectorAll(".legend .of-two")) sign.hidden = letters.length > 0;
  document.querySelectorAll(".legend .of-many").forEach((sign) => sign.remove());
  document.querySelector(".legend").prepend(...letters.map((letter, i) => (
    element("li", { class: "of-many" }, element("i", { class: `key ${colourOf(letter)}` }), classes[i])
  )));
  document.querySelector(".of-held-out").hidden = !heldOut.length;
}
