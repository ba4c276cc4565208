// A CSV dropped on the page or pasted into it.

import { by } from "./dom.js";

const MOST = 900_000; // letters: the server takes no longer request

export function dropPaste(useCsv) {
  const useText = (text) => {
    if (text.trim()) useCsv(text.slice(0, MOST));
  };
  document.addEventListener("dragover", (event) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  document.addEventListener(
    "dragleave", (event) => event.relatedTarget === null && document.body.classList.remove("dropping")
  );
  document.addEventListener("drop", async (event) => {
    document.body.classList.remove("dropping");
    const [file] = event.dataTransfer.files;
    if (!file) return;
    event.preventDefault();
    useText(await file.text());
  });
  document.addEventListener("paste", (event) => {
    if (event.target.matches("input, textarea")) return;
    const text = event.clipboardData.getData("text/plain");
    if (/[,;\t]/.test(text) && /\n/.test(text.trim())) useText(text);
  });
  by("csv-open").addEventListener("click", () => by("csv").showModal());
  by("csv-take").addEventListener("click", () => {
    useText(by("csv-text").value);
    by("csv").close();
  });
  by("csv-file").addEventListener("change", async () => {
    const [file] = by("csv-file").files;
    if (file) useText(await file.text());
    by("csv").close();
  });
}
