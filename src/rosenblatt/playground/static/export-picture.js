// The pictures as SVG and PNG: side by side as on the page and with the words above them, where there are several.

import { element, svg } from "./dom.js";

const GAP = 16; // pixels around pictures and between them
const LINE = 17;
const SIZE = 13;
const COLUMNS = { 4: 2, 6: 3 }; // else all in one row

// With its colours in it, so that it looks the same anywhere.
export function asSvg(pictures) {
  const style = getComputedStyle(document.documentElement);
  const sheet = [...document.styleSheets].flatMap((s) => [...s.cssRules]).map((rule) => rule.cssText).find(
    (text) => text.startsWith("@layer picture")
  );
  const resolved = sheet.replace(/^@layer picture\s*\{|\}\s*$/g, "").replace(
    /var\((--[\w-]+)\)/g, (_, name) => style.getPropertyValue(name).trim()
  );
  const { parts, width, height } = placed(pictures.map((picture) => measured(picture, pictures.length > 1)));
  const paper = `<rect width="${width}" height="${height}" fill="${style.getPropertyValue("--paper").trim()}"/>`;
  const words = `.caption { font: ${SIZE}px "Liberation Sans", Arial, sans-serif; fill: ${style.getPropertyValue("--ink").trim()}; } .caption .name { font-weight: bold; }`;
  const text = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"><style>${(resolved + words).replace(/[<&]/g, "")}</style>${paper}${parts.join("")}</svg>`;
  return { text, width, height };
}

// A picture, its size, and the lines above it; one that stands alone needs none.
function measured(picture, captioned) {
  const [width, height] = ["width", "height"].map((name) => Number(picture.firstElementChild.getAttribute(name)));
  const caption = picture.closest(".picture").querySelector("figcaption");
  const lines = captioned ? [
    ...wrapped(caption.querySelector("strong").textContent, width, "bold").map((text) => ["name", text]),
    ...wrapped(caption.querySelector(".words").textContent, width, "normal").map((text) => ["words", text]),
  ] : [];
  return { picture, width, height, lines };
}

// A text in lines that are no wider than this, broken at blanks, but not inside a vector or before a value.
function wrapped(text, width, weight) {
  const context = element("canvas").getContext("2d");
  context.font = `${weight} ${SIZE}px "Liberation Sans", Arial, sans-serif`;
  const lines = [];
  const whole = text.replace(/ = /g, "\u00a0=\u00a0").replace(/, (?=[−\d])/g, ",\u00a0");
  for (const word of whole.split(" ")) {
    const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
    if (!lines.length || context.measureText(longer).width > width) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

// The pictures in rows, each row as high as its highest picture and caption.
function placed(list) {
  const gap = list.length > 1 ? GAP : 0;
  const columns = COLUMNS[list.length] ?? list.length;
  const parts = [];
  let [width, y] = [0, gap];
  for (let first = 0; first < list.length; first += columns) {
    const row = list.slice(first, first + columns);
    const above = LINE * Math.max(...row.map(({ lines }) => lines.length)) + gap / 4;
    let x = gap;
    for (const part of row) {
      parts.push(written(part, x, y, above));
      x += part.width + gap;
    }
    width = Math.max(width, x);
    y += above + Math.max(...row.map(({ height }) => height)) + gap;
  }
  return { parts, width, height: y };
}

function written({ picture, width, height, lines }, x, y, above) {
  const xml = (node) => new XMLSerializer().serializeToString(node);
  const layers = [...picture.children].map((layer) => {
    const copy = layer.cloneNode(true);
    copy.querySelectorAll("[hidden]").forEach((part) => part.remove());
    return xml(copy);
  });
  const caption = svg(
    "g", { class: "caption" }, ...lines.map(([name, text], i) => svg("text", { class: name, x, y: y + LINE * i + SIZE }, text))
  );
  return `${lines.length ? xml(caption) : ""}<svg class="plane" x="${x}" y="${y + above}" width="${width}" height="${height}">${layers.join("")}</svg>`;
}

export async function asPng(pictures) {
  const { text, width, height } = asSvg(pictures);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * width, 2 * height];
  canvas.getContext("2d").drawImage(image, 0, 0, 2 * width, 2 * height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}
