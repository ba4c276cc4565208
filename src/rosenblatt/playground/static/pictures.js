// The centre: one picture, or several side by side for two learners or for last, averaged and voted weights.

import { by, element } from "./dom.js";
import { LEARNERS } from "./learners.js";
import { Plane, smallestMargin } from "./plane.js";
import { cellsOf, classImage, gridImage, regionsOf } from "./regions.js";
import { norm } from "./replay.js";
import { Surface } from "./surface.js";
import { NAMES, count, number, plural } from "./words.js";

const WORDS_EVERY = 120; // milliseconds between captions while playing
const LEAST = 60; // what is not shown yet has no size; a picture is drawn for one all the same
const width = (box) => Math.max(LEAST, Math.round(box.clientWidth));
const height = (box) => Math.max(LEAST, Math.round(box.clientHeight));

export class Pictures {
  // `ask(name, question)` asks for a grid; `attach` makes a picture editable.
  constructor(ask, attach) {
    this.ask = ask;
    this.attach = attach;
    this.host = by("pictures");
    this.list = [];
    this.selected = -1;
    this.watcher = new ResizeObserver(() => this.drawn && this.fit());
  }

  // Which pictures the state asks for: [{ suffix, view }].
  static wanted(state) {
    if (state.data === "surface") return [{ suffix: "", view: "surface" }];
    const suffixes = state.learner2 === "none" ? [""] : ["", "2"];
    return suffixes.flatMap((suffix) => {
      const learner = state[`learner${suffix}`];
      if (LEARNERS[learner].kernel) return [{ suffix, view: "last" }];
      if (state.view === "all") return ["last", "averaged", "voted"].map((view) => ({ suffix, view }));
      return [{ suffix, view: state.view === "own" ? LEARNERS[learner].view : state.view }];
    });
  }

  // New runs: `runs` has one of { replay, task, learner } for each suffix; the followed one is marked where there are two.
  draw(state, runs, followed = "") {
    this.state = state;
    this.runs = runs;
    this.followed = runs["2"] ? followed : null;
    const wanted = Pictures.wanted(state).filter(({ suffix }) => runs[suffix]);
    const names = wanted.map(({ suffix, view }) => suffix + view).join();
    if (names !== this.names) {
      this.names = names;
      this.watcher.disconnect();
      this.host.replaceChildren();
      this.list = wanted.map((want) => this.make(want));
      this.host.dataset.count = String(wanted.length);
    }
    const views = wanted.filter(({ suffix }) => runs[suffix].replay.linear).map(({ view }) => view);
    showLegend({ line: views.some((view) => view !== "voted"), last: views.includes("last") });
    this.drawn = true;
    this.redraw();
  }

  make({ suffix, view }) {
    const caption = element("figcaption");
    const box = element("div", { class: "canvas" });
    this.host.append(element("figure", { class: "picture" }, caption, box));
    this.watcher.observe(box);
    return { suffix, view, caption, box, plane: view === "surface" ? new Surface(box) : new Plane(box, { attach: this.attach }, view !== "voted") };
  }

  // Draws again what has another size than before.
  fit() {
    const fits = ({ box, plane }) => plane.frame && plane.frame.width === width(box) && plane.frame.height === height(box);
    if (!this.list.every(fits)) this.redraw();
  }

  redraw() {
    for (const part of this.list) {
      const { replay, certificate } = this.runs[part.suffix];
      if (replay.surface) {
        part.plane.draw(replay, [width(part.box), height(part.box)], this.colours());
        continue;
      }
      part.plane.draw(
        replay, [width(part.box), height(part.box)], certificate?.separable === false ? certificate.rows : [],
        this.state.data === "points"
      );
      part.image = null;
    }
    this.select(this.selected);
    this.show(this.place ?? 0);
  }

  // The point that Delete would remove is outlined, also after it was moved.
  select(row) {
    this.selected = row;
    for (const { plane } of this.list) plane.marks?.forEach((mark, i) => mark.classList.toggle("selected", i === row));
  }

  show(t, playing = false) {
    this.place = t;
    const words = !playing || performance.now() - (this.wordsShownAt ?? 0) > WORDS_EVERY;
    if (words) this.wordsShownAt = performance.now();
    const several = this.list.length > 1;
    for (const part of this.list) {
      const run = this.runs[part.suffix];
      const { replay, learner } = run;
      const seen = Math.min(t, replay.T);
      if (replay.surface) {
        this.showSurface(part, replay, seen);
        continue;
      }
      const now = replay.at(seen);
      const k = seen > 0 ? replay.updateAt(seen - 1) : -1;
      const fetched = replay.kernel || part.view === "voted";
      const weights = fetched ? null : now[part.view];
      const previous = weights && part.view === "last" && k >= 0 ? replay.at(seen - 1).last : null;
      const name = replay.kernel ? NAMES.kernel : several && this.state.view === "all" ? `${NAMES[learner]}: ${part.view}` : NAMES[learner] + (part.view === LEARNERS[learner].view ? "" : `: ${part.view}`);
      const lines = weights ? describe(weights, replay) : [replay.kernel ? `${plural(
        new Set(replay.row.slice(0, now.k)).size, "point"
      )} in the sum` : `${plural(now.k + 1, "weight vector")} voting`];
      const line = replay.linear ? weights : null; // else its border is no line
      part.plane.show({
        weights: line, previous: line && previous, current: seen > 0 ? replay.rowAt(seen - 1) : -1, update: k >= 0, shade: this.state.shade,
        ...this.regions(part, replay, weights), arrows: classArrows(replay, weights, previous),
        level: line ? bandLevel(line, learner, replay) : 0, title: words ? `${name}. ${plural(replay.x.length, "point")}. ${spoken(lines)}` : null,
      });
      const shorter = weights && part.plane.arrows ? scaleWords(part.plane.scale) : "";
      if (words) part.caption.replaceChildren(
        element("strong", {}, name, element("span", { class: "followed" }, part.suffix === this.followed ? " · followed" : "")), caption(lines, shorter)
      );
      if (fetched) this.fetch(part, run, now);
    }
  }

