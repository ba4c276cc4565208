// A picture of the surface that is descended: lines of equal height, the path so far, and the lowest point.

import { value } from "./descent.js";
import { element, set, svg } from "./dom.js";
import { Frame, ticks } from "./geometry.js";
import { cellsOf, heightImage, zeroLine } from "./regions.js";
import { number } from "./words.js";

const LOWEST = [1, 1];
const HEIGHTS = [0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100];
const FAR = 3; // how far a path may go and still be in the picture

export class Surface {
  constructor(host) {
    this.root = element("div", { class: "plane surface", role: "img" });
    this.image = svg("image", { class: "region", preserveAspectRatio: "none" });
    this.lines = svg("g", { class: "axes" });
    this.heights = svg("path", { class: "height-line" });
    this.path = svg("polyline", { class: "descent" });
    this.stops = svg("g", { class: "descent-stops" });
    this.lowest = svg("path", { class: "lowest", d: "M-6-6L6 6M6-6L-6 6" });
    this.place = svg("circle", { class: "ring wrong", r: 8 });
    this.layer = svg("svg", { class: "layer", "aria-hidden": "true" }, this.image, this.lines, this.heights, this.path, this.stops, this.lowest, this.place);
    this.root.append(this.layer);
    host.append(this.root);
    this.arrows = false;
  }

  draw(replay, [width, height], palette) {
    set(this.layer, { viewBox: `0 0 ${width} ${height}`, width, height });
    this.replay = replay;
    this.frame = new Frame(boxAround(replay.path, width, height), width, height);
    const { columns, rows } = cellsOf(this.frame);
    const [wide, high] = [width / columns, height / rows];
    const at = (px, py) => value(this.frame.toPlane([px, py]));
    const cells = Array.from({ length: columns * rows }, (_, i) => at(((i % columns) + 0.5) * wide, (Math.floor(i / columns) + 0.5) * high));
    const corners = Array.from({ length: (columns + 1) * (rows + 1) }, (_, i) => at((i % (columns + 1)) * wide, Math.floor(i / (columns + 1)) * high));
    set(this.image, { x: 0, y: 0, width, height, href: heightImage(cells, columns, rows, palette) });
    this.heights.setAttribute("d", HEIGHTS.map((level) => zeroLine(corners.map((one) => one - level), columns + 1, wide, high)).join(""));
    const [x, y] = this.frame.toPixels(LOWEST);
    this.lowest.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
    this.drawAxes();
  }

  drawAxes() {
    const { frame } = this;
    const [left, right, bottom, top] = frame.box;
    const text = (attributes, words) => svg("text", attributes, words);
    const across = ticks(left, right, frame.width / 90).map((x) => [x, frame.toPixels([x, 0])[0]]);
    const up = ticks(bottom, top, frame.height / 80).map((y) => [y, frame.toPixels([0, y])[1]]);
    this.lines.replaceChildren(
      ...across.filter(([, px]) => px > 40 && px < frame.width - 40).map(([x, px]) => text({ x: px, y: frame.height - 8, "text-anchor": "middle" }, number(x, 3))),
      ...up.filter(([, py]) => py > 40 && py < frame.height - 40).map(([y, py]) => text({ x: 30, y: py + 4, "text-anchor": "end" }, number(y, 3))),
      text({ class: "axis-name", x: frame.width - 10, y: frame.height - 10, "text-anchor": "end" }, "θ₁"),
      text({ class: "axis-name", x: 12, y: 20 }, "θ₂"),
    );
  }

  show(t, title) {
    if (title) this.root.setAttribute("aria-label", title);
    const seen = this.replay.path.slice(0, t + 1).filter((point) => point.every(Number.isFinite)).map((point) => this.frame.toPixels(point));
    this.path.setAttribute("points", seen.map((point) => point.map((value) => Math.max(-1e5, Math.min(1e5, value)).toFixed(1)).join(",")).join(" "));
    const few = seen.length <= 60 ? seen : [];
    this.stops.replaceChildren(...few.map(([cx, cy]) => svg("circle", { class: "stop", cx: cx.toFixed(1), cy: cy.toFixed(1), r: 3 })));
    const [cx, cy] = seen.at(-1);
    set(this.place, { cx: cx.toFixed(1), cy: cy.toFixed(1) });
    this.shown = { image: this.image.getAttribute("href") };
  }
}

// The path, as far as it stays near, with the lowest point and room around; both axes have one unit.
function boxAround(path, width, height) {
  const near = path.filter((point) => point.every((part) => Math.abs(part) <= FAR));
  const ends = [[0, -0.25], [1, 1.25], LOWEST, ...near];
  const [low, high] = [Math.min, Math.max].map((most) => [0, 1].map((axis) => ends.reduce((best, end) => most(best, end[axis]), ends[0][axis])));
  const unit = 1.25 * Math.max((high[0] - low[0]) / width, (high[1] - low[1]) / height);
  const centre = [0, 1].map((axis) => (low[axis] + high[axis]) / 2);
  return [centre[0] - (unit * width) / 2, centre[0] + (unit * width) / 2, centre[1] - (unit * height) / 2, centre[1] + (unit * height) / 2];
}
