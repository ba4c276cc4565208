// Small charts of a run as far as the replay has come: what is to come stays covered, so that the end can be guessed first.

import { element, set, svg } from "./dom.js";
import { LEARNERS } from "./learners.js";
import { score, theta } from "./replay.js";
import { count, number, plural } from "./words.js";

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [320, 110, 40, 8, 10, 20];
const SAMPLES = 240;

class Chart {
  constructor(title) {
    this.title = title;
    this.caption = element(
      "figcaption", {}, element("span", { class: "chart-title" }, title),
      (this.value = element("span", { class: "chart-value" }))
    );
    this.picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart", role: "img", "aria-label": title });
    this.root = element("figure", {}, this.caption, this.picture);
    this.marker = svg("line", { class: "marker", y1: TOP, y2: HEIGHT - BOTTOM });
    this.cover = svg("rect", { class: "cover", y: 0, height: HEIGHT - BOTTOM });
    this.endWords = []; // texts that tell how the run ends
  }

  // What was drawn, the cover over what is to come, and what may be seen from the beginning.
  fill(drawn, around) {
    this.picture.replaceChildren(...drawn, this.cover, ...around, this.marker);
  }

  frame(x, y, yTicks) {
    this.toX = (value) => LEFT + ((value - x[0]) / (x[1] - x[0] || 1)) * (WIDTH - LEFT - RIGHT);
    this.toY = (value) => HEIGHT - BOTTOM - ((value - y[0]) / (y[1] - y[0] || 1)) * (HEIGHT - TOP - BOTTOM);
    const parts = [svg("line", { class: "base", x1: LEFT, x2: WIDTH - RIGHT, y1: HEIGHT - BOTTOM, y2: HEIGHT - BOTTOM })];
    for (const value of yTicks) {
      parts.push(svg("line", { class: "tick", x1: LEFT, x2: WIDTH - RIGHT, y1: this.toY(value), y2: this.toY(value) }));
      const words = svg(
        "text", { x: LEFT - 5, y: this.toY(value) + 3.5, "text-anchor": "end" },
        number(value, Math.abs(value) < 10 ? 2 : 0)
      );
      parts.push(words);
      if (value > 0 && y[0] >= 0) this.endWords.push(words);
    }
    return parts;
  }

  below(left, right) {
    const end = svg("text", { x: WIDTH - RIGHT, y: HEIGHT - 5, "text-anchor": "end" }, right);
    this.endWords.push(end);
    return [svg("text", { x: LEFT, y: HEIGHT - 5 }, left), end];
  }

  curve(points, name) {
    return svg(
      "polyline",
      {
        class: `curve ${name}`,
        points: points.map(([x, y]) => `${this.toX(x).toFixed(1)},${this.toY(y).toFixed(1)}`).join(" "),
      }
    );
  }

  // The run has come to x; at its end nothing is covered any more.
  mark(x, text, ended) {
    const place = this.toX(x);
    set(this.marker, { x1: place, x2: place });
    set(this.cover, { x: place, width: ended ? 0 : WIDTH - place });
    for (const words of this.endWords) words.toggleAttribute("hidden", !ended);
    this.value.textContent = text;
  }
}

// The charts of one run; `show(t)` moves their marks.
export class Charts {
  constructor(host, replay, certificate, learner) {
    this.replay = replay;
    this.certificate = certificate;
    this.parts = [];
    const { additive, movesAlways } = LEARNERS[learner];
    if (replay.surface) {
      this.heights();
      host.replaceChildren(...this.parts.map(({ chart }) => chart.root));
      return;
    }
    this.updates();
    if (!replay.kernel) this.lengths(additive);
    if (!replay.kernel && certificate?.separable && certificate.w) this.angles();
    this.epochs();
    if (movesAlways && replay.vectors === 1) this.predictions(learner);
    if (replay.trace.heldOutErrors) this.heldOut(LEARNERS[learner].view);
    if (!replay.kernel && replay.T) this.losses();
    if (!movesAlways) this.votes();
    host.replaceChildren(...this.parts.map(({ chart }) => chart.root));
  }

  // `drawn` is covered until the run has come so far, `around` is not; `show(now, ended)` marks the place.
  add(chart, drawn, around, show) {
    chart.fill(drawn, around);
    this.parts.push({ chart, show });
  }

