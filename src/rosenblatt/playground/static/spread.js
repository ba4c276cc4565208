// Both axes share one unit: where one column spreads much wider than the other, the plane is a thin streak.

import { count } from "./words.js";

const THIN = 5; // times as wide
const FEW = 10; // points that may lie anyhow: they are being drawn by hand

// What is said about it; nothing where nothing is to be said.
export function thinness({ points, names }) {
  if (points.length < FEW) return "";
  const spread = [0, 1].map((axis) => {
    const values = points.map((point) => point[axis]);
    return values.reduce((a, b) => Math.max(a, b)) - values.reduce((a, b) => Math.min(a, b));
  });
  const wide = spread[0] >= spread[1] ? 0 : 1;
  const times = spread[wide] / spread[1 - wide];
  if (!(times > THIN) || !Number.isFinite(times)) return ""; // a column that never changes cannot be scaled
  return `${names[wide]} spreads ${count(Math.round(times))} times as wide as ${names[1 - wide]}, and both axes share one unit. Centre and scale the columns to see more.`;
}