  showSurface({ plane, caption: words }, { path, values, eta }, t) {
    const lines = [`f = ${number(values[t])}`, `θ = (${path[t].map((part) => number(part, 3)).join(", ")})`, `η = ${number(eta)}`];
    plane.show(t, `Gradient descent. ${spoken(lines)}`);
    words.replaceChildren(element("strong", {}, "Gradient descent"), caption(lines, ""));
  }

  // The image of a region that is no half-plane, and its border: of weights made here, else that which was fetched last.
  regions(part, replay, weights) {
    if (replay.linear && weights) return { image: null, border: null };
    if (!weights) return { image: this.state.shade ? part.image : null, border: null };
    if (weights.flat().every((value) => value === 0)) return { image: null, border: null };
    const { image, border } = regionsOf(replay, weights, part.plane.frame, this.colours());
    return { image: this.state.shade ? image : null, border };
  }

  // A region that is no half-plane comes from the server; while one is on its way, only the newest is asked for next.
  async fetch(part, run, now) {
    const key = `${now.t}|${part.plane.frame.box}|${run.number}`;
    if (part.key === key) return;
    if (part.waiting) { part.dirty = true; return; }
    [part.key, part.waiting] = [key, true];
    const { frame } = part.plane;
    const { box } = frame;
    const { columns, rows } = cellsOf(frame);
    const answer = await this.ask(
      `grid${part.suffix}${part.view}`, { task: run.task, view: part.view, examples: now.t, box, columns, rows }
    );
    part.waiting = false;
    if (answer && part.plane.frame.box === box) {
      const { scores, winners } = answer;
      part.image = (winners ? classImage : gridImage)(winners ?? scores, answer.columns, answer.rows, this.colours()); // a long run has fewer cells
      part.plane.show({ ...part.plane.shown, image: this.state.shade ? part.image : null });
    }
    if (part.dirty) {
      part.dirty = false;
      this.show(this.place);
    }
  }

  colours() {
    const style = getComputedStyle(document.documentElement);
    const parts = (name) => style.getPropertyValue(name).match(/[\da-f]{2}/gi).map((pair) => parseInt(pair, 16));
    const [plus, minus] = [parts("--plus"), parts("--minus")];
    return { plus, minus, classes: [minus, plus, parts("--c2"), parts("--c3"), parts("--c4")] };
  }

  recolour() {
    for (const part of this.list) part.key = null;
    if (this.drawn) this.redraw();
  }
}

// Signs that no picture shows are not explained: a kernel has no w, a vote no line.
function showLegend(shown) {
  for (const [what, visible] of Object.entries(shown)) {
    for (const sign of document.querySelectorAll(`.of-${what}`)) sign.hidden = !visible;
  }
}

// The margin band: where the rule wants margin 1, that; else the smallest margin, if all points are right.
function bandLevel(weights, learner, replay) {
  if (!LEARNERS[learner].additive) return norm(weights) > 0 ? 1 : 0;
  return Math.max(0, smallestMargin(weights, replay));
}

// The arrows of more than two classes: w of each, and whether this step has moved it.
function classArrows(replay, weights, previous) {
  if (!weights || replay.vectors === 1 || replay.columns > 2) return [];
  return weights.map((to, k) => {
    const from = previous?.[k] ?? to;
    return { k, from, to, moved: from.some((value, j) => value !== to[j]) };
  });
}

// How many are wrong, w, and b where there is one.
function describe(weights, replay) {
  const wrong = replay.wrong(weights);
  const away = [...replay.heldOut];
  const held = away.length ? `, held out ${count(replay.wrong(weights, away))} of ${count(away.length)}` : "";
  const vectors = replay.vectors === 1 ? [weights] : weights;
  const begun = vectors.some((vector) => norm(vector) > 0);
  const first = begun ? (wrong ? `${count(wrong)} wrong` : "all right") + held : `no ${replay.linear ? "line" : "boundary"} yet`;
  if (replay.vectors > 1) return [first];
  const bias = replay.trace.bias ? [`b = ${number(weights.at(-1), 3)}`] : [];
  return [first, `w = (${weights.slice(0, -1).map((value) => number(value, replay.columns > 2 ? 2 : 3)).join(", ")})`, ...bias];
}

// What the scale at the edges means, where arrows are not as long as w.
const scaleWords = (scale) => (scale === 1 ? "" : scale > 1 ? `arrows ${number(scale)} times as long` : `arrows at 1/${number(1 / scale, 0)}`);

const spoken = ([first, ...numbers]) => [first, ...numbers.length ? [numbers.join(", ")] : []].join(" · ");

// The words above a picture. Where pictures stand side by side they have lines of their own, always the same number of
// them: nothing is cut, and the pictures keep their size from step to step.
function caption([first, w, b], shorter) {
  const between = (text) => element("i", {}, text);
  const rest = [b, shorter].filter(Boolean).join(" · ");
  return element("span", { class: "muted words" }, element("span", {}, first), ...w === undefined ? [] : [
    between(" · "), element("span", { class: "w" }, w), rest && between(b ? ", " : " · "), element("span", { class: "b" }, rest),
  ]);
}