  samples() {
    const { K } = this.replay;
    const every = Math.max(1, Math.ceil(K / SAMPLES));
    const ks = [];
    for (let k = 0; k < K; k += every) ks.push(k);
    return [...ks, K];
  }

  updates() {
    const { K, T } = this.replay;
    const bound = this.certificate?.counts === "updates" ? this.certificate.bound : null;
    const near = bound !== null && bound <= 5 * Math.max(1, K);
    const top = Math.max(1, K, near ? bound : 0);
    const chart = new Chart("Updates");
    const parts = chart.frame([0, Math.max(1, T)], [0, top * 1.06], K ? [0, K] : [0]);
    const steps = this.samples().flatMap((k) => [[k < this.replay.K ? this.replay.t[k] : T, k]]);
    const drawn = [chart.curve(steps, "main")];
    if (near) {
      const y = chart.toY(bound);
      parts.push(svg("line", { class: "bound", x1: LEFT, x2: WIDTH - RIGHT, y1: y, y2: y }));
      parts.push(svg(
        "text", { class: "bound-text", x: WIDTH - RIGHT - 2, y: y + 12, "text-anchor": "end" },
        `${this.certificate.formula} = ${number(bound, 1)}`
      ));
    } else if (bound !== null) {
      parts.push(svg(
        "text", { class: "bound-text", x: WIDTH - RIGHT - 2, y: HEIGHT - BOTTOM - 8, "text-anchor": "end" },
        `↑ ${this.certificate.formula} = ${number(bound, 0)}`
      ));
    }
    parts.push(...chart.below("0", `${count(T)} examples`));
    this.add(chart, drawn, parts, (now, ended) => chart.mark(now.t, count(now.k), ended));
  }

  // How high gradient descent stands after every step.
  heights() {
    const { values, T } = this.replay;
    const most = 2 * Math.max(values[0], values[1] ?? 0, 0.1); // beyond it is flying off
    const chart = new Chart("f(θ), after each step");
    const parts = [...chart.frame([0, Math.max(1, T)], [0, most * 1.06], [0, most / 2]), ...chart.below("0", plural(T, "step"))];
    this.add(chart, [chart.curve(values.map((value, t) => [t, Math.min(value, most)]), "main")], parts, (now, ended) => chart.mark(now.t, number(values[now.t]), ended));
  }

  lengths(additive) {
    const ks = this.samples();
    const size = (weights) => Math.hypot(...theta(this.replay, weights));
    const lengths = ks.map((k) => [k, size(this.replay.weightsAfter(k))]);
    const radius = additive && this.certificate ? this.certificate.radius * (this.replay.vectors > 1 ? Math.SQRT2 : 1) : null; // of an update
    const ceiling = radius && this.replay.trace.start.every((w) => w === 0) && this.replay.tau.every((tau) => tau === 1) ? ks.map((k) => [k, Math.sqrt(k) * radius]) : [];
    const top = (Math.max(...lengths.map(([, y]) => y)) || 1) * (ceiling.length ? 1.5 : 1.1);
    const chart = new Chart(this.replay.trace.bias ? "Length |θ|, θ = (w, b)" : "Length |w|");
    const parts = chart.frame([0, Math.max(1, this.replay.K)], [0, top], [0, top / (ceiling.length ? 1.5 : 1.1)]);
    if (ceiling.length) {
      const inside = ceiling.filter(([, y]) => y <= top);
      parts.push(
        chart.curve(inside, "bound"),
        svg(
          "text",
          {
            class: "bound-text", x: Math.min(WIDTH - RIGHT - 2, chart.toX(inside.at(-1)[0]) - 4), y: TOP + 4,
            "text-anchor": "end",
          },
          this.replay.vectors > 1 ? "√(2k) R" : "√k R"
        )
      );
    }
    parts.push(...chart.below("0", plural(this.replay.K, "update")));
    this.add(chart, [chart.curve(lengths, "main")], parts, (now, ended) => chart.mark(now.k, number(size(now.last), 3), ended));
  }

