// The left side: data, learner, training, start weights. Controls are made from the state's fields and follow it.

import { PRODUCTS } from "./basis.js";
import { LETTERS } from "./classes.js";
import { by, element } from "./dom.js";
import { LEARNERS } from "./learners.js";
import { FIELDS, PARAMETERS, needsRate } from "./state.js";
import { NAMES } from "./words.js";

const DATA_NAMES = {
  blobs: "Clouds", four: "The lecture's four points", ordered: "Clouds, sorted", xor: "XOR", rings: "Rings",
  points: "My own points", file: "The file's columns", surface: "Gradient descent",
};
const ORDER_NAMES = {
  shuffled: "Shuffled every epoch", once: "Shuffled once", given: "As given", replacement: "With replacement",
};
const CHOICE_NAMES = { constant: "Not at all: constant", "1/updates": "As 1/updates", "1/examples": "As 1/examples" };
const SLIDER = 20; // numbers whose limits are this near get a slider

export class Controls {
  // `change(values)` is called with what the user has chosen.
  constructor(change) {
    this.change = change;
    this.followers = [];
    by("data-fields").append(
      this.select("data", "Points", DATA_NAMES),
      this.slider("k", "Classes", 2, LETTERS.length, 1, (state) => ["blobs", "ordered", "points"].includes(state.data)),
      this.slider("n", "Number of points", 2, 1000, 1, isRecipe),
      this.slider("margin", "Margin", -0.5, 1, 0.01, isRecipe),
      this.slider("noise", "Label noise", 0, 0.5, 0.01, isRecipe),
      this.numberBox("dataseed", "Data seed", isRecipe),
      this.slider("eta", "Rate η", 0.01, 1, 0.01, isSurface),
      this.slider("steps", "Maximum steps", 1, 300, 1, isSurface),
      this.numberBox("theta1", "Start θ₁", isSurface), this.numberBox("theta2", "Start θ₂", isSurface),
      this.columns("x", "x axis"), this.columns("y", "y axis"), this.columns("target", "Label"),
    );
    by("learner-fields").append(this.select("learner", "Learner", NAMES), ...this.parameters(""));
    by("compare-fields").append(
      this.select("learner2", "Compare with", { none: "Nothing", ...NAMES }), ...this.parameters("2")
    );
    by("training-fields").append(
      this.slider("epochs", "Maximum epochs", 1, 200, 1),
      this.select("order", "Order", ORDER_NAMES),
      this.numberBox("seed", "Order seed", (s) => s.order !== "given"),
      this.check("bias", "Bias (constant feature 1)"),
      this.check("scale", "Centre and scale the features"),
      this.slider("holdout", "Held-out share", 0, 0.5, 0.05),
      this.check("strict", "Only y a < 0 is a mistake", (s) => hasZero(s.learner) || hasZero(s.learner2)),
    );
    by("features").append(...Object.entries(PRODUCTS).map(([name, { label }]) => this.feature(name, label)));
    by("start-fields").append(this.numberBox("w1", "w₁"), this.numberBox("w2", "w₂"), this.numberBox("b", "b"));
  }

  // A control for every parameter that the learners declare, shown while the learner has it.
  parameters(suffix) {
    const own = (state, field) => LEARNERS[state[`learner${suffix}`]]?.parameters[field];
    return Object.entries(PARAMETERS).map(([field, { title, choices, whole, least, most }]) => {
      const name = field + suffix;
      const when = (state) => Boolean(own(state, field)) && !(field === "schedule" && needsRate(state, suffix));
      if (choices) {
        return this.select(name, title, Object.fromEntries(choices.map((one) => [one, CHOICE_NAMES[one] ?? one])), choices, when);
      }
      if (most - least <= SLIDER) return this.slider(name, title, least, most, whole ? 1 : 0.01, when);
      return this.numberBox(name, title, when, (state) => String(own(state, field)?.initial ?? "safe"));
    });
  }

  // A field that is shown while `when` holds, and follows the state.
  field(label, input, follow, when = () => true, extra = null) {
    const row = element("div", { class: "field" }, label, input, extra);
    this.followers.push((state) => {
      row.hidden = !when(state);
      follow(state);
    });
    return row;
  }

