// The page: state in the address, runs from the server, pictures and words from the replay.

import { bindActions, showNextLabel } from "./actions.js";
import { Charts } from "./charts.js";
import { LETTERS, labelAt, labelsOf, nextOf, relabelled } from "./classes.js";
import { Controls } from "./controls.js";
import { by } from "./dom.js";
import { DescentReplay, descentFacts, descentSummary } from "./descent.js";
import { dropPaste } from "./drop.js";
import { Follow } from "./follow.js";
import { goOn, showLesson } from "./lessons.js";
import { showClasses, showLooks } from "./looks.js";
import { Server } from "./net.js";
import { Notebook } from "./notebook.js";
import { Pictures } from "./pictures.js";
import { Player } from "./player.js";
import { attachPointer } from "./pointer.js";
import { showNeuron } from "./neuron.js";
import { Refused } from "./refused.js";
import { Replay, untrained } from "./replay.js";
import { MOST_POINTS, PARTS, classNames, format, initialState, parse, settings, task } from "./state.js";
import { stepFacts, summary } from "./story.js";
import { PointsTable } from "./table.js";
import { thinness } from "./spread.js";
import { showBound } from "./bound.js";
import { Transport } from "./transport.js";
import { Undo } from "./undo.js";

const LOOKS = ["view", "shade", "follow", "unit", "speed", "at", "hide", "theme", "lesson", "present"]; // nothing of these needs another run
const WORDS_EVERY = 120; // milliseconds

class Page {
  constructor() {
    this.runs = {};
    this.place = 0;
    this.csv = null; // a dropped table, until its points are edited
    this.proposed = null; // one that the server has not taken yet
    this.number = 0;
    this.selected = -1;
    this.nextLabel = 1;
    this.server = new Server(
      {
        lost: () => this.notice("offline", "The server does not answer. Is `rosenblatt play` still running? Trying again…"),
        returned: () => this.back(),
      }
    );
    this.controls = new Controls((values) => this.choose(values));
    this.pictures = new Pictures(
      (name, question) => this.server.ask(name, "api/grid", question).catch(() => null),
      (plane) => attachPointer(plane, this.edits())
    );
    this.table = new PointsTable((list) => { this.select(-1); this.edit(list); });
    this.player = new Player(this, (t, how) => this.go(t, how));
    this.transport = new Transport(this);
    this.past = new Undo();
    this.follow = new Follow((follow) => this.choose({ follow }));
    dropPaste((text) => this.useCsv(text));
    bindActions(this);
    document.documentElement.toggleAttribute("data-embed", new URLSearchParams(location.search).has("embed"));
    window.addEventListener("hashchange", () => location.hash !== this.address && this.load());
    this.notebook = new Notebook((address) => address !== this.address && this.load(address));
    this.server.ask("datasets", "api/datasets").then(
      (datasets) => datasets && this.controls.allowFile(Boolean(datasets.file)), () => {}
    );
    this.load();
  }

  // Of two learners the one that the words, the charts and the steps are about: "" is the first.
  get followed() {
    return this.runs["2"] && this.state.follow === "beside" ? "2" : "";
  }

  get replay() {
    return this.runs[this.followed]?.replay;
  }

  // From the address: a lesson, a shared link, or nothing.
  load(address = location.hash || (document.documentElement.dataset.start ?? "")) {
    this.player.pause();
    this.csv = this.proposed = null;
    this.link = parse(address);
    this.state = this.link.state;
    this.notice("table", "");
    this.select(-1);
    this.showLinkProblems();
    this.applyLooks();
    this.train();
  }

  showLinkProblems() {
    const { problems } = this.link;
    const listed = `${problems.slice(0, 3).join("; ")}${problems.length > 3 ? "; …" : ""}`;
    this.notice("link", listed && `Part of this link could not be followed, so the defaults stand there: ${listed}.`);
  }

  // What a link asks for can be readable and yet impossible: there the defaults stand, too.
  fallBack({ message, about }) {
    const initial = initialState();
    for (const name of PARTS[about] ?? []) this.state[name] = initial[name];
    this.link.problems.push(message.replace(/\.$/, ""));
    this.showLinkProblems();
    this.link = null;
    this.applyLooks();
    return this.train();
  }

  // What the user has chosen in a control.
  choose(values) {
    const looksOnly = Object.keys(values).every((name) => LOOKS.includes(name));
    if (!looksOnly) this.past.record(format(this.state), Object.keys(values).join());
    this.link = null;
    this.notice("table", "");
    if (this.csv && Object.keys(values).some((name) => ["x", "y", "target"].includes(name))) {
      this.proposed = { ...this.csv, ...values };
      return this.train();
    }
    if (Object.keys(values).some((name) => PARTS.data.includes(name))) {
      this.csv = this.proposed = null;
      if (!values.points) this.select(-1); // other points
    }
    if (values.k && !values.points && this.state.data === "points") values.points = relabelled(this.state.points, values.k);
    if (values.data === "points" && !values.points && !this.state.points.length && this.replay) Object.assign(values, this.asPoints());
    Object.assign(this.state, values);
    this.applyLooks();
    this.save();
    if (!looksOnly) return this.train();
    if (this.replay && ("view" in values || "shade" in values)) this.pictures.draw(this.state, this.runs, this.followed);
    if (this.replay && "follow" in values) {
      this.turnTo();
      this.pictures.draw(this.state, this.runs, this.followed);
      this.go(this.place);
    }
    return undefined;
  }

