// The points of the page where no server makes them: the recipes of playground/points.py, and rows of a table.

import { FILE } from "./file.js";
import { fromText } from "./csv.js";
import { Refused } from "./refused.js";
import { SeededRandom } from "./random.js";

const FOUR = [[1, 1, 1], [0.5, -1, -1], [-1, -1, -1], [-1, 1, -1]]; // Boulder's worked example
const PLAIN = { names: ["x₁", "x₂"], classes: ["−", "+"], columns: [], chosen: [], notes: [] };

// { x, y, names, classes, columns, chosen, notes }: rows of two numbers, and labels of 1 or -1.
export function pointsOf(data) {
  if (data.kind === "csv") return fromText(data);
  if (data.kind === "file") {
    if (FILE) return FILE;
    throw new Refused("This page holds no file: paste a CSV, drop one on the page, or start `rosenblatt play FILE`", "data");
  }
  if (data.kind === "four") return listed(FOUR, PLAIN.classes);
  if (data.kind === "points") return listed(data.points, data.classes ?? PLAIN.classes);
  return made(data);
}

const listed = (points, classes) => (
  { ...PLAIN, classes, x: points.map(([x1, x2]) => [x1, x2]), y: points.map((point) => point[2]) }
);

function made({ kind, n = 60, margin = 0.2, noise = 0, seed = 0 }) {
  const random = new SeededRandom(seed);
  let y = Array.from({ length: n }, (_, i) => (i % 2 === 0 ? 1 : -1));
  let x = { blobs: clouds, ordered: clouds, xor, rings }[kind](y, margin, random);
  y = random.uniform(n).map((u, i) => (u < noise ? -y[i] : y[i]));
  if (kind === "ordered") {
    const order = [...y.keys()].sort((a, b) => y[b] - y[a] || a - b);
    [x, y] = [order.map((i) => x[i]), order.map((i) => y[i])];
  }
  return { ...PLAIN, x: x.map((point) => point.map((value) => roundHalfEven(value * 100) / 100 + 0)), y };
}

// Two clouds on the two sides of a random line, `margin` away from it; a negative margin lets them overlap.
function clouds(y, margin, random) {
  const [angle, offset] = random.uniform(2);
  const along = [Math.cos(2 * Math.PI * angle), Math.sin(2 * Math.PI * angle)];
  const away = random.normal(y.length).map((size, i) => y[i] * (margin + Math.abs(size) * 0.45) + (offset - 0.5) * 0.5);
  const across = random.normal(y.length).map((size) => size * 0.55);
  return y.map((_, i) => [away[i] * along[0] + across[i] * -along[1], away[i] * along[1] + across[i] * along[0]]);
}

// Positive where both coordinates have the same sign, `margin` away from the axes.
function xor(y, margin, random) {
  const sides = random.uniform(y.length).map((u) => (u < 0.5 ? 1 : -1));
  const size = random.uniform(2 * y.length).map((u) => Math.abs(margin) + u);
  return y.map((label, i) => [sides[i] * size[i], sides[i] * label * size[y.length + i]]);
}

// Positive inside, negative in a ring around it, `margin` apart on both sides of radius 0.7.
function rings(y, margin, random) {
  const turn = random.uniform(y.length).map((u) => 2 * Math.PI * u);
  return random.uniform(y.length).map((share, i) => {
    const radius = y[i] === 1 ? Math.max(0.7 - margin, 0.05) * Math.sqrt(share) : 0.7 + margin + 0.4 * share;
    return [radius * Math.cos(turn[i]), radius * Math.sin(turn[i])];
  });
}

// As numpy rounds: a half goes to the even neighbour.
function roundHalfEven(value) {
  const below = Math.floor(value);
  const rest = value - below;
  if (rest !== 0.5) return rest < 0.5 ? below : below + 1;
  return below % 2 === 0 ? below : below + 1;
}
