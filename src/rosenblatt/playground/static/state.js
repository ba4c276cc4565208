// The whole state of the page, and the same as the address: a link is a lesson.

import { PRODUCTS } from "./basis.js";
import { LETTERS, isLettered } from "./classes.js";
import { LEARNERS } from "./learners.js";
import { LESSONS } from "./lesson-list.js";

const LEARNER_NAMES = Object.keys(LEARNERS);
export const DATASETS = ["blobs", "four", "ordered", "xor", "rings", "points", "file", "surface"];
export const PANELS = [
  "lessons", "export", "theme", "data", "learner", "training", "start", "points", "step", "neuron", "bound", "charts", "replay",
  "views",
];
const LARGEST = 1e6;
const SEEDS = 2 ** 31 - 1;
export const MOST_POINTS = 5000;
const LABEL = 40; // letters of a class's name

// A field reads a text into a value (undefined: it cannot be) and writes a value as a text.
const choice = (options, initial) => (
  { initial, options, read: (text) => (options.includes(text) ? text : undefined), write: String }
);
const number = (least, most, initial) => (
  { initial, least, most, read: (text) => finite(text, least, most), write: String }
);
const whole = (least, most, initial) => ({
  initial, least, most, write: String,
  read: (text) => { const value = finite(text, least, most); return Number.isInteger(value) ? value : undefined; },
});
const flag = (initial) => (
  { initial, read: (text) => ({ 1: true, 0: false })[text], write: (value) => (value ? "1" : "0") }
);
const word = { initial: "", read: (text) => (text.length <= 200 ? text : undefined), write: String };
const label = { initial: "", read: (text) => ([...text].length <= LABEL ? text : undefined), write: String };
const labels = {
  initial: [], write: (names) => names.map(encodeURIComponent).join(","), // a name may have a comma of its own
  read: (text) => {
    const names = text.split(",").map(decoded);
    const fit = names.length > 1 && names.length <= LETTERS.length && new Set(names).size === names.length;
    return fit && names.every((name) => name && [...name].length <= LABEL) ? names : undefined;
  },
};
const place = { initial: 0, read: (text) => (text === "end" ? text : whole(0, LARGEST).read(text)), write: String };
const panels = { initial: [], read: readPanels, write: (names) => names.join(",") };
const points = {
  initial: [], read: readPoints,
  write: (list) => list.map(([x, y, label]) => `${x},${y},${typeof label === "string" ? label : label > 0 ? "+" : "-"}`).join(";"),
};
const features = {
  initial: [], write: (names) => names.join(","),
  read: (text) => {
    const names = text.split(",").filter(Boolean);
    return names.every((name) => Object.hasOwn(PRODUCTS, name)) ? Object.keys(PRODUCTS).filter((name) => names.includes(name)) : undefined;
  },
};

// The parameters of all learners, by field. Where learners have different defaults, null stands for the learner's own.
export const PARAMETERS = {};
for (const { parameters } of Object.values(LEARNERS)) {
  for (const [field, parameter] of Object.entries(parameters)) {
    const known = PARAMETERS[field];
    const initial = known && known.initial !== parameter.initial ? null : parameter.initial;
    PARAMETERS[field] = { ...parameter, initial };
  }
}
const fieldOf = ({ choices, whole: isWhole, least, most, initial }) => (
  choices ? choice(choices, initial) : isWhole ? whole(least, most, initial) : number(least, most, initial)
);
const learnerFields = (suffix, learner) => ({
  [`learner${suffix}`]: learner,
  ...Object.fromEntries(Object.entries(PARAMETERS).map(([field, parameter]) => [field + suffix, fieldOf(parameter)])),
});