  select(name, title, names, options = Object.keys(names), when) {
    const input = element(
      "select", { id: `field-${name}` }, ...options.map((value) => element("option", { value }, names[value]))
    );
    input.addEventListener("change", () => this.change({ [name]: input.value }));
    return this.field(element("label", { for: input.id }, title), input, (state) => { input.value = state[name]; }, when);
  }

  slider(name, title, min, max, step, when) {
    const input = element("input", { id: `field-${name}`, type: "range", min, max, step });
    const output = element("output", { for: input.id });
    input.addEventListener("input", () => this.change({ [name]: Number(input.value) }));
    const follow = (state) => {
      if (state[name] > Number(input.max)) input.max = state[name];
      input.value = state[name];
      output.textContent = String(state[name]).replace("-", "−");
    };
    return this.field(element("label", { for: input.id }, title), input, follow, when, output);
  }

  numberBox(name, title, when, hint = () => "") {
    const { least, most } = FIELDS[name];
    const input = element(
      "input", { id: `field-${name}`, type: "text", inputmode: "decimal", autocomplete: "off", class: "number" }
    );
    input.addEventListener("change", () => {
      const text = input.value.trim().replace("−", "-").replace(",", ".");
      const value = text === "" ? FIELDS[name].initial : FIELDS[name].read(text);
      input.setAttribute("aria-invalid", String(value === undefined));
      input.title = value === undefined ? `Expected a number${least === undefined ? "" : ` from ${least} to ${most}`}` : "";
      if (value !== undefined) this.change({ [name]: value });
    });
    const follow = (state) => {
      if (document.activeElement !== input || input.value === "") input.value = state[name] === null ? "" : String(state[name]).replace("-", "−");
      input.placeholder = hint(state);
    };
    return this.field(element("label", { for: input.id }, title), input, follow, when);
  }

  check(name, title, when) {
    const input = element("input", { id: `field-${name}`, type: "checkbox" });
    input.addEventListener("change", () => this.change({ [name]: input.checked }));
    const row = this.field(
      element("label", { for: input.id }, title), input, (state) => { input.checked = state[name]; }, when
    );
    row.classList.add("check");
    return row;
  }

  // A feature that can be switched on and off.
  feature(name, label) {
    const button = element("button", { type: "button", class: "toggle", "aria-pressed": "false", "data-feature": name }, label);
    let chosen = [];
    button.addEventListener("click", () => {
      const now = chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name];
      this.change({ features: Object.keys(PRODUCTS).filter((one) => now.includes(one)) });
    });
    this.followers.push(({ features }) => {
      chosen = features;
      button.setAttribute("aria-pressed", String(features.includes(name)));
    });
    return button;
  }

  // A choice among the columns of a file or of a CSV; which there are comes with the points.
  columns(name, title) {
    const input = element("select", { id: `field-${name}` });
    input.addEventListener("change", () => this.change({ [name]: input.value }));
    const row = this.field(element("label", { for: input.id }, title), input, () => {}, () => false);
    this.columnRows = { ...this.columnRows, [name]: { row, input } };
    return row;
  }

  showColumns(columns, chosen) {
    ["x", "y", "target"].forEach((name, i) => {
      const { row, input } = this.columnRows[name];
      row.hidden = columns.length === 0;
      input.replaceChildren(...columns.map((column) => element("option", { value: column }, column)));
      input.value = chosen[i] ?? "";
    });
  }

  allowFile(exists) {
    by("field-data").querySelector("option[value=file]").hidden = !exists;
  }

  follow(state) {
    for (const follower of this.followers) follower(state);
  }
}

// Does a margin of exactly 0 decide anything? Rules that want a margin of 1, or always move, move there anyway.
const hasZero = (learner) => Boolean(LEARNERS[learner]) && ["perceptron", "mira"].includes(LEARNERS[learner].rule);

const isSurface = (state) => state.data === "surface";
const isRecipe = (state) => ["blobs", "ordered", "xor", "rings"].includes(state.data);
