// Regions of the plane that are no half-planes: as an image of cells, and the borders between them as lines.

import { withProducts } from "./basis.js";
import { decide } from "./linear.js";

const CELLS = 96; // along the longer side

// How many cells a picture of this size has, and how large they are.
export function cellsOf({ width, height }) {
  const cell = Math.max(width, height) / CELLS;
  const [columns, rows] = [width, height].map((side) => Math.max(2, Math.round(side / cell)));
  return { columns, rows };
}

// What weights of features, or of more than two classes, call each part of a frame: { image, border }.
export function regionsOf(replay, weights, frame, palette) {
  const { columns, rows } = cellsOf(frame);
  const scoresAt = (px, py) => replay.scores(weights, withProducts(frame.toPlane([px, py]), replay.features));
  const [wide, high] = [frame.width / columns, frame.height / rows];
  const cells = grid(columns, rows, (c, r) => scoresAt((c + 0.5) * wide, (r + 0.5) * high));
  const corners = grid(columns + 1, rows + 1, (c, r) => scoresAt(c * wide, r * high));
  const many = replay.vectors > 1;
  const image = many ? classImage(cells.map(decide), columns, rows, palette) : gridImage(cells.map(([score]) => score), columns, rows, palette);
  const fields = many ? palette.classes.slice(0, replay.vectors).map((_, k) => corners.map((scores) => lead(scores, k))) : [corners.map(([score]) => score)];
  return { image, border: fields.map((field) => zeroLine(field, columns + 1, wide, high)).join("") };
}

function grid(columns, rows, at) {
  const values = [];
  for (let r = 0; r < rows; r += 1) for (let c = 0; c < columns; c += 1) values.push(at(c, r));
  return values;
}

// By how much class k is ahead of all others.
const lead = (scores, k) => scores[k] - scores.reduce((most, score, c) => (c === k ? most : Math.max(most, score)), -Infinity);

// Where a field over the corners of cells is 0, as a path: marching squares, each crossing placed by the values around it.
export function zeroLine(field, columns, wide, high) {
  const parts = [];
  const rows = field.length / columns;
  for (let r = 0; r + 1 < rows; r += 1) {
    for (let c = 0; c + 1 < columns; c += 1) {
      const corners = [[c, r], [c + 1, r], [c + 1, r + 1], [c, r + 1]].map(([x, y]) => [x, y, field[y * columns + x]]);
      const crossings = [];
      corners.forEach(([x, y, value], i) => {
        const [x2, y2, next] = corners[(i + 1) % 4];
        if ((value >= 0) === (next >= 0)) return;
        const share = value / (value - next);
        crossings.push(`${((x + share * (x2 - x)) * wide).toFixed(1)} ${((y + share * (y2 - y)) * high).toFixed(1)}`);
      });
      for (let i = 0; i + 1 < crossings.length; i += 2) parts.push(`M${crossings[i]}L${crossings[i + 1]}`);
    }
  }
  return parts.join("");
}

// Scores of a grid as a picture: blue where positive, orange where negative, stronger where surer.
export function gridImage(scores, columns, rows, { plus, minus }) {
  const largest = scores.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-12);
  return painted(columns, rows, (i) => [...scores[i] >= 0 ? plus : minus, 0.12 + 0.3 * Math.min(1, Math.sqrt(Math.abs(scores[i]) / largest))]);
}

// Classes of a grid, each in its colour.
export function classImage(winners, columns, rows, { classes }) {
  return painted(columns, rows, (i) => [...classes[winners[i]], 0.24]);
}

// Heights as a picture: the lower, the stronger.
export function heightImage(heights, columns, rows, { plus }) {
  return painted(columns, rows, (i) => [...plus, 0.42 / (1 + 2.5 * Math.sqrt(heights[i]))]);
}

function painted(columns, rows, colourOf) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [columns, rows];
  const context = canvas.getContext("2d");
  const pixels = context.createImageData(columns, rows);
  for (let i = 0; i < columns * rows; i += 1) {
    const [red, green, blue, strength] = colourOf(i);
    pixels.data.set([red, green, blue, Math.round(255 * strength)], 4 * i);
  }
  context.putImageData(pixels, 0, 0);
  return canvas.toDataURL();
}
