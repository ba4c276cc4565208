// From the plane of the points to the pixels of a picture, and lines cut off at its edge.

const ROOM = 0.15; // of the extent of the points, which the origin keeps away from the edges: arrows begin there
const WIDER = 1.6; // how much farther than the points the weights may reach and still be drawn to the same scale

// The box of the plane that a picture of this size shows: all points, the origin with room around, and the weights of the run
// [least w₁, most w₁, least w₂, most w₂], if they reach about as far as the points. Both axes have one unit.
export function boxFor(points, width, height, reach = [0, 0, 0, 0]) {
  const ends = [[-0.5, -0.5], [0.5, 0.5], ...points];
  const extent = [0, 1].map((axis) => ends.map((end) => end[axis])).map((values) => [least(values), most(values)]);
  const far = Math.max(...extent.flat().map(Math.abs));
  const shown = reach.every((w) => Math.abs(w) <= WIDER * far) ? reach : [0, 0, 0, 0];
  const [[left, right], [bottom, top]] = extent.map(([low, high], axis) => [
    Math.min(low, -ROOM * (high - low), shown[2 * axis]), Math.max(high, ROOM * (high - low), shown[2 * axis + 1]),
  ]);
  const centre = [(left + right) / 2, (bottom + top) / 2];
  const unit = Math.max((right - left) / width, (top - bottom) / height) * 1.22;
  return [
    centre[0] - (unit * width) / 2, centre[0] + (unit * width) / 2, centre[1] - (unit * height) / 2,
    centre[1] + (unit * height) / 2,
  ];
}

const least = (values) => values.reduce((a, b) => Math.min(a, b));
const most = (values) => values.reduce((a, b) => Math.max(a, b));

export class Frame {
  constructor(box, width, height) {
    this.box = box;
    this.width = width;
    this.height = height;
    this.unit = width / (box[1] - box[0]); // pixels for a length of 1
  }

  toPixels([x, y]) {
    return [(x - this.box[0]) * this.unit, (this.box[3] - y) * this.unit];
  }

  toPlane([px, py]) {
    return [this.box[0] + px / this.unit, this.box[3] - py / this.unit];
  }

  holds(points) {
    const [left, right, bottom, top] = this.box;
    return points.every(([x, y]) => x > left && x < right && y > bottom && y < top);
  }

  // The line w·x + b = level inside the picture, as two pixel points; null if it does not cross it.
  line([w1, w2, b], level = 0) {
    const size = Math.hypot(w1, w2);
    if (!(size > 0) || !Number.isFinite(size)) return null;
    const [u1, u2] = [w1 / size, w2 / size];
    const distance = (level - b) / size; // of the line from the origin, along w
    const centre = [(this.box[0] + this.box[1]) / 2, (this.box[2] + this.box[3]) / 2];
    const away = distance - (u1 * centre[0] + u2 * centre[1]);
    const reach = Math.hypot(this.box[1] - this.box[0], this.box[3] - this.box[2]);
    if (Math.abs(away) > reach / 2) return null;
    const foot = [centre[0] + away * u1, centre[1] + away * u2];
    return [-1, 1].map((side) => this.toPixels([foot[0] - side * u2 * reach, foot[1] + side * u1 * reach]));
  }
}

// Round steps for an axis: about `wanted` of them between two numbers.
export function ticks(low, high, wanted = 6) {
  const rough = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough) ?? 10 * power;
  const ticks = [];
  for (let i = Math.ceil(low / step); i * step <= high; i += 1) ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}
