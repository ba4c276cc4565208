// The points of the page where no server makes them: the recipes of playground/points.py, and rows of a table.

import { FILE } from "./file.js";
import { fromText } from "./csv.js";
import { Refused } from "./refused.js";
import { roundHalfEven } from "./epochs.js";
import { SeededRandom } from "./random.js";

const FOUR = [[1, 1, 1], [0.5, -1, -1], [-1, -1, -1], [-1, 1, -1]]; // Boulder's worked example
const LETTERS = "abcde";
const PLAIN = { letters: [], names: ["x₁", "x₂"], classes: ["−", "+"], columns: [], chosen: [], notes: [] };

// { x, y, names, classes, letters, columns, chosen, notes }: rows of two numbers, and labels of 1 or -1; of more classes, their numbers.
export function pointsOf(data) {
  if (data.kind === "csv") return fromText(data);
  if (data.kind === "file") {
    if (FILE) return { ...PLAIN, ...FILE };
    throw new Refused("This page holds no file: paste a CSV, drop one on the page, or start `rosenblatt play FILE`", "data");
  }
  if (data.kind === "four") return listed(FOUR, PLAIN.classes);
  if (data.kind === "points") return listed(data.points, data.classes ?? PLAIN.classes);
  return made(data);
}

function listed(points, classes) {
  const x = points.map(([x1, x2]) => [x1, x2]);
  const labels = points.map((point) => point[2]);
  return typeof labels[0] === "string" ? lettered(x, labels, classes) : { ...PLAIN, classes: classes.slice(0, 2), x, y: labels };
}

// Points whose labels are letters: as many classes as letters occur, called by these names, if each has one.
function lettered(x, labels, names = []) {
  const letters = [...new Set(labels)].sort();
  const codes = labels.map((label) => letters.indexOf(label));
  const y = letters.length === 2 ? codes.map((code) => 2 * code - 1) : codes;
  const named = letters.every((letter) => LETTERS.indexOf(letter) < names.length);
  const classes = letters.map((letter) => (named ? names[LETTERS.indexOf(letter)] : letter.toUpperCase()));
  return { ...PLAIN, x, y, classes, letters };
}

const hundredths = (value) => roundHalfEven(value * 100) / 100 + 0;

function made({ kind, n = 60, margin = 0.2, noise = 0, seed = 0, k = 2 }) {
  const random = new SeededRandom(seed);
  if (k > 2 && ["blobs", "ordered"].includes(kind)) return manyClouds({ kind, n, margin, noise, k }, random);
  let y = Array.from({ length: n }, (_, i) => (i % 2 === 0 ? 1 : -1));
  let x = { blobs: clouds, ordered: clouds, xor, rings }[kind](y, margin, random);
  y = random.uniform(n).map((u, i) => (u < noise ? -y[i] : y[i]));
  if (kind === "ordered") {
    const order = [...y.keys()].sort((a, b) => y[b] - y[a] || a - b);
    [x, y] = [order.map((i) => x[i]), order.map((i) => y[i])];
  }
  return { ...PLAIN, x: x.map((point) => point.map(hundredths)), y };
}

// A cloud for each class, around the origin: the farther the larger `margin` is.
function manyClouds({ kind, n, margin, noise, k }, random) {
  const [begin] = random.uniform(1);
  let codes = Array.from({ length: n }, (_, i) => i % k);
  const spread = random.normal(2 * n);
  let x = codes.map((code, i) => {
    const turn = 2 * Math.PI * (begin + code / k);
    return [Math.cos(turn) * (0.75 + margin) + 0.25 * spread[i], Math.sin(turn) * (0.75 + margin) + 0.25 * spread[n + i]].map(hundredths);
  });
  codes = random.uniform(n).map((u, i) => (u < noise ? (codes[i] + 1) % k : codes[i]));
  if (kind === "ordered") {
    const order = [...codes.keys()].sort((a, b) => codes[a] - codes[b] || a - b);
    [x, codes] = [order.map((i) => x[i]), order.map((i) => codes[i])];
  }
  return lettered(x, codes.map((code) => LETTERS[code]));
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
