// What buttons and keys do.

import { by } from "./dom.js";
import { colourOf, nextOf, signOf, spokenLabel } from "./classes.js";
import { openExport } from "./export-dialog.js";
import { listen, showKeys } from "./keyboard.js";
import { showLessons } from "./lessons.js";
import { FIELDS } from "./state.js";

export function bindActions(page) {
  showLessons();
  const actions = { ...replayActions(page), ...looksActions(page), ...dialogActions(page) };
  listen(actions, () => page.state.hide);
  const onClick = (nodes, action) => nodes.forEach((node) => node.addEventListener("click", () => action(node)));
  onClick(document.querySelectorAll("[data-action]"), ({ dataset }) => actions[dataset.action](dataset.argument));
  onClick(document.querySelectorAll("[data-view]"), ({ dataset }) => page.choose({ view: dataset.view }));
  onClick(document.querySelectorAll("[data-close]"), (button) => button.closest("dialog").close());
  onClick(document.querySelectorAll("[data-dismiss]"), (button) => { button.closest(".notice").hidden = true; });
  onClick([by("shade")], () => page.choose({ shade: !page.state.shade }));
  onClick([by("next-label")], () => {
    page.nextLabel = nextOf(page.nextLabel, page.labels);
    showNextLabel(page.nextLabel);
  });
}

// The class that a click into the plane gives to a point.
export function showNextLabel(label) {
  const button = by("next-label");
  button.textContent = signOf(label);
  button.className = `label-button ${colourOf(label)}`;
  const point = typeof label === "string" ? `point of class ${spokenLabel(label)}` : `${spokenLabel(label)} point`;
  button.setAttribute("aria-label", `A click adds a ${point}. Change it`);
}

function replayActions({ player }) {
  return {
    toggle: () => player.toggle(),
    step: (direction, unit) => player.step(direction, unit),
    nextMistake: () => player.nextMistake(),
    nextEpoch: () => player.nextEpoch(),
    toStart: () => player.toStart(),
    toEnd: () => player.toEnd(),
  };
}

function looksActions(page) {
  return {
    speed: (change) => {
      const { options } = FIELDS.speed;
      const speed = options[options.indexOf(page.state.speed) + change];
      if (speed) page.choose({ speed });
    },
    nextView: () => {
      const { options } = FIELDS.view;
      page.choose({ view: options[(options.indexOf(page.state.view) + 1) % options.length] });
    },
    follow: () => page.runs["2"] && page.choose({ follow: page.state.follow === "first" ? "beside" : "first" }),
    scale: () => page.choose({ scale: true }),
    present: () => page.choose({ present: !page.state.present }),
    theme: () => {
      const dark = page.state.theme === "auto" ? matchMedia("(prefers-color-scheme: dark)").matches : page.state.theme === "dark";
      page.choose({ theme: dark ? "light" : "dark" });
      page.pictures.recolour();
    },
  };
}

function dialogActions(page) {
  return {
    table: () => {
      by("points-panel").open = true;
      by("points-panel").querySelector("summary").focus();
    },
    remove: () => page.remove(),
    undo: () => page.travel("undo"),
    redo: () => page.travel("redo"),
    lessons: () => by("lessons").showModal(),
    exports: () => openExport(page),
    help: () => {
      showKeys(page.state.hide);
      by("help").showModal();
    },
  };
}
