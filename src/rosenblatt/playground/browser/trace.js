// A run as the page replays it: what playground/trace.py sends, made here.

import { PRODUCTS, withProducts } from "./basis.js";
import { certify } from "./certificate.js";
import { heldOut } from "./epochs.js";
import { kernelOf, learnKernel } from "./kernel.js";
import { LEARNERS } from "./learners.js";
import { decide, learn, ruleOf } from "./linear.js";
import { pointsOf } from "./recipes.js";
import { Refused } from "./refused.js";
import { Replay } from "./replay.js";
import { scaled } from "./scaling.js";
import { boundFor, marginReached, sentence } from "./theory.js";

const MOST_EXAMPLES = 1_000_000; // points times epochs
const GRID_STEPS = 2e8; // of the grid of one question: an update at a cell is one
const KERNEL_PRODUCTS = 2e7; // of held-out points with the sum after every epoch
const KERNEL_STEPS = 4; // that a kernel between a cell and an example is worth

// The last two runs, so that a grid does not train again.
let recent = [];

export function trace(task) {
  const key = JSON.stringify(task);
  const known = recent.find((one) => one.key === key) ?? { key, answer: run(task) };
  recent = [known, ...recent.filter((one) => one !== known)].slice(0, 2);
  return known.answer;
}

function run(task) {
  const { holdout = 0 } = task;
  const features = Object.keys(PRODUCTS).filter((name) => task.features?.includes(name)); // always in one order
  const points = prepared(task);
  const examples = examplesOf(points, features, holdout, task.seed);
  const n = examples.pool.length;
  if (n * task.epochs > MOST_EXAMPLES) {
    throw new Refused(`epochs is ${task.epochs}: with ${n} points the playground makes ${Math.floor(MOST_EXAMPLES / n)} at most.`, "epochs");
  }
  const { vectors } = examples;
  if (vectors > 1 && task.start.some((value) => value !== 0)) {
    throw new Refused("Start weights are for two classes: with more, all begin at 0.", "start");
  }
  const { kernel, view, secondOrder } = LEARNERS[task.learner];
  const ran = (kernel ? learnKernel : learn)(task, examples);
  const certificate = certify(examples, task.bias);
  const { most, ...theorem } = boundFor(task, certificate, vectors);
  const chosen = view === "last" ? "last" : "averaged";
  const own = (lists) => (vectors === 1 ? lists[0] : lists);
  const learned = kernel ? { kernel: ran.kernel, dual: vectors === 1 ? ran.dual.flat() : ran.dual } : { last: own(ran.last), averaged: own(ran.averaged) };
  return {
    points: points.x, y: points.y, names: points.names, classes: points.classes, letters: points.letters, vectors, features,
    heldOut: examples.heldOut, heldOutErrors: holdout && !(kernel && tooMany(ran, examples)) ? ran.errors : null,
    learner: task.learner, parameters: task.parameters, columns: points.columns, chosen: points.chosen,
    scaled: points.mean ? points.plane : null, mean: points.mean, sd: points.sd, bias: task.bias,
    log: { t: ran.log.t.map((t, k) => t - (ran.log.t[k - 1] ?? 0)), row: ran.log.row, tau: ran.log.tau, ...vectors > 1 ? { rival: ran.log.rival } : {} },
    lived: lived(ran.log.t, ran.t), order: task.order === "given" ? null : ran.order, examples: ran.t, epochs: ran.epochs,
    start: task.start, r: secondOrder ? ruleOf(task.learner, task.parameters).r : null, ...learned,
    stopped: ran.stopped, converged: ran.converged,
    certificate: { ...certificate, sentence: sentence(certificate, examples, points, { bias: task.bias, features }), bound: most, ...theorem },
    reached: kernel ? null : marginReached(chosen, ran[chosen], examples, { ...certificate, fitsBias: task.bias }),
    notes: [...points.notes, ...ran.notes],
  };
}

// As the server, which computes these sums anew after every epoch, does not.
const tooMany = (ran, { heldOut }) => ran.epochs.length * new Set(ran.log.row).size * heldOut.length > KERNEL_PRODUCTS;

