// In the place of net.js, where there is no server: the same questions, answered in the browser.

import { FILE } from "./file.js";
import { grid, trace } from "./trace.js";

const ANSWERS = { "api/trace": trace, "api/grid": grid, "api/datasets": () => ({ file: FILE }) };

export class Server {
  constructor() {
    this.asked = {};
  }

  // The answer to a question; a newer question of the same name makes an older one void (its answer is null).
  async ask(name, path, question) {
    const turn = (this.asked[name] = (this.asked[name] ?? 0) + 1);
    await new Promise((done) => { setTimeout(done); }); // first the page draws what was chosen
    return this.asked[name] === turn ? ANSWERS[path](question) : null;
  }
}