  angles() {
    const best = theta(this.replay, this.certificate.w);
    const cosine = (weights) => {
      const own = theta(this.replay, weights);
      const product = own.reduce((sum, value, j) => sum + value * best[j], 0);
      const size = Math.hypot(...own) * Math.hypot(...best);
      return size > 0 ? product / size : NaN;
    };
    const curve = this.samples().map((k) => [k, cosine(this.replay.weightsAfter(k))]).filter(([, y]) => Number.isFinite(y));
    if (!curve.length) return;
    const low = Math.min(0, Math.floor(Math.min(...curve.map(([, y]) => y)) * 2) / 2);
    const chart = new Chart(this.replay.trace.bias ? "cos(θ, θ*), θ = (w, b)" : "cos(w, w*)");
    const parts = chart.frame(
      [0, Math.max(1, this.replay.K)], [low, 1.05], [low, 1].filter((v, i, all) => all.indexOf(v) === i)
    );
    parts.push(...chart.below("0", plural(this.replay.K, "update")));
    this.add(chart, [chart.curve(curve, "main")], parts, (now, ended) => {
      const value = cosine(now.last);
      chart.mark(now.k, Number.isFinite(value) ? number(value, 3) : "–", ended);
    });
  }

  epochs() {
    const mistakes = this.replay.trace.epochs.map(([, mistakes]) => mistakes);
    const top = Math.max(1, ...mistakes);
    const chart = new Chart("Mistakes per epoch");
    const parts = chart.frame([0, Math.max(1, mistakes.length)], [0, top * 1.06], [0, top]);
    const width = Math.min(26, (WIDTH - LEFT - RIGHT) / Math.max(1, mistakes.length));
    const drawn = [];
    if (mistakes.length > 150) drawn.push(chart.curve(mistakes.map((value, i) => [i + 0.5, value]), "main"));
    else {
      mistakes.forEach((value, i) => {
        const middle = chart.toX(i + 0.5);
        drawn.push(svg(
          "rect",
          {
            class: "bar", x: middle - width * 0.36, width: width * 0.72, y: chart.toY(value),
            height: Math.max(0, HEIGHT - BOTTOM - chart.toY(value)),
          }
        ));
      });
    }
    parts.push(...chart.below("1", `${count(mistakes.length)} ${mistakes.length === 1 ? "epoch" : "epochs"}`));
    this.add(chart, drawn, parts, (now, ended) => {
      const finished = this.replay.epochsBefore(now.t); // the bar of an epoch is uncovered when it is over
      chart.mark(finished, finished ? `${count(mistakes[finished - 1])} in epoch ${finished}` : "–", ended);
    });
  }

  // What is predicted for every activation, a straight line or a sigmoid, and where the points are, their class 0 or 1.
  predictions(learner) {
    const { replay } = this;
    const [least, most, target] = [-4, 4, learner === "logistic" ? (a) => 1 / (1 + Math.exp(-a)) : (a) => (1 + a) / 2];
    const chart = new Chart("What is predicted, by activation");
    const parts = chart.frame([least, most], [-0.3, 1.3], [0, 1]);
    const places = Array.from({ length: 65 }, (_, i) => least + (i * (most - least)) / 64).filter((a) => target(a) >= -0.3 && target(a) <= 1.3);
    const some = replay.pool.filter((_, i) => i % Math.ceil(replay.n / SAMPLES) === 0);
    const marks = some.map((i) => svg("circle", { class: `dot ${replay.y[i] > 0 ? "plus" : "minus"}`, r: 3, cy: chart.toY(replay.y[i] > 0 ? 1 : 0) }));
    parts.push(chart.curve(places.map((a) => [a, target(a)]), "main"), ...marks);
    parts.push(svg("text", { x: LEFT, y: HEIGHT - 5 }, `a = ${number(least)}`), svg("text", { x: WIDTH - RIGHT, y: HEIGHT - 5, "text-anchor": "end" }, String(most)));
    this.add(chart, [], parts, ({ last }) => {
      some.forEach((i, k) => set(marks[k], { cx: chart.toX(Math.max(least, Math.min(most, score(last, replay.rows[i])))).toFixed(1) }));
      chart.mark(most, "", true);
    });
  }

