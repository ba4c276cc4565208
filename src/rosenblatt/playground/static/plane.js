// One picture of the plane: points, line, w as an arrow, margin band, the example at hand and the update that it makes.

import { arrowScale } from "./arrows.js";
import { LETTERS, colourOf, labelAt } from "./classes.js";
import { element, set, svg } from "./dom.js";
import { Frame, boxFor, ticks } from "./geometry.js";
import { norm } from "./replay.js";
import { number } from "./words.js";

const [CIRCLE, DIAMOND] = ["M0-1A1 1 0 1 1 0 1A1 1 0 1 1 0-1Z", "M0-1.25L1.25 0L0 1.25L-1.25 0Z"];
const SHAPES = {
  plus: CIRCLE, minus: DIAMOND, c0: DIAMOND, c1: CIRCLE, c2: "M-1-1H1V1H-1Z", c3: "M0-1.3L1.25 0.9H-1.25Z", c4: "M0 1.3L1.25-0.9H-1.25Z",
};
const LETTER = 8; // pixels of a letter of an axis' name, about
const NUMBERED = 12; // points up to which each has its number beside it
let pictures = 0;

export class Plane {
  // `arrows`: does it ever show w? A vote of many has none.
  constructor(host, events, arrows = true) {
    this.events = events;
    this.arrows = arrows;
    this.id = `plane${(pictures += 1)}`;
    this.root = element("div", { class: "plane", role: "img" });
    this.gradient = svg("linearGradient", { id: `${this.id}-score`, gradientUnits: "userSpaceOnUse" },
      ...["minus", "minus-near", "plus-near", "plus"].map(
        (name, i) => svg("stop", { class: `stop-${name}`, offset: [0, 0.5, 0.5, 1][i] })
      ));
    const head = svg("marker", {
      id: `${this.id}-head`, viewBox: "0 0 10 10", refX: 8, refY: 5, markerWidth: 7, markerHeight: 7, orient: "auto",
    },
      svg("path", { d: "M0 1L9 5L0 9Z", class: "arrow-head" }));
    const updateHead = svg("marker", {
      id: `${this.id}-update-head`, viewBox: "0 0 10 10", refX: 8, refY: 5, markerWidth: 7, markerHeight: 7,
      orient: "auto",
    },
      svg("path", { d: "M0 1L9 5L0 9Z", class: "update-head" }));
    const classHeads = LETTERS.map((_, k) => svg("marker", {
      id: `${this.id}-head-${k}`, viewBox: "0 0 10 10", refX: 8, refY: 5, markerWidth: 6, markerHeight: 6, orient: "auto",
    }, svg("path", { d: "M0 1L9 5L0 9Z", class: `class-head c${k}` })));
    this.wash = svg("rect", { class: "wash", fill: `url(#${this.id}-score)` });
    this.image = svg("image", { class: "region", preserveAspectRatio: "none" });
    this.axes = svg("g", { class: "axes" });
    this.band = svg("path", { class: "band" });
    this.ghost = svg("line", { class: "ghost" });
    this.line = svg("line", { class: "boundary" });
    this.border = svg("path", { class: "boundary border" }); // of regions that are no half-planes
    this.points = svg("g", { class: "points" });
    this.ring = svg("circle", { class: "ring" });
    this.ringNumber = svg("text", { class: "point-number" });
    this.before = svg("line", { class: "arrow before" });
    this.arrow = svg("line", { class: "arrow", "marker-end": `url(#${this.id}-head)` });
    this.classArrows = svg("g", { class: "class-arrows" });
    this.update = svg("line", { class: "update", "marker-end": `url(#${this.id}-update-head)` });
    // Three layers: a step repaints what lies under the points and over them, not the points themselves.
    const layer = (...parts) => svg("svg", { class: "layer", "aria-hidden": "true" }, ...parts);
    this.layers = [
      layer(
        svg("defs", {}, this.gradient, head, updateHead, ...classHeads), this.wash, this.image, this.axes, this.band, this.ghost,
        this.line, this.border
      ),
      layer(this.points), layer(this.before, this.classArrows, this.update, this.arrow, this.ring, this.ringNumber),
    ];
    this.root.append(...this.layers);
    host.append(this.root);
    events?.attach?.(this);
  }