export const FIELDS = {
  lesson: whole(0, LESSONS.length, 0),
  data: choice(DATASETS, "blobs"),
  n: whole(2, MOST_POINTS, 60),
  margin: number(-0.5, 1, 0.2),
  noise: number(0, 0.5, 0),
  dataseed: whole(0, SEEDS, 1),
  k: whole(2, LETTERS.length, 2), // classes
  points,
  minus: label, plus: label, names: labels, // what the classes of these points are called; names are of letters
  x: word, y: word, target: word,
  ...learnerFields("", choice(LEARNER_NAMES, "perceptron")),
  ...learnerFields("2", choice(["none", ...LEARNER_NAMES], "none")),
  epochs: whole(1, 1000, 20),
  order: choice(["shuffled", "once", "given", "replacement"], "shuffled"),
  seed: whole(0, SEEDS, 0),
  bias: flag(true),
  scale: flag(false),
  features, // beside x₁ and x₂
  holdout: number(0, 0.5, 0), // share of the points that is not learned from
  strict: flag(false), // only y a < 0 is a mistake
  eta: number(1e-4, 10, 0.2), theta1: number(-3, 3, 0), theta2: number(-3, 3, 0), steps: whole(1, 1000, 100), // of gradient descent
  w1: number(-LARGEST, LARGEST, 0),
  w2: number(-LARGEST, LARGEST, 0),
  b: number(-LARGEST, LARGEST, 0),
  view: choice(["own", "last", "averaged", "voted", "all"], "own"),
  shade: flag(true),
  follow: choice(["first", "beside"], "first"),
  unit: choice(["example", "update"], "example"),
  speed: choice(["1", "3", "10", "30", "60", "max"], "10"),
  at: place,
  hide: panels,
  theme: choice(["auto", "light", "dark"], "auto"),
  present: flag(false), // large type and few controls, for the back row
};

const LEARNER_PARTS = ["", "2"].flatMap((suffix) => Object.keys(learnerFields(suffix)));

// What falls back to its default where a link asks for something that is readable and yet impossible.
export const PARTS = {
  data: ["data", "n", "margin", "noise", "dataseed", "k", "points", "minus", "plus", "names", "x", "y", "target"],
  learner: LEARNER_PARTS,
  parameters: LEARNER_PARTS,
  start: ["w1", "w2", "b"],
  ...Object.fromEntries(["epochs", "order", "seed", "bias", "scale", "features", "holdout"].map((name) => [name, [name]])),
};

export function initialState() {
  return Object.fromEntries(
    Object.entries(FIELDS).map(([name, field]) => [name, Array.isArray(field.initial) ? [] : field.initial])
  );
}