  // The error on points that were not learned from, beside that on those that were, by the weights that predict.
  heldOut(view) {
    const { replay } = this;
    const errors = replay.trace.heldOutErrors.map((pair) => pair[view === "last" ? 0 : 1]);
    const ends = replay.epochEnds;
    const own = replay.kernel ? [] : ends.map((t) => replay.wrong(replay.at(t)[view === "last" ? "last" : "averaged"]) / replay.n);
    const top = Math.max(0.01, ...errors, ...own);
    const chart = new Chart("Held-out error (dashed: learned)");
    const parts = [...chart.frame([0, Math.max(1, ends.length)], [0, top * 1.06], [0, top]), ...chart.below("0", plural(ends.length, "epoch"))];
    const curve = (values, name) => chart.curve(values.map((value, i) => [i + 1, value]), name);
    this.add(chart, [curve(own, "learned"), curve(errors, "held-out")], parts, (now, ended) => {
      const finished = replay.epochsBefore(now.t);
      const best = errors.slice(0, finished).reduce((least, value, i, all) => (value < all[least] ? i : least), 0);
      const percent = (value) => `${number(100 * value, 1)} %`;
      chart.mark(finished, finished ? `${percent(errors[finished - 1])}, least ${percent(errors[best])} after ${best + 1}` : "–", ended);
    });
  }

  // What the last weights cost after every epoch: points wrong (0/1 loss) and the perceptron criterion, the mean of max(0, −ya).
  losses() {
    const ends = [0, ...this.replay.epochEnds];
    const every = Math.max(1, Math.ceil(ends.length / SAMPLES));
    const places = ends.map((t, i) => [i, t]).filter(([i]) => i % every === 0 || i === ends.length - 1);
    const cost = (charge) => (t) => {
      const { last } = this.replay.at(t);
      return this.replay.pool.reduce((sum, i) => sum + charge(this.replay.margin(last, i)), 0) / this.replay.n;
    };
    for (const [title, charge] of [["0/1 loss, after each epoch", (m) => (m <= 0 ? 1 : 0)], ["Perceptron criterion", (m) => Math.max(0, -m)]]) {
      const curve = places.map(([i, t]) => [i, cost(charge)(t)]);
      const top = Math.max(1e-9, ...curve.map(([, y]) => y));
      const chart = new Chart(title);
      const parts = [...chart.frame([0, ends.length - 1], [0, top * 1.06], [0, top]), ...chart.below("0", plural(ends.length - 1, "epoch"))];
      this.add(chart, [chart.curve(curve, "main")], parts, (now, ended) => {
        const finished = this.replay.epochsBefore(now.t);
        chart.mark(finished, number(cost(charge)(ends[finished]), 3), ended);
      });
    }
  }

  // How many examples each weight vector survived: the votes that it has.
  votes() {
    const { K, T } = this.replay;
    const lived = this.replay.trace.lived ?? [];
    if (!lived.length) return;
    const top = Math.max(1, ...lived);
    const chart = new Chart("Votes of the survivors");
    const parts = chart.frame([0, K + 1], [0, top * 1.06], [0, top]);
    const width = (WIDTH - LEFT - RIGHT) / (K + 1);
    const most = Math.max(1, Math.ceil(lived.length / SAMPLES));
    const drawn = [];
    for (let i = 0; i < lived.length; i += most) {
      const tall = Math.max(...lived.slice(i, i + most));
      drawn.push(svg(
        "rect",
        {
          class: "bar", x: chart.toX(i) + 0.08 * width * most, width: Math.max(0.6, 0.84 * width * most),
          y: chart.toY(tall), height: Math.max(0, HEIGHT - BOTTOM - chart.toY(tall)),
        }
      ));
    }
    parts.push(...chart.below("w₀", `${count(K + 1)} weight vectors`));
    this.add(chart, drawn, parts, (now, ended) => {
      const since = now.k === 0 ? 0 : this.replay.t[now.k - 1];
      chart.mark(now.k + (ended ? 0.5 : 0), `w${subscript(now.k)}: ${count(Math.max(0, Math.min(now.t, T) - since))}`, ended);
    });
  }

  show(now) {
    for (const { show } of this.parts) show(now, now.t >= this.replay.T);
  }
}

const subscript = (k) => String(k).replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]);
