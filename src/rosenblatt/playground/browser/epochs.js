// Epochs over examples, whoever learns from them: learning/driver.py without files, held-out rows and clocks.

import { draw, shuffle } from "./engine.js";
import { Pcg64 } from "./random.js";

const ORDER = 1; // what the random words are for: engine/order.py
export const MOST_UPDATES = 50_000; // a run ends after the epoch in which it has made so many

// The row numbers of every epoch, without end; null: as given. The array is overwritten for the next.
export function* orders(order, n, seed) {
  if (order === "given") for (;;) yield null;
  const bits = new Pcg64([ORDER, seed]);
  const rows = Int32Array.from({ length: n }, (_, i) => i);
  const pool = rows.slice();
  if (order === "once") shuffle(rows, bits);
  for (;;) {
    if (order === "shuffled") shuffle(rows, bits);
    if (order === "replacement") draw(rows, bits, pool);
    yield rows;
  }
}

// `learner` has passOver(rowNumbers), counts(), noRowWouldMove(), and movesAlways; `overflowed` where weights can grow too large.
export function runEpochs(learner, { epochs, order, seed }, n) {
  const outcome = { epochs: [], order: [], converged: false, stopped: "", notes: [] };
  for (const rows of orders(order, n, seed)) {
    const before = learner.counts();
    learner.passOver(rows);
    if (learner.overflowed?.()) return { ...outcome, stopped: "the weights overflowed", overflowed: outcome.epochs.length + 1 };
    const now = learner.counts();
    const updates = now.updates - before.updates;
    outcome.epochs.push([n, now.mistakes - before.mistakes, updates]);
    if (rows) outcome.order.push(...rows);
    decideToStop(outcome, learner, updates, { epochs, order });
    if (!outcome.stopped && now.updates >= MOST_UPDATES) endHere(outcome);
    if (outcome.stopped) return outcome;
  }
  return outcome;
}

function decideToStop(outcome, learner, updates, { epochs, order }) {
  // An epoch drawn with replacement may have missed rows that would still move the weights.
  if (updates === 0 && !learner.movesAlways && (order !== "replacement" || learner.noRowWouldMove())) {
    [outcome.stopped, outcome.converged] = ["an epoch without updates", true];
  } else if (outcome.epochs.length >= epochs) {
    outcome.stopped = epochs === 1 ? "one pass" : `all ${epochs} epochs`;
  }
}

function endHere(outcome) {
  const why = `${MOST_UPDATES.toLocaleString("en")} updates are as many as the page shows`;
  outcome.stopped = `the playground's limit: ${why}`;
  outcome.notes.push(`Training was stopped after ${outcome.epochs.length} epochs: ${why}.`);
}
