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

// A term of a sum with its sign in front: " + 3", " − 3". A line ends before the sign, never after it.
export const term = (value) => (value < 0 || Object.is(value, -0) ? ` −\u00a0${number(-value)}` : ` +\u00a0${number(value)}`);

export const NAMES = Object.fromEntries(Object.entries(LEARNERS).map(([name, { label }]) => [name, label]));

export function plural(n, one, many = `${one}s`) {
  return `${count(n)} ${n === 1 ? one : many}`;
}

// As Python's format with "g": so many digits, and no zeros behind them.
export function general(value, digits) {
  if (value === 0) return "0";
  const exponent = Number(value.toExponential(digits - 1).split("e")[1]);
  if (exponent >= -4 && exponent < digits) return String(Number(value.toPrecision(digits)));
  const [mantissa, power] = value.toExponential(digits - 1).split("e");
  const sign = power.startsWith("-") ? "-" : "+";
  return `${Number(mantissa)}e${sign}${power.replace(/[+-]/, "").padStart(2, "0")}`;
}
