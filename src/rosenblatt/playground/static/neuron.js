// The neuron of the lecture, with the weights of this moment: inputs times weights, their sum, and whether it fires.

import { featureLabels } from "./basis.js";
import { by, svg } from "./dom.js";
import { score } from "./replay.js";
import { number } from "./words.js";

const [FIRST, APART, LEFT] = [22, 43, 198]; // of the inputs, from one to the next, and of the sum
const WEIGHTS = { "x₁": "w₁", "x₂": "w₂", "x₁²": "w₁₁", "x₂²": "w₂₂", "x₁x₂": "w₁₂" };
const THICKEST = 6; // pixels of the strongest connection

// After t examples: the example that was met last, and the weights that it met.
export function showNeuron(replay, t) {
  const section = by("neuron");
  section.hidden = replay.kernel || replay.vectors > 1;
  if (section.hidden) return;
  const row = t > 0 ? replay.rowAt(t - 1) : -1;
  const weights = replay.at(Math.max(0, row < 0 ? t : t - 1)).last;
  const inputs = featureLabels(replay.features).map((name, j) => [name, row < 0 ? null : replay.rows[row][j], weights[j], WEIGHTS[name]]);
  if (replay.trace.bias || weights.at(-1) !== 0) inputs.push(["1", row < 0 ? null : 1, weights.at(-1), "b"]);
  const at = [LEFT, FIRST + (APART * (Math.max(3, inputs.length) - 1)) / 2];
  const strongest = Math.max(1e-300, ...inputs.map(([, , weight]) => Math.abs(weight)));
  const sum = row < 0 ? null : score(weights, replay.rows[row]);
  const fires = sum === null ? "" : sum >= 0 ? "fires: +1" : "rests: −1";
  by("neuron-picture").setAttribute("viewBox", `0 0 320 ${2 * at[1]}`);
  by("neuron-picture").replaceChildren(
    ...[synapse, labels].flatMap((draw) => inputs.flatMap((input, i) => draw(input, FIRST + APART * i, at, strongest))),
    svg("circle", { class: "cell", cx: at[0], cy: at[1], r: 24 }),
    svg("text", { x: at[0], y: at[1] + 5, "text-anchor": "middle" }, sum === null ? "Σ" : number(sum, 3)),
    svg("line", { class: "axon", x1: at[0] + 24, x2: 246, y1: at[1], y2: at[1] }),
    svg("text", { x: 250, y: at[1] + 5 }, fires || "≥ 0 ?"),
  );
  const words = inputs.map(([name, value, weight]) => `${name}${value === null ? "" : ` = ${number(value)}`} with weight ${number(weight)}`);
  by("neuron-picture").setAttribute("aria-label", `A neuron: ${words.join(", ")}${sum === null ? "" : `; the sum is ${number(sum, 3)}, so it ${fires}`}`);
}

// The connection of an input: as thick as the weight is large, in the colour of what it speaks for.
function synapse([, , weight], y, sum, strongest) {
  const thick = (THICKEST * Math.abs(weight)) / strongest;
  return [svg("line", { class: `synapse ${weight < 0 ? "minus" : "plus"}`, x1: 78, y1: y, x2: sum[0] - 22, y2: sum[1], "stroke-width": Math.max(0.75, thick).toFixed(2) })];
}

function labels([name, value, weight, title], y, sum) {
  return [
    svg("text", { x: 70, y: y + 5, "text-anchor": "end" }, value === null || name === "1" ? name : `${name} = ${number(value, 3)}`),
    svg("text", { class: "weight", x: 100, y: y + (sum[1] - y) * 0.18 - 5 }, `${title} = ${number(weight, 3)}`),
  ];
}
