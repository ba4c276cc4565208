// The points as a table: every cell can be edited, rows moved and removed, with the keyboard too.

import { LETTERS, colourOf, nextOf, signOf, spokenLabel } from "./classes.js";
import { by, element } from "./dom.js";

const MOST = 200; // rows shown; more would make the page slow

export class PointsTable {
  // `edit(list)` is called with the new list of [x₁, x₂, label].
  constructor(edit) {
    this.edit = edit;
    this.host = by("points-rows");
    this.panel = by("points-panel");
    this.panel.addEventListener("toggle", () => this.panel.open && this.draw());
    this.list = [];
    by("clear-points").addEventListener("click", () => this.edit([]));
  }

  // `labels` are those that a point can have.
  follow(list, names, labels = this.labels) {
    this.list = list;
    this.names = names;
    if (String(labels) !== String(this.labels)) by("add-points").replaceChildren(...labels.map((label) => this.adder(label)));
    this.labels = labels;
    by("points-count").textContent = String(list.length);
    if (this.panel.open) this.draw();
  }

  adder(label) {
    const id = `add-${typeof label === "string" ? label : colourOf(label)}`;
    return element("button", { type: "button", id, onclick: () => this.append(label) }, `Add ${signOf(label)}`);
  }

  draw() {
    const focused = this.host.contains(document.activeElement) ? [document.activeElement.dataset.cell] : [];
    const wanted = this.wanted ?? focused;
    this.wanted = null;
    [by("points-x").textContent, by("points-y").textContent] = this.names ?? ["x₁", "x₂"];
    this.host.replaceChildren(...this.list.slice(0, MOST).map((point, i) => this.row(point, i)));
    by("points-more").textContent = this.list.length > MOST ? `and ${this.list.length - MOST} more` : "";
    if (!wanted.length) return;
    const input = wanted.map((cell) => this.host.querySelector(`[data-cell="${cell}"]:not(:disabled)`)).find(Boolean);
    (input ?? by("add-points").firstChild).focus();
  }

  row(point, i) {
    const row = element("tr", { draggable: "true", "data-row": i }, element("th", { scope: "row" }, String(i + 1)),
      element(
        "td", {}, this.cell(point, i, 0)
      ), element("td", {}, this.cell(point, i, 1)), element("td", {}, this.label(point, i)),
      element("td", { class: "row-tools" }, this.tool(
        "↑", `Move point ${i + 1} up`, `up${i}`, () => this.move(i, i - 1, "up"), i === 0
      ),
        this.tool("↓", `Move point ${i + 1} down`, `down${i}`, () => this.move(i, i + 1, "down"), i === this.list.length - 1),
        this.tool("×", `Remove point ${i + 1}`, `remove${i}`, () => this.remove(i))));
    row.addEventListener("dragstart", (event) => {
      event.dataTransfer.setData("application/x-point", String(i));
      event.dataTransfer.effectAllowed = "move";
    });
    row.addEventListener(
      "dragover", (event) => event.dataTransfer.types.includes("application/x-point") && event.preventDefault()
    );
    row.addEventListener("drop", (event) => {
      const from = event.dataTransfer.getData("application/x-point");
      if (from === "") return;
      event.preventDefault();
      event.stopPropagation();
      this.move(Number(from), i);
    });
    return row;
  }

  cell(point, i, axis) {
    const input = element("input", { class: "number", type: "text", inputmode: "decimal", value: String(point[axis]).replace("-", "−"),
      "aria-label": `${this.names?.[axis] ?? "x"} of point ${i + 1}`, "data-cell": `${axis}-${i}`, autocomplete: "off" });
    input.addEventListener("change", () => {
      const value = Number(input.value.trim().replace("−", "-").replace(",", "."));
      const valid = input.value.trim() !== "" && Math.abs(value) <= 1e6;
      input.setAttribute("aria-invalid", String(!valid));
      if (valid) this.edit(this.list.map((p, j) => (j === i ? p.map((old, k) => (k === axis ? value : old)) : p)));
    });
    return input;
  }

  label(point, i) {
    const button = element("button", { type: "button", class: `label-button ${colourOf(point[2])}`, "data-cell": `label-${i}`,
      "aria-label": `Class of point ${i + 1}: ${spokenLabel(point[2])}. Change it` }, signOf(point[2]));
    button.addEventListener("click", () => this.edit(this.list.map((p, j) => (j === i ? [p[0], p[1], nextOf(p[2], this.labels)] : p))));
    return button;
  }

  tool(text, title, cell, action, disabled = false) {
    return element(
      "button",
      { type: "button", class: "quiet", title, "aria-label": title, "data-cell": cell, disabled, onclick: action }, text
    );
  }

  // By a button, the focus goes with the point; where that button has an end, to its neighbour.
  move(from, to, button = null) {
    const list = this.list.filter((_, j) => j !== from);
    list.splice(to, 0, this.list[from]);
    this.change(list, button && [`${button}${to}`, `up${to}`, `down${to}`]);
  }

  // The focus goes to the row that follows, or the last one, or to where the next point is added.
  remove(i) {
    this.change(this.list.filter((_, j) => j !== i), [`remove${i}`, `remove${i - 1}`]);
  }

  // At once in the table, so that the next key meets the row that is seen, and then in the run.
  change(list, cells) {
    this.wanted = cells;
    this.follow(list, this.names);
    this.edit(list);
  }

  append(label) {
    this.edit([...this.list, [0, 0, label]]);
    this.panel.open = true;
  }
}

export const asCsv = (list, names, classes) => {
  const quote = (text) => (/[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
  const head = names.map((name) => quote({ "x₁": "x1", "x₂": "x2" }[name] ?? name)).join(",");
  const label = (value) => quote(classes[typeof value === "string" ? LETTERS.indexOf(value) : value > 0 ? 1 : 0] ?? signOf(value)).replace("−", "-");
  return [head, ...list.map(([x, y, value]) => `${x},${y},${label(value)}`)].join("\n") + "\n";
};

