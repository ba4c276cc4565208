// Numbers and vectors as the lectures write them, and what learners are called.

import { LEARNERS } from "./learners.js";

export function number(value, digits = 4) {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : value < 0 ? "−∞" : "–";
  const size = Math.abs(value);
  let text = size !== 0 && (size >= 1e6 || size < 1e-4) ? value.toExponential(2) : String(Number(value.toFixed(digits)));
  if (size >= 1e4 && size < 1e6) text = String(Number(value.toFixed(1)));
  return text.replace(/-/g, "−");
}

export const count = (value) => value.toLocaleString("en").replace(/-/g, "−");
export const vector = (values) => `(${values.map((value) => number(value)).join(", ")})`;

// A factor in a product: negative ones in brackets.
export const factor = (value) => (value < 0 ? `(${number(value)})` : number(value));

// A term of a sum with its sign in front: " + 3", " − 3".
export const term = (value) => (value < 0 || Object.is(value, -0) ? ` − ${number(-value)}` : ` + ${number(value)}`);

export const NAMES = Object.fromEntries(Object.entries(LEARNERS).map(([name, { label }]) => [name, label]));

export function plural(n, one, many = `${one}s`) {
  return `${count(n)} ${n === 1 ? one : many}`;
}