  // New points, or a new size: everything that does not change from step to step.
  draw(replay, size, proof = [], steady = false) {
    const [width, height] = size;
    for (const layer of this.layers) set(layer, { viewBox: `0 0 ${width} ${height}`, width, height });
    this.replay = replay;
    this.arrows = this.arrows && replay.columns === 2;
    const box = boxFor(replay.x, width, height, replay.reach());
    // While points are moved by hand the picture stays where it is, as long as they are in it.
    const stay = steady && this.frame?.width === width && this.frame.height === height && this.frame.holds(replay.x) && box[1] - box[0] > 0.6 * (this.frame.box[1] - this.frame.box[0]);
    if (!stay) this.frame = new Frame(box, width, height);
    this.scale = arrowScale(replay.reach(), this.frame);
    for (const part of [this.wash, this.image]) set(part, { x: 0, y: 0, width, height });
    this.drawAxes();
    const radius = Math.max(
      2.5, Math.min(9, (Math.sqrt(width * height) / 75) * (replay.n > 300 ? 0.5 : replay.n > 100 ? 0.75 : 1))
    );
    this.radius = radius;
    const proving = new Set(proof);
    this.marks = replay.x.map((point, i) => {
      const [px, py] = this.frame.toPixels(point);
      const colour = colourOf(labelAt(replay.trace, i));
      return svg("path", {
        class: `point ${colour}${proving.has(i) ? " proving" : ""}${replay.heldOut.has(i) ? " held-out" : ""}`,
        d: SHAPES[colour], transform: `translate(${px.toFixed(2)} ${py.toFixed(2)}) scale(${radius.toFixed(2)})`, "data-row": i,
      });
    });
    this.points.replaceChildren(...this.marks, ...replay.x.length <= NUMBERED ? replay.x.map((point, i) => this.numberOf(i)) : []);
  }

  // The number of a point, as texts and the table count it, above it on the right.
  numberOf(i) {
    return svg("text", { class: "point-number", ...this.beside(i) }, String(i + 1));
  }

  // Where that stands; at the right edge on the left, at the top below.
  beside(i) {
    const [px, py] = this.frame.toPixels(this.replay.x[i]);
    const [away, right, low] = [this.radius + 7, px > this.frame.width - 50, py < 36];
    const place = { x: right ? px - away : px + away, y: low ? py + away + 10 : py - this.radius - 2 };
    return { x: place.x.toFixed(2), y: place.y.toFixed(2), "text-anchor": right ? "end" : "start" };
  }

  drawAxes() {
    const { frame } = this;
    const [left, right, bottom, top] = frame.box;
    const lines = [];
    const room = Math.max(6, Math.floor((frame.width - 60) / LETTER)); // letters
    const [name1, name2] = this.replay.trace.names.map((name) => (name.length > room ? `${name.slice(0, room - 1)}…` : name));
    const short = name1.length < 4 && name2.length < 4; // then there is room beside the axes, else at the edges
    // Where the numbers themselves stand at the edge, the name across stands above them, and the name upwards before them.
    const low = this.labelPlace(1) > frame.height - 30;
    const free = short || this.labelPlace(0) - 30 > 10 + LETTER * name2.length ? 16 : 36;
    for (const x of ticks(left, right, frame.width / 90)) {
      const [px] = frame.toPixels([x, 0]);
      lines.push(svg("line", { x1: px, x2: px, y1: 0, y2: frame.height, class: x === 0 ? "axis" : "tick" }));
      if (px > 24 && px < frame.width - 24 && x !== 0) lines.push(
        svg("text", { x: px, y: this.labelPlace(1), "text-anchor": "middle" }, number(x, 3))
      );
    }
    for (const y of ticks(bottom, top, frame.height / 80)) {
      const [, py] = frame.toPixels([0, y]);
      lines.push(svg("line", { x1: 0, x2: frame.width, y1: py, y2: py, class: y === 0 ? "axis" : "tick" }));
      if (py > free && py < frame.height - 24 && y !== 0) lines.push(
        svg("text", { x: this.labelPlace(0), y: py + 4, "text-anchor": "end" }, number(y, 3))
      );
    }
    lines.push(svg(
      "text",
      {
        class: "axis-name", x: frame.width - 10, y: short ? this.labelPlace(1) - 22 : low ? this.labelPlace(1) - 20 : frame.height - 10,
        "text-anchor": "end",
      },
      name1
    ));
    lines.push(svg("text", { class: "axis-name", x: short ? this.labelPlace(0) + 16 : 10, y: short ? 4 : 8, dy: "1em" }, name2));
    this.axes.replaceChildren(...lines, ...this.scale === 1 || !this.arrows ? [] : this.weightTicks(short ? 40 : 30 + LETTER * name2.length));
  }

