// The panel of a lesson, and the list of all: what is said, asked and noted beside the run.

import { by, element } from "./dom.js";
import { LESSONS } from "./lesson-list.js";

export { LESSONS };

const placeOf = (id) => LESSONS.findIndex((lesson) => lesson.id === id);

// The link of the lesson with this number; links keep it, wherever the lesson stands in the list.
export const address = (id) => `#lesson=${id}&${LESSONS[placeOf(id)].link}`;

export function showLessons() {
  by("lesson-list").replaceChildren(...LESSONS.map(({ id, title, source, words }) =>
    element(
      "li", {},
      element("a", { href: address(id) }, element("strong", {}, title), element("span", { class: "muted" }, source)),
      element("p", {}, words[0])
    )));
  by("lesson-list").addEventListener("click", (event) => event.target.closest("a") && by("lessons").close());
}

let shown = 0;

export function showLesson(id) {
  const panel = by("lesson");
  panel.hidden = id === 0;
  if (id === shown) return; // questions that were answered stay so
  shown = id;
  if (id === 0) return;
  const place = placeOf(id);
  const { title, source, words, expect, check, notes } = LESSONS[place];
  by("lesson-title").textContent = `${place + 1}. ${title}`;
  by("lesson-source").textContent = source;
  const [first, ...more] = words.map((text) => element("p", {}, text));
  by("lesson-words").replaceChildren(
    first, question("What do you expect?", expect, goOn), element("p", { class: "muted", id: "lesson-later" }, "Choose an answer, or step: then the lesson goes on."),
    element("div", { id: "lesson-rest", hidden: "" }, ...more, question("Check", check)),
    element("details", { class: "notes" }, element("summary", {}, "For teachers"), element("p", {}, notes))
  );
  const link = (to, text, name) => (
    LESSONS[to] ? element("a", { href: address(LESSONS[to].id), class: name }, text) : element("span")
  );
  by("lesson-links").replaceChildren(
    link(place - 1, "← Previous", "before"), element("a", { href: address(id) }, "Restart"),
    link(place + 1, "Next →", "next")
  );
}

// What tells the outcome of a run is shown after the guess, or as soon as the run has begun.
export function goOn() {
  if (!by("lesson-rest")) return;
  by("lesson-rest").hidden = false;
  by("lesson-later").hidden = true;
}

// A question with its choices; the answer says at once whether it was right, and why.
function question(name, { ask, choices, right, because }, answered = () => {}) {
  const verdict = element("p", { class: "muted", role: "status" });
  const buttons = choices.map((choice, i) => element("button", {
    type: "button", "aria-pressed": "false", "data-right": i === right ? "yes" : "no",
    onclick: () => {
      buttons.forEach((button, j) => button.setAttribute("aria-pressed", String(j === i)));
      verdict.replaceChildren(element("strong", {}, i === right ? "Right. " : "Not quite. "), because);
      answered();
    },
  }, choice));
  return element(
    "div", { class: "question", role: "group", "aria-label": `${name}: ${ask}` },
    element("p", {}, element("strong", {}, `${name} `), ask), element("div", { class: "row" }, ...buttons), verdict
  );
}
