// Asking the server, and noticing when it is gone or back.

import { Refused } from "./refused.js";
import { grid, trace } from "./trace.js";

// The library has ≤, always: what < does is computed here.
const IN_THE_PAGE = { "api/trace": trace, "api/grid": grid };
const BUSY = 300; // milliseconds until a busy server is asked again

export class Server {
  constructor({ lost, returned }) {
    this.lost = lost;
    this.returned = returned;
    this.gone = false;
    this.asked = {};
    setInterval(() => document.hidden || this.beat(), 3000);
  }

  // The answer to a question; a newer question of the same name makes an older one void (its answer is null).
  async ask(name, path, question) {
    this.asked[name]?.abort();
    const turn = (this.asked[name] = new AbortController());
    if (question?.strict || question?.task?.strict) return IN_THE_PAGE[path](question);
    try {
      const options = question === undefined ? {} : {
        method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(question),
      };
      const response = await fetch(path, { ...options, signal: turn.signal });
      if (response.status === 429) { // it still reads or answers what was asked before
        await new Promise((done) => { setTimeout(done, BUSY); });
        return turn.signal.aborted ? null : this.ask(name, path, question);
      }
      const answer = await response.json();
      this.present();
      if (answer.error) throw new Refused(answer.error, answer.about);
      if (!response.ok) throw new Refused(`The server answered ${response.status}.`);
      return turn.signal.aborted ? null : answer;
    } catch (problem) {
      if (turn.signal.aborted) return null;
      if (problem instanceof Refused) throw problem;
      this.absent();
      return null;
    }
  }

  async beat() {
    try {
      const response = await fetch("healthz", { cache: "no-store" });
      if (response.ok) this.present();
    } catch {
      this.absent();
    }
  }

  absent() {
    if (!this.gone) this.lost();
    this.gone = true;
    clearTimeout(this.retry);
    this.retry = setTimeout(() => this.beat(), 1000);
  }

  present() {
    const back = this.gone;
    this.gone = false;
    if (back) this.returned();
  }
}
