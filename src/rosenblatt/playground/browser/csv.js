// A pasted table: two columns of numbers and one of labels. The library reads far more kinds of tables (`rosenblatt play`).

import { LETTERS } from "./classes.js";
import { Refused } from "./refused.js";
import { count } from "./words.js";

const MARKS = [",", ";", "\t", "|"];
const MISSING = new Set(["", "?", "na", "n/a", "null", "none", "nan"]);
const MOST_POINTS = 5000;
const LARGEST = 1e12;

export function fromText({ text, x, y, target }) {
  const [header, ...lines] = records(text);
  if (!header || !lines.length) throw refused("The table has no rows: its first line names the columns, and the others are rows.");
  const wrong = lines.findIndex((cells) => cells.length !== header.length);
  if (wrong >= 0) throw refused(`Line ${wrong + 2} has ${count(lines[wrong].length)} cells, and the first line ${count(header.length)}: give every row a cell in every column.`);
  const names = header.map((name, i) => name.trim() || `column ${i + 1}`);
  if (new Set(names).size < names.length) throw refused("Two columns have the same name: rename one of them.");
  const columns = names.map((_, i) => column(lines.map((cells) => cells[i].trim())));
  return chosen({ names, columns }, { x, y, target });
}

const refused = (message) => new Refused(message, "data");

// The cells of every line that is not empty; the mark between them is the one that the first line has most of.
function records(text) {
  const first = text.split(/\r?\n/).find((line) => line.trim()) ?? "";
  const often = (mark) => first.split(mark).length;
  const mark = MARKS.reduce((best, one) => (often(one) > often(best) ? one : best));
  const rows = [];
  let [cells, cell, quoted] = [[], "", false];
  const endCell = () => { cells.push(cell); cell = ""; };
  const endRow = () => { endCell(); if (cells.some((one) => one.trim())) rows.push(cells); cells = []; };
  for (let i = 0; i < text.length; i += 1) {
    const letter = text[i];
    if (quoted) {
      if (letter !== '"') cell += letter;
      else if (text[i + 1] === '"') { cell += '"'; i += 1; } else quoted = false;
    } else if (letter === '"' && !cell.trim()) { cell = ""; quoted = true; }
    else if (letter === mark) endCell();
    else if (letter === "\n") endRow();
    else if (letter !== "\r" && letter !== "\ufeff") cell += letter;
  }
  endRow();
  return rows;
}

// Numbers, if all that are there are some; a comma is read as a decimal point where the cells are not parted by it.
function column(cells) {
  const values = cells.map((cell) => (MISSING.has(cell.toLowerCase()) ? null : cell));
  const numbers = values.map((cell) => (cell === null ? null : asNumber(cell)));
  const numeric = numbers.some((value) => value !== null) && !numbers.some(Number.isNaN);
  return { numeric, values: numeric ? numbers : values };
}

// A name or a label as the server's messages quote it.
const quote = (text) => (text.includes("'") && !text.includes('"') ? `"${text}"` : `'${text.replaceAll("'", "\\'")}'`);

const asNumber = (cell) => (/^[+\-−]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?$/i.test(cell) ? Number(cell.replace(",", ".").replace("−", "-")) : NaN);

// Rows that miss one of the three are left out, and counted.
function chosen({ names, columns }, wanted) {
  const target = wanted.target ?? names.at(-1);
  const free = names.filter((name, i) => name !== target && columns[i].numeric);
  const across = wanted.x ?? free[0];
  const up = wanted.y ?? free.find((name) => name !== across);
  const shown = names.slice(0, 30).join(", ");
  for (const [what, name] of [["x", across], ["y", up], ["target", target]]) {
    if (name === undefined) throw refused(`The plane needs two columns of numbers beside the label: of ${shown} ${free.length ? `only ${quote(free[0])}` : "none"} is one.`);
    if (!names.includes(name)) throw refused(`There is no column ${quote(name)} for ${what}: the columns are ${shown}.`);
    if (what !== "target" && !columns[names.indexOf(name)].numeric) throw refused(`The column ${quote(name)} holds text: choose one of ${free.slice(0, 30).join(", ")} for ${what}.`);
  }
  const [first, second, labels] = [across, up, target].map((name) => columns[names.indexOf(name)].values);
  const complete = [...first.keys()].filter((i) => first[i] !== null && second[i] !== null && labels[i] !== null);
  const left = first.length - complete.length;
  const rows = complete.slice(0, MOST_POINTS);
  const notes = [
    left ? `${count(left)} row${left === 1 ? " with a missing value was" : "s with a missing value were"} left out.` : "",
    complete.length > MOST_POINTS ? `The first ${count(MOST_POINTS)} of ${count(complete.length)} rows are shown.` : "",
  ].filter(Boolean);
  const points = rows.map((i) => [first[i], second[i]]);
  if (points.some((point) => point.some((value) => !(Math.abs(value) <= LARGEST)))) throw refused(`A number in ${quote(across)} or ${quote(up)} is too large to draw: correct it, or leave it empty.`);
  const known = classesOf(rows.map((i) => labels[i]));
  return { ...known, x: points, names: [across, up], columns: names, chosen: [across, up, target], notes: [...notes, ...known.notes] };
}

// Of two classes the second is positive; up to five have a letter each; of more, the last stands against the rest.
function classesOf(values) {
  const ascending = typeof values[0] === "number" ? (a, b) => a - b : (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  const distinct = [...new Set(values)].sort(ascending);
  if (distinct.length < 2) {
    throw refused(`${distinct.length ? `All labels are ${quote(String(distinct[0]).slice(0, 60))}` : "No row has all three: two numbers and a label"}. Two classes are needed to tell one from another.`);
  }
  if (distinct.length > 2 && distinct.length <= LETTERS.length) {
    return { y: values.map((value) => distinct.indexOf(value)), classes: distinct.map(String), letters: LETTERS.slice(0, distinct.length), notes: [] };
  }
  const positive = distinct.at(-1);
  const y = values.map((value) => (value === positive ? 1 : -1));
  if (distinct.length === 2) return { y, classes: distinct.map(String), letters: [], notes: [] };
  return { y, classes: [`not ${positive}`, String(positive)], letters: [], notes: [`${distinct.length} classes: ${positive} against the rest.`] };
}