// The state that an address describes; what cannot be read keeps its default and is told in `problems`.
export function parse(hash) {
  const state = initialState();
  const problems = [];
  for (const [name, text] of new URLSearchParams(String(hash).replace(/^#/, ""))) {
    const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
    const value = field?.read(text);
    if (value === undefined) problems.push(field ? `${name} cannot be “${short(text)}”` : `“${short(name)}” is not known`);
    else state[name] = value;
  }
  const used = state.points.map((point) => LETTERS.indexOf(point[2])); // -1: of two classes
  if (used.some((code) => code >= 0)) state.k = used.reduce((most, code) => Math.max(most, code + 1), Math.max(3, state.k));
  return { state, problems };
}

// The address of a state: only what differs from the defaults.
export function format(state) {
  const initial = initialState();
  const parts = new URLSearchParams();
  for (const [name, field] of Object.entries(FIELDS)) {
    if (!same(state[name], initial[name])) parts.append(name, field.write(state[name]));
  }
  // Commas and semicolons may stand in a fragment as they are: links stay readable.
  return "#" + parts.toString().replace(/%2C/g, ",").replace(/%3B/g, ";").replace(/%2F/g, "/");
}

export function same(a, b) {
  return Array.isArray(a) && Array.isArray(b) ? a.length === b.length && a.every((part, i) => same(part, b[i])) : a === b;
}

// What the server is asked for; suffix "2" is the second learner of a comparison.
export function task(state, suffix = "", csv = null) {
  const start = [state.w1, state.w2, state.b];
  const fromZero = LEARNERS[state[`learner${suffix}`]].kernel || (!csv && isLettered(state));
  return {
    data: csv ?? dataRequest(state),
    learner: state[`learner${suffix}`],
    parameters: parameters(state, suffix),
    epochs: state.epochs, order: state.order, seed: state.seed, bias: state.bias, scale: state.scale,
    features: state.features, holdout: state.holdout, start: fromZero ? [0, 0, 0] : start,
    ...state.strict ? { strict: true } : {},
  };
}

function dataRequest(state) {
  if (state.data === "four") return { kind: "four" };
  if (state.data === "points") {
    const classes = state.names.length ? state.names : state.minus && state.plus ? [state.minus, state.plus] : null;
    return { kind: "points", points: state.points, ...classes ? { classes } : {} };
  }
  if (state.data === "file") {
    const named = Object.fromEntries(["x", "y", "target"].filter((name) => state[name]).map((name) => [name, state[name]]));
    return { kind: "file", ...named };
  }
  return { kind: state.data, n: state.n, margin: state.margin, noise: state.noise, seed: state.dataseed, ...state.k > 2 ? { k: state.k } : {} };
}

// The names of a run's classes as they stand in the address: nothing where they have none of their own.
export function classNames({ classes, letters }) {
  const short = classes.map((name) => [...name].slice(0, LABEL).join(""));
  if (!letters?.length) return { minus: classes[1] === "+" ? "" : short[0], plus: classes[1] === "+" ? "" : short[1], names: [] };
  const lettered = classes.every((name, i) => name === letters[i].toUpperCase()) || new Set(short).size < short.length;
  const all = LETTERS.slice(0, LETTERS.indexOf(letters.at(-1)) + 1); // a letter that no point has keeps its place
  return { minus: "", plus: "", names: lettered ? [] : all.map((letter) => short[letters.indexOf(letter)] ?? letter.toUpperCase()) };
}

// What the words about a run need to know of its learner.
export function settings(state, suffix) {
  const own = ["learner", "p", "C", "variant"].map((name) => [name, state[name + suffix]]);
  return { bias: state.bias, strict: state.strict, ...Object.fromEntries(own) };
}

// A rate that the learner keeps safe by itself does not fall as well.
export function needsRate(state, suffix = "") {
  return LEARNERS[state[`learner${suffix}`]].parameters.rate?.initial === null && state[`rate${suffix}`] === null;
}

// The learner's parameters by their names in the library; what the learner chooses by itself is left to it.
export function parameters(state, suffix = "") {
  const declared = Object.entries(LEARNERS[state[`learner${suffix}`]].parameters);
  const own = declared.filter(([field]) => !(field === "schedule" && needsRate(state, suffix)));
  const chosen = own.map(([field, { name, choices, initial }]) => [name, state[field + suffix], choices && initial]);
  return Object.fromEntries(chosen.filter(([, value, usual]) => value !== null && value !== usual));
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

function finite(text, least, most) {
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return undefined;
  const value = Number(text);
  return value >= least && value <= most ? value : undefined;
}

function readPanels(text) {
  const names = text.split(",").filter(Boolean);
  return names.every((name) => PANELS.includes(name)) ? [...new Set(names)].sort() : undefined;
}

// An unescaped + is read as a blank.
function readPoints(text) {
  const list = text === "" ? [] : text.split(";").map((part) => {
    const [x, y, label, ...more] = part.split(",");
    const point = [finite(x, -LARGEST, LARGEST), finite(y ?? "", -LARGEST, LARGEST), LETTERS.includes(label) ? label : { "+": 1, " ": 1, "-": -1 }[label]];
    return more.length || point.includes(undefined) ? undefined : point;
  });
  if (list.includes(undefined) || list.length > MOST_POINTS) return undefined;
  return new Set(list.map((point) => typeof point[2])).size > 1 ? undefined : list;
}

const short = (text) => (text.length > 40 ? `${text.slice(0, 40)}…` : text);