  // Where arrows are not to the scale of the points, the edges at the top and on the right have the scale of w; from this place on there is room.
  weightTicks(start) {
    const { frame, scale } = this;
    const [left, right, bottom, top] = frame.box;
    const [x0, y0] = frame.toPixels([0, 0]);
    const across = ticks(left / scale, right / scale, frame.width / 90).map((w1) => [w1, frame.toPixels([w1 * scale, 0])[0]]);
    const up = ticks(bottom / scale, top / scale, frame.height / 80).map((w2) => [w2, frame.toPixels([0, w2 * scale])[1]]);
    const free = (place, most, least = 40) => place > least && place < most - 44;
    return [
      svg("text", { class: "w-tick w-name", x: frame.width - 8, y: 2, dy: "1em", "text-anchor": "end" }, "w"),
      ...across.filter(([w1, px]) => w1 !== 0 && free(px, frame.width, start) && Math.abs(px - x0) > 34).flatMap(([w1, px]) => [
        svg("line", { class: "w-mark", x1: px, x2: px, y1: 0, y2: 5 }),
        svg("text", { class: "w-tick", x: px, y: 4, dy: "1em", "text-anchor": "middle" }, number(w1, 6)),
      ]),
      ...up.filter(([w2, py]) => w2 !== 0 && free(py, frame.height) && Math.abs(py - y0) > 24).flatMap(([w2, py]) => [
        svg("line", { class: "w-mark", x1: frame.width - 5, x2: frame.width, y1: py, y2: py }),
        svg("text", { class: "w-tick", x: frame.width - 8, y: py + 4, "text-anchor": "end" }, number(w2, 6)),
      ]),
    ];
  }

  // Numbers stand beside the axes, or at the edge where the axes are out of sight.
  labelPlace(axis) {
    const [px, py] = this.frame.toPixels([0, 0]);
    return axis ? Math.max(
      34, Math.min(this.frame.height - 8, py + 16)
    ) : Math.max(36, Math.min(this.frame.width - 24, px - 7));
  }

  // The weights and the example at hand: what changes with every step.
  show(what) {
    const { weights, previous, current, update, level, shade, image, title, border = null, arrows = [] } = what;
    this.shown = what;
    if (title) this.root.setAttribute("aria-label", title);
    const linear = weights !== null;
    this.place(this.line, linear ? this.frame.line(weights) : null);
    this.place(this.ghost, previous ? this.frame.line(previous) : null);
    this.showBand(linear ? weights : null, level);
    this.showWash(linear && shade ? weights : null);
    this.image.toggleAttribute("hidden", !image);
    if (image) this.image.setAttribute("href", image);
    this.border.toggleAttribute("hidden", !border);
    this.border.setAttribute("d", border ?? "");
    this.showClassArrows(arrows);
    this.showRing(current, update);
    this.showArrows(linear ? weights : null, previous, update);
  }

  // What is not there leaves nothing behind, so that going back restores the picture exactly.
  place(line, ends) {
    line.toggleAttribute("hidden", !ends);
    if (!ends) for (const name of ["x1", "y1", "x2", "y2"]) line.removeAttribute(name);
    else set(
      line, { x1: ends[0][0].toFixed(2), y1: ends[0][1].toFixed(2), x2: ends[1][0].toFixed(2), y2: ends[1][1].toFixed(2) }
    );
  }

  showBand(weights, level) {
    const sides = weights && level > 0 ? [this.frame.line(weights, level), this.frame.line(weights, -level)] : [null];
    const whole = sides.every(Boolean);
    this.band.toggleAttribute("hidden", !whole);
    if (!whole) this.band.removeAttribute("d");
    else {
      const [a, b] = sides[0];
      const [d, c] = sides[1];
      this.band.setAttribute("d", `M${a.join(" ")}L${b.join(" ")}L${c.join(" ")}L${d.join(" ")}Z`);
    }
  }

