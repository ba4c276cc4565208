// Six guided lessons, in the order of the lectures. Each is a link: a state of the page, and words beside it.

import { by, element } from "./dom.js";

export const LESSONS = [
  {
    title: "One mistake at a time",
    source: "Boulder",
    link: "data=four&order=given&epochs=1&w1=1&at=0",
    words: [
      "Four points, and a first guess: w = (1, 0), b = 0. The line is upright; everything to its right is called positive.",
      "Step through the epoch. The activations are 1, 0.5, −2.5 and −0.5. Only the second point is on the wrong side: it is negative, and a = 0.5.",
      "So x is taken away from w, and 1 from b. Watch the arrow: w = (0.5, 1), b = −1. After that nothing is wrong any more.",
    ],
  },
  {
    title: "Through the origin",
    source: "Harvey Mudd",
    link: "data=four&order=given&epochs=20&w1=1&bias=0&at=0",
    words: [
      "The same points without a bias: the line can only turn about the origin.",
      "Go from mistake to mistake (N). The ghost is the line before the update; the violet arrow is what was added to w. Five updates, and w = (1.5, 1).",
      "At w = (1, 1) one point lies on the line. A margin of 0 counts as a mistake, or learning would stop there.",
    ],
  },
  {
    title: "Why it must end",
    source: "Harvey Mudd",
    link: "data=blobs&n=80&margin=0.15&dataseed=4&epochs=100&unit=update",
    words: [
      "If some line leaves a margin γ, and no point is farther than R, a perceptron makes at most R²∕γ² mistakes: Block and Novikoff, 1962.",
      "Each update adds at least γ to θ·θ*, and at most R² to |θ|², where θ = (w, b): so |θ| stays below √k R, and the two cannot go together for long. The angle itself may grow on the way: at the third update cos(θ, θ*) falls from 0.980 to 0.667.",
      "Drag the margin slider towards 0 and watch the bound grow, and the updates with it.",
      "With a margin below 0 the clouds overlap. There is no bound then, and the certificate shows points that prove it.",
    ],
  },
  {
    title: "What no line can do",
    source: "USC",
    link: "data=xor&n=40&margin=0.15&dataseed=2&epochs=50&learner2=kernel&degree2=2",
    words: [
      "Positive where both coordinates have the same sign: no line separates these points, and a few of them prove it. The perceptron never comes to rest.",
      "Beside it the same rule with a polynomial kernel of degree 2: w is a sum of training points, and only products of points are needed. It ends.",
      "Try the rings, and degree 1: that is the line again.",
    ],
  },
  {
    title: "Noise, and the calm of many",
    source: "UW",
    link: "data=blobs&n=120&margin=0.02&noise=0.08&dataseed=5&epochs=15&view=all&at=0&unit=update",
    words: [
      "Some labels are wrong, so the last weights thrash to the very end. Play, and compare the three pictures.",
      "The average of all weights hardly moves any more. The vote of all weights, each as often as it survived an example, gives a bent border.",
      "Freund and Schapire's voted perceptron is exact; the average is nearly as good and costs one vector.",
    ],
  },
  {
    title: "How far to move",
    source: "Oregon State",
    link: "data=blobs&n=60&margin=0.12&dataseed=9&epochs=50&learner=perceptron&learner2=mira&p2=0.9",
    words: [
      "The perceptron adds the whole point, whether it was missed by a hair or by a mile. MIRA makes the smallest change that gives it margin 1.",
      "With p = 0.9 it also moves for points that are right, but too close: the margin band becomes wider, in more updates. Drag p towards 0.",
      "Then try passive-aggressive and logistic in its place: the same loop, another τ.",
    ],
  },
];

export const address = (number) => `#lesson=${number}&${LESSONS[number - 1].link}`;

export function showLessons() {
  by("lesson-list").replaceChildren(...LESSONS.map(({ title, source, words }, i) =>
    element(
      "li", {},
      element("a", { href: address(i + 1) }, element("strong", {}, title), element("span", { class: "muted" }, source)),
      element("p", {}, words[0])
    )));
  by("lesson-list").addEventListener("click", (event) => event.target.closest("a") && by("lessons").close());
}

export function showLesson(number) {
  const panel = by("lesson");
  panel.hidden = number === 0;
  if (number === 0) return;
  const { title, source, words } = LESSONS[number - 1];
  by("lesson-title").textContent = `${number}. ${title}`;
  by("lesson-source").textContent = source;
  by("lesson-words").replaceChildren(...words.map((text) => element("p", {}, text)));
  const link = (to, text, name) => (
    to >= 1 && to <= LESSONS.length ? element("a", { href: address(to), class: name }, text) : element("span")
  );
  by("lesson-links").replaceChildren(
    link(number - 1, "← Before", "before"), element("a", { href: address(number) }, "Restart"),
    link(number + 1, "Next →", "next")
  );
}