  applyLooks() {
    showLooks(this.state, this.past);
    this.controls.follow(this.state);
    this.transport.follow(this.state);
    showLesson(this.state.lesson);
    this.offerLabel();
  }

  save() {
    this.address = format(this.state);
    this.notebook.tell(this.address);
    try {
      history.replaceState(null, "", this.address === "#" ? location.pathname + location.search : this.address);
    } catch { // a frame without an address of its own: what is chosen there is not kept
    }
  }

  // Asks for the runs that the state describes, and shows them.
  async train() {
    const turn = (this.turn = (this.turn ?? 0) + 1);
    const suffixes = this.state.learner2 === "none" ? [""] : ["", "2"];
    const csv = this.proposed ?? this.csv;
    if (this.state.data === "surface" && !csv) return this.descend();
    const labels = new Set(this.state.points.map((point) => point[2]));
    if (this.state.data === "points" && !csv && labels.size < 2) {
      return this.refused(labels.size ? "All points are of one class: add one of the other, to tell them apart." : "There are no points yet: click into the plane to add one of each class.");
    }
    document.body.setAttribute("aria-busy", "true");
    try {
      const tasks = suffixes.map((suffix) => this.withPoints(task(this.state, suffix, csv)));
      const answers = await Promise.all(
        tasks.map((question, i) => this.server.ask(`trace${suffixes[i]}`, "api/trace", question))
      );
      if (turn !== this.turn || answers.includes(null)) return undefined;
      this.number += 1;
      if (this.proposed && this.proposed.text !== this.csv?.text) this.state.at = 0;
      [this.csv, this.proposed, this.link] = [csv, null, null];
      this.runs = Object.fromEntries(suffixes.map((suffix, i) => [suffix, this.run(answers[i], tasks[i], suffix)]));
      this.arrived();
    } catch (problem) {
      if (!(problem instanceof Refused)) throw problem;
      if (turn !== this.turn) return undefined;
      if (this.proposed) return this.forget(problem);
      if (this.link) return this.fallBack(problem);
      this.refused(problem.message);
    } finally {
      if (turn === this.turn) document.body.removeAttribute("aria-busy");
    }
    return undefined;
  }

  // Gradient descent needs no points, and no server.
  descend() {
    const { theta1, theta2, eta, steps } = this.state;
    const replay = new DescentReplay({ start: [theta1, theta2], eta, steps });
    this.link = null;
    this.runs = { "": { replay, learner: "perceptron", number: (this.number += 1) } };
    this.arrived();
  }

  // What < does is computed in the page, which has no tables and files: there it takes the points that it shows.
  withPoints(asked) {
    if (!asked.strict || !["csv", "file"].includes(asked.data.kind) || !this.replay) return asked;
    return { ...asked, data: { kind: "points", points: this.asList(), classes: this.replay.trace.classes } };
  }

  run(trace, asked, suffix) {
    const replay = new Replay(trace);
    return {
      replay, task: asked, learner: this.state[`learner${suffix}`], certificate: trace.certificate, number: this.number,
    };
  }

  arrived() {
    const { replay, state } = this;
    const { trace } = replay;
    if (this.csv) Object.assign(this.state, { data: "points", ...this.asPoints() });
    this.controls.follow(this.state);
    this.controls.showColumns(this.columns(), trace.chosen);
    this.offerLabel();
    this.table.follow(this.asList(), trace.names, this.labels);
    showClasses(trace);
    this.notice("refused", "");
    this.notice("notes", trace.notes.join(" "));
    this.notice("spread", state.scale || state.hide.includes("training") ? "" : thinness(trace));
    const wrong = Object.values(this.runs).some((run) => !run.replay.agrees());
    this.notice("bits", wrong ? "The replay does not end on the engine's weights: please report this as a bug." : "");
    this.turnTo();
    this.pictures.draw(this.state, this.runs, this.followed);
    this.go(this.state.at === "end" ? this.longest() : Math.min(this.state.at, this.longest()), { quiet: true });
    this.save();
  }

  // Of a table, which can be chosen among.
  columns() {
    return this.csv || this.state.data === "file" ? this.replay.trace.columns : [];
  }

  // Panels and scrubber turn to the learner that is followed.
  turnTo() {
    const { replay, certificate, learner } = this.runs[this.followed];
    this.follow.show(this.runs, this.followed);
    this.charts = new Charts(by("chart-list"), replay, certificate, learner);
    this.transport.arrived(replay);
  }

