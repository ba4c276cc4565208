// What can be taken away: shown, copied, or saved.

import { by, element } from "./dom.js";
import { asPng, asSvg } from "./export-picture.js";
import { asCommand, asPython, descentPython, download, pointsCsv } from "./export.js";

const pictures = () => [...document.querySelectorAll(".plane")];
let bound = false;

export function openExport(page) {
  if (!page.replay?.T) return;
  const { state, runs } = page;
  const { surface } = page.replay;
  const each = Object.keys(runs).sort(); // "" before "2"
  by("save-csv").hidden = surface;
  by("export-python").textContent = surface ? descentPython(page.replay) : each.map((suffix) => asPython(state, suffix, runs[suffix].replay)).join("\n");
  const command = surface ? "# `rosenblatt` has no verb for it: use the Python above.\n" : each.map((suffix) => asCommand(state, suffix, runs[suffix].replay)).join("");
  by("export-command").replaceChildren(...command.split(/(\s+)/).map((part) => (part.trim() ? element("span", {}, part) : part)));
  by("export-link").value = location.href;
  if (!bound) bind(page);
  by("export").showModal();
}

function bind(page) {
  bound = true;
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", () => copy(by(button.dataset.copy), button));
  }
  by("save-csv").addEventListener("click", () => download("points.csv", pointsCsv(page.replay), "text/csv"));
  by("save-svg").addEventListener("click", () => download("plane.svg", asSvg(pictures()).text, "image/svg+xml"));
  by("save-png").addEventListener("click", async () => download("plane.png", await asPng(pictures())));
}

// To the clipboard; where a browser forbids that, as in a frame, the text is chosen, so that a key copies it.
async function copy(from, button) {
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(from.value ?? from.textContent);
    button.textContent = "Copied";
  } catch {
    if (from.select) from.select();
    else getSelection().selectAllChildren(from);
    button.textContent = "Press Ctrl+C";
  }
  setTimeout(() => { button.textContent = before; }, 1200);
}
