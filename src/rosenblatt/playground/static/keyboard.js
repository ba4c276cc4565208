// One key for everything that is done often; `?` shows them.

import { by, element } from "./dom.js";

export const KEYS = [
  ["Space", "play or pause"],
  ["→ ←", "one step on, one back"],
  ["Shift + → ←", "to the next update, to the one before"],
  ["N", "next mistake"],
  ["E", "next epoch"],
  ["Home End", "start and end of the run"],
  ["+ −", "faster, slower"],
  ["V", "next view: last, averaged, voted, all"],
  ["F", "follow the other of two learners"],
  ["P", "open the table of points"],
  ["Delete", "remove the chosen point"],
  ["Ctrl+Z", "undo; with Shift, redo"],
  ["B", "big: for the back row"],
  ["L", "lessons"],
  ["X", "export"],
  ["T", "light or dark"],
  ["?", "this list"],
];

const PANEL = { l: "lessons", x: "export", t: "theme", v: "views", p: "points" }; // what a key opens or changes

// `hidden()` gives the panels that a link leaves out: their keys do nothing then.
export function listen(actions, hidden) {
  const table = {
    " ": actions.toggle, ArrowRight: () => actions.step(1), ArrowLeft: () => actions.step(-1), n: actions.nextMistake, e: actions.nextEpoch,
    Home: actions.toStart, End: actions.toEnd, "+": () => actions.speed(1), "=": () => actions.speed(1), "-": () => actions.speed(-1),
    v: actions.nextView, f: actions.follow, p: actions.table, Delete: actions.remove, Backspace: actions.remove, l: actions.lessons, x: actions.exports, t: actions.theme,
    "?": actions.help, b: actions.present,
  };
  document.addEventListener("keydown", (event) => {
    const travel = { z: event.shiftKey ? actions.redo : actions.undo, y: actions.redo }[event.key.toLowerCase()];
    if ((event.ctrlKey || event.metaKey) && travel && !isTyping(event.target, event.key)) {
      event.preventDefault();
      travel();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (isTyping(event.target, event.key)) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const arrow = event.shiftKey && { ArrowRight: 1, ArrowLeft: -1 }[key];
    const action = arrow ? () => actions.step(arrow, "update") : table[key];
    if (!action || hidden().includes(PANEL[key])) return;
    event.preventDefault();
    action();
  });
}

// Keys belong to the control that has the focus, if it has a use for them.
function isTyping(target, key) {
  if (target.matches("textarea, select, input:not([type=range]):not([type=checkbox])")) return true;
  if (target.matches("input[type=range]")) return key.startsWith("Arrow") || key === "Home" || key === "End";
  return target.matches("button, summary, a, input[type=checkbox]") && (key === " " || key === "Enter");
}

export function showKeys(hidden) {
  const shown = KEYS.filter(([keys]) => !hidden.includes(PANEL[keys.toLowerCase()]));
  by("keys").replaceChildren(...shown.flatMap(([keys, what]) => [
    element(
      "dt", {},
      ...keys.split(" ").flatMap(
        (key, i) => [i ? " " : "", key === "+" && keys.startsWith("Shift") ? "+" : element("kbd", {}, key)]
      )
    ),
    element("dd", {}, what),
  ]));
}
