// Undo and redo: what was chosen before, as addresses, since an address holds the whole state.

const TOGETHER = 700; // milliseconds: what a slider or a dragged point passes through on its way is one step
const MOST = 200;

export class Undo {
  constructor() {
    this.past = [];
    this.future = [];
  }

  // The state is about to change from this address; `what` names the controls that change it.
  record(address, what, moment = performance.now()) {
    const together = what === this.what && moment - this.moment < TOGETHER;
    [this.what, this.moment] = [what, moment];
    if (together || this.past.at(-1) === address) return;
    this.past = [...this.past, address].slice(-MOST);
    this.future = [];
  }

  // The address to go back to from this one, or null; `redo` the other way.
  undo(address) {
    return this.step(this.past, this.future, address);
  }

  redo(address) {
    return this.step(this.future, this.past, address);
  }

  step(from, to, address) {
    this.what = null;
    if (!from.length) return null;
    to.push(address);
    return from.pop();
  }
}
