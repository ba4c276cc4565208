// The neuron of the lecture, with the weights of this moment: inputs times weights, their sum, and whether it fires.

import { by, svg } from "./dom.js";
import { score } from "./replay.js";
import { number } from "./words.js";

const ROWS = [22, 65, 108]; // of the inputs
const SUM = [198, 65];
const THICKEST = 6; // pixels of the strongest connection

// After t examples: the example that was met last, and the weights that it met.
export function showNeuron(replay, t) {
  const section = by("neuron");
  section.hidden = replay.kernel;
  if (replay.kernel) return;
  const row = t > 0 ? replay.rowAt(t - 1) : -1;
  const [w1, w2, b] = replay.at(Math.max(0, row < 0 ? t : t - 1)).last;
  const inputs = [["x₁", row < 0 ? null : replay.x[row][0], w1], ["x₂", row < 0 ? null : replay.x[row][1], w2]];
  if (replay.trace.bias || b !== 0) inputs.push(["1", row < 0 ? null : 1, b]);
  const strongest = Math.max(1e-300, ...inputs.map(([, , weight]) => Math.abs(weight)));
  const sum = row < 0 ? null : score([w1, w2, b], replay.x[row]);
  const fires = sum === null ? "" : sum >= 0 ? "fires: +1" : "rests: −1";
  by("neuron-picture").replaceChildren(
    ...inputs.flatMap((input, i) => connection(input, i, strongest)),
    svg("circle", { class: "cell", cx: SUM[0], cy: SUM[1], r: 24 }),
    svg("text", { x: SUM[0], y: SUM[1] + 5, "text-anchor": "middle" }, sum === null ? "Σ" : number(sum, 3)),
    svg("line", { class: "axon", x1: SUM[0] + 24, x2: 246, y1: SUM[1], y2: SUM[1] }),
    svg("text", { x: 250, y: SUM[1] + 5 }, fires || "≥ 0 ?"),
  );
  const words = inputs.map(([name, value, weight]) => `${name}${value === null ? "" : ` = ${number(value)}`} with weight ${number(weight)}`);
  by("neuron-picture").setAttribute("aria-label", `A neuron: ${words.join(", ")}${sum === null ? "" : `; the sum is ${number(sum, 3)}, so it ${fires}`}`);
}

// An input and its connection: as thick as the weight is large, in the colour of what it speaks for.
function connection([name, value, weight], i, strongest) {
  const y = ROWS[i];
  const thick = (THICKEST * Math.abs(weight)) / strongest;
  return [
    svg("line", { class: `synapse ${weight < 0 ? "minus" : "plus"}`, x1: 78, y1: y, x2: SUM[0] - 22, y2: SUM[1], "stroke-width": Math.max(0.75, thick).toFixed(2) }),
    svg("text", { x: 70, y: y + 5, "text-anchor": "end" }, value === null || name === "1" ? name : `${name} = ${number(value, 3)}`),
    svg("text", { class: "weight", x: 100, y: y + (SUM[1] - y) * 0.18 - 5 }, `${["w₁", "w₂", "b"][i]} = ${number(weight, 3)}`),
  ];
}
