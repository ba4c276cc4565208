// Epochs over examples, whoever learns from them: learning/driver.py without files and clocks.

import { draw, shuffle } from "./engine.js";
import { Pcg64 } from "./random.js";

const [ORDER, SPLIT] = [1, 2]; // what random words are for: engine/order.py
export const MOST_UPDATES = 50_000; // a run ends after the epoch in which it has made so many

// The row numbers of every epoch, without end. The array is overwritten for the next.
export function* orders(order, pool, seed) {
  const bits = new Pcg64([ORDER, seed]);
  const rows = pool.slice();
  if (order === "once") shuffle(rows, bits);
  for (;;) {
    if (order === "shuffled") shuffle(rows, bits);
    if (order === "replacement") draw(rows, bits, pool);
    yield rows;
  }
}

// The row numbers that are held out, a share of every class, as learning/holding_out.py draws them.
export function heldOut(codes, share, seed) {
  if (!share) return [];
  const bits = new Pcg64([SPLIT, seed]);
  return [...new Set(codes)].sort((a, b) => a - b).flatMap((code) => {
    const group = Int32Array.from([...codes.keys()].filter((i) => codes[i] === code));
    shuffle(group, bits);
    return [...group.slice(0, roundHalfEven(share * group.length))];
  }).sort((a, b) => a - b);
}

// As Python and numpy round: a half goes to the even neighbour.
export function roundHalfEven(value) {
  const below = Math.floor(value);
  const rest = value - below;
  if (rest !== 0.5) return rest < 0.5 ? below : below + 1;
  return below % 2 === 0 ? below : below + 1;
}

// `learner` has passOver(rowNumbers), counts(), noRowWouldMove(), movesAlways, and endOfEpoch(); `overflowed` where weights can
// grow too large. `pool` are the numbers of the rows that are learned from.
export function runEpochs(learner, { epochs, order, seed }, pool) {
  const outcome = { epochs: [], order: [], errors: [], converged: false, stopped: "", notes: [] };
  for (const rows of orders(order, pool, seed)) {
    const before = learner.counts();
    learner.passOver(rows);
    if (learner.overflowed?.()) return { ...outcome, stopped: "the weights overflowed", overflowed: outcome.epochs.length + 1 };
    const now = learner.counts();
    const updates = now.updates - before.updates;
    outcome.epochs.push([pool.length, now.mistakes - before.mistakes, updates]);
    outcome.errors.push(learner.heldOutErrors());
    outcome.order.push(...rows);
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