  // No run: what stands in its way is told, and points that exist stay visible.
  refused(message) {
    this.notice("refused", message);
    this.notice("notes", "");
    this.notice("spread", "");
    if (this.state.data !== "points") return;
    this.table.follow(this.state.points, ["x₁", "x₂"], labelsOf(this.state));
    const empty = new Replay(untrained(this.state));
    this.runs = { "": { replay: empty, learner: "perceptron", number: (this.number += 1) } };
    this.turnTo();
    this.pictures.draw({ ...this.state, learner2: "none", learner: "perceptron", view: "last" }, this.runs);
    this.go(0, { quiet: true });
    this.save();
  }

  longest() {
    return Math.max(...Object.values(this.runs).map(({ replay }) => replay.T));
  }

  // The run that is stepped through after t examples: the followed one; past its end the other, if that is longer.
  stepping(t) {
    const other = this.runs[this.followed ? "" : "2"]?.replay;
    return other && t >= this.replay.T && other.T > this.replay.T ? other : this.replay;
  }

  // Shows the run after t examples.
  go(t, { quiet = false, playing = false } = {}) {
    const { replay } = this;
    if (!replay) return;
    this.place = t;
    if (t > 0) goOn();
    const seen = Math.min(t, replay.T);
    const chosen = settings(this.state, this.followed);
    this.pictures.show(t, playing);
    // Nobody reads sixty sentences a second: while playing, words and charts follow more slowly than the picture.
    const moment = performance.now();
    if (!playing || moment - (this.wordsShownAt ?? 0) > WORDS_EVERY) {
      this.wordsShownAt = moment;
      by("step-facts").replaceChildren(...replay.surface ? descentFacts(replay, seen) : stepFacts(replay, seen, chosen));
      const now = replay.at(seen);
      this.charts.show(now);
      this.transport.show(now);
      if (!replay.surface) {
        showNeuron(replay, seen);
        showBound(this.runs, this.followed, t);
      }
    }
    if (quiet) return;
    this.state.at = t >= this.longest() && !playing ? "end" : t;
    if (playing) return;
    this.save();
    by("live").textContent = this.follow.named + (replay.surface ? descentSummary(replay, seen) : summary(replay, seen, chosen));
  }

  playingChanged() {
    this.transport.playing(this.player.playing);
    if (!this.player.playing) this.go(this.place);
  }

  asList() {
    const { trace } = this.replay;
    return trace.points.map(([a, b], i) => [a, b, labelAt(trace, i)]);
  }

  // What is seen, as points of one's own.
  asPoints() {
    const { trace } = this.replay;
    const k = trace.letters.length > 2 ? { k: Math.max(this.state.k, LETTERS.indexOf(trace.letters.at(-1)) + 1) } : {};
    return { points: this.asList(), ...k, ...classNames(trace) };
  }

  // The labels that a new point can have.
  get labels() {
    const letters = (this.state.data === "file" && this.replay?.trace.letters) || [];
    return letters.length ? letters : labelsOf(this.state);
  }

  offerLabel() {
    if (!this.labels.includes(this.nextLabel)) [this.nextLabel] = this.labels;
    showNextLabel(this.nextLabel);
  }

  edit(list) {
    this.csv = null;
    this.choose({ data: "points", ...this.asPoints(), points: list.slice(0, MOST_POINTS) });
  }

  edits() {
    const page = this;
    return {
      list: () => page.asList(),
      replace: (list) => page.edit(list),
      move: (row, [x, y]) => page.edit(page.asList().map((p, i) => (i === row ? [x, y, p[2]] : p))),
      select: (row) => page.select(row),
      label: (other) => (other ? nextOf(page.nextLabel, page.labels) : page.nextLabel),
      toRaw: ([x, y]) => {
        const { mean, sd } = page.replay.trace;
        return mean ? [x * (sd[0] || 1) + mean[0], y * (sd[1] || 1) + mean[1]] : [x, y];
      },
    };
  }

  select(row) {
    this.selected = row;
    this.pictures.select(row);
  }

  remove() {
    if (this.selected < 0 || this.selected >= this.asList().length) return;
    const list = this.asList().filter((_, i) => i !== this.selected);
    this.select(-1);
    this.edit(list);
  }

  // Back to what was chosen before (`undo`), or forth again (`redo`).
  travel(direction) {
    const address = this.past[direction](format(this.state));
    if (address === null) return;
    this.csv = this.proposed = this.link = null;
    this.state = { ...parse(address).state, present: this.state.present, theme: this.state.theme };
    this.select(-1);
    this.applyLooks();
    this.train();
  }

  useCsv(text) {
    this.past.record(format(this.state), "csv");
    this.proposed = { kind: "csv", text };
    this.link = null;
    this.notice("table", "");
    this.train();
  }

  // A table that cannot be used is told and forgotten: the page goes on with what was there before.
  forget({ message }) {
    this.proposed = null;
    this.notice("table", `This table was not taken. ${message}`);
    by("notice-table").scrollIntoView({ block: "nearest" }); // on a phone it is far above the button
    if (this.replay) this.controls.showColumns(this.columns(), this.replay.trace.chosen);
    return this.train();
  }

  back() {
    this.notice("offline", "");
    this.train();
  }

  notice(name, text) {
    const place = by(`notice-${name}`);
    place.hidden = !text;
    place.querySelector("span").textContent = text;
  }
}

window.rosenblatt = { page: new Page() };