  showWash(weights) {
    const size = weights ? norm(weights) : 0;
    this.wash.toggleAttribute("hidden", !(size > 0));
    if (!(size > 0)) {
      for (const name of ["x1", "y1", "x2", "y2"]) this.gradient.removeAttribute(name);
      return;
    }
    const reach = Math.max(this.frame.box[1] - this.frame.box[0], this.frame.box[3] - this.frame.box[2]) / 2;
    const along = [weights[0] / size, weights[1] / size];
    const away = -weights[2] / size;
    const at = (distance) => this.frame.toPixels([along[0] * distance, along[1] * distance]);
    const [[x1, y1], [x2, y2]] = [at(away - reach), at(away + reach)];
    set(this.gradient, { x1, y1, x2, y2 });
  }

  showRing(current, update) {
    this.ring.toggleAttribute("hidden", current < 0);
    if (this.ringed !== undefined) this.marks[this.ringed]?.classList.remove("current");
    this.ringNumber.textContent = "";
    for (const name of ["x", "y", "text-anchor"]) this.ringNumber.removeAttribute(name);
    if (current < 0) {
      for (const name of ["cx", "cy", "r"]) this.ring.removeAttribute(name);
      this.ring.setAttribute("class", "ring");
      return;
    }
    const [cx, cy] = this.frame.toPixels(this.replay.x[current]);
    set(
      this.ring, { cx: cx.toFixed(2), cy: cy.toFixed(2), r: this.radius + 6, class: `ring ${update ? "wrong" : "right"}` }
    );
    this.marks[current]?.classList.add("current");
    if (this.replay.x.length > NUMBERED) {
      set(this.ringNumber, this.beside(current));
      this.ringNumber.textContent = String(current + 1);
    }
    this.ringed = current;
  }

  // w from the origin; at an update the old w, what is added to it, and their sum, all to the scale of the run.
  showArrows(weights, previous, update) {
    const at = ([x, y]) => this.frame.toPixels([x * this.scale, y * this.scale]);
    const visible = (from, to) => Math.hypot(from[0] - to[0], from[1] - to[1]) > 1 ? [from, to] : null;
    this.place(this.arrow, weights ? visible(at([0, 0]), at(weights)) : null);
    this.place(this.before, previous && update ? visible(at([0, 0]), at(previous)) : null);
    this.place(this.update, previous && update && weights ? visible(at(previous), at(weights)) : null);
  }

  // w of every class, in its colour: [{ k, from, to, moved }], `moved` where this step has moved it there from `from`.
  showClassArrows(arrows) {
    const at = ([x, y]) => this.frame.toPixels([x * this.scale, y * this.scale]);
    const line = (name, from, to, head) => svg("line", {
      class: name, x1: from[0].toFixed(2), y1: from[1].toFixed(2), x2: to[0].toFixed(2), y2: to[1].toFixed(2), "marker-end": `url(#${this.id}-${head})`,
    });
    const long = (from, to) => Math.hypot(from[0] - to[0], from[1] - to[1]) > 1;
    this.classArrows.replaceChildren(...arrows.flatMap(({ k, from, to, moved }) => {
      const [zero, begin, end] = [at([0, 0]), at(from), at(to)];
      return [
        ...moved && long(begin, end) ? [line("update", begin, end, "update-head")] : [],
        ...long(zero, end) ? [line(`class-arrow c${k}`, zero, end, `head-${k}`)] : [],
      ];
    }));
  }

  pointAt(event) {
    const box = this.root.getBoundingClientRect();
    return this.frame.toPlane(
      [
        ((event.clientX - box.left) / box.width) * this.frame.width,
        ((event.clientY - box.top) / box.height) * this.frame.height,
      ]
    );
  }
}

// The smallest y (w·x + b) over all points: positive where the line separates them.
export function smallestMargin(weights, replay) {
  let least = Infinity;
  for (const i of replay.pool) least = Math.min(least, replay.margin(weights, i));
  return least;
}