// The points of a task, and their places in the plane: the same, or centred and scaled.
function prepared({ data, scale }) {
  const points = pointsOf(data);
  if (!points.y.length) throw new Refused("There are no points yet: click into the plane to add one of each class.", "data");
  if (points.classes.length < 2 || new Set(points.y).size < 2) throw new Refused("All points are of one class: add one of the other, to tell them apart.", "data");
  return scale ? { ...points, ...scaled(points.x) } : { ...points, plane: points.x, mean: null, sd: null };
}

// What is learned from: rows of features, codes of their classes, and the numbers of the rows that are not held out.
function examplesOf({ plane, y, classes }, features, holdout, seed) {
  const vectors = classes.length > 2 ? classes.length : 1;
  const codes = vectors === 1 ? y.map((label) => (label > 0 ? 1 : 0)) : y;
  const away = heldOut(codes, holdout, seed);
  const pool = Int32Array.from([...y.keys()].filter((i) => !away.includes(i)));
  if (holdout && !away.length) throw new Refused(`holdout is ${holdout}: of ${y.length} points that is none.`, "holdout");
  if (new Set([...pool].map((i) => codes[i])).size < Math.max(2, vectors)) throw new Refused(`holdout is ${holdout}: it leaves a class without points to learn from.`, "holdout");
  return { rows: plane.map((point) => withProducts(point, features)), codes, vectors, pool, heldOut: away };
}

// For how many examples each weight vector lived, the one that made it included.
function lived(times, end) {
  const begins = [0, ...times.map((t) => t)];
  return begins.map((begin, k) => (times[k] ?? end) - begin);
}

// Scores over a box of the plane after so many examples, row by row from the top: votes, or a sum of kernels, −1 to 1.
export function grid({ task, view, examples, box, columns, rows }) {
  const replay = new Replay(trace(task));
  const seen = Math.min(examples, replay.T);
  const k = replay.updatesBefore(seen);
  const perCell = view === "voted" ? k + 1 : KERNEL_STEPS * Math.min(k, replay.n);
  const share = Math.min(1, Math.sqrt(GRID_STEPS / (Math.max(1, perCell) * columns * rows)));
  const [across, down] = [columns, rows].map((side) => Math.max(2, Math.floor(side * share)));
  const cells = [];
  for (let r = 0; r < down; r += 1) {
    const y = box[3] - ((r + 0.5) * (box[3] - box[2])) / down;
    for (let c = 0; c < across; c += 1) cells.push(withProducts([box[0] + ((c + 0.5) * (box[1] - box[0])) / across, y], replay.features));
  }
  const scores = view === "voted" ? votes(replay, seen, k, cells) : kernelScores(replay, task, k, cells);
  if (replay.vectors > 1) return { winners: scores.map(decide), columns: across, rows: down };
  const largest = scores.reduce((most, [value]) => Math.max(most, Math.abs(value)), 0) || 1;
  return { scores: scores.map(([value]) => value / largest), columns: across, rows: down };
}

// Every weight vector votes as often as it lived: Σ c sign(w·x + b); of more classes for the one that it has highest.
function votes(replay, seen, k, cells) {
  const scores = cells.map(() => new Array(replay.vectors).fill(0));
  lived(replay.t.slice(0, k), seen).forEach((count, i) => {
    if (seen === 0) return;
    const weights = replay.at(replay.after(i)).last;
    cells.forEach((cell, place) => {
      const winner = decide(replay.scores(weights, cell));
      if (replay.vectors > 1) scores[place][winner] += count;
      else scores[place][0] += winner ? count : -count;
    });
  });
  return scores;
}

function kernelScores(replay, task, k, cells) {
  const { product } = kernelOf(task);
  const alphas = Array.from({ length: replay.vectors }, (_, vector) => replay.alphas(k, vector));
  const terms = replay.rows.map((row, i) => [alphas.map((sums) => sums[i]), row]).filter(([own]) => own.some((alpha) => alpha !== 0));
  return cells.map((cell) => {
    const products = terms.map(([, row]) => product(cell, row));
    return alphas.map((_, vector) => terms.reduce((sum, [own], i) => sum + own[vector] * products[i], 0));
  });
}
