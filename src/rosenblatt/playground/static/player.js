// Playing, pausing, stepping: it moves the place in the run, the page shows it.

const PER_SECOND = { 1: 1, 3: 3, 10: 10, 30: 30, 60: 60, max: Infinity };

export class Player {
  // `page` has replay, place (examples seen) and state; `go(t)` moves there.
  constructor(page, go) {
    this.page = page;
    this.go = go;
    this.playing = false;
    this.frames = 0;
  }

  toggle() {
    this.playing ? this.pause() : this.play();
  }

  play() {
    const { replay } = this.page;
    if (!replay || this.playing) return;
    if (this.page.place >= this.page.longest()) this.go(0);
    this.playing = true;
    this.owed = 1;
    this.last = performance.now();
    this.page.playingChanged();
    requestAnimationFrame((now) => this.frame(now));
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.page.playingChanged();
  }

  // As many steps as the time since the last frame is worth; at full speed so many that a run takes about five seconds.
  frame(now) {
    const { replay, state } = this.page;
    if (!this.playing || !replay) return;
    const speed = PER_SECOND[state.speed];
    const end = this.page.longest();
    const length = state.unit === "update" ? this.page.stepping(end - 1).K : end;
    this.owed += Number.isFinite(speed) ? (speed * (now - this.last)) / 1000 : Math.max(1, length / 300);
    this.last = now;
    this.frames += 1;
    let t = this.page.place;
    const steps = Math.floor(this.owed);
    this.owed -= steps;
    for (let i = 0; i < steps && t < end; i += 1) t = this.page.stepping(t).next(t, state.unit);
    if (steps) this.go(t, { playing: true });
    if (t >= end) this.pause();
    else requestAnimationFrame((later) => this.frame(later));
  }

  step(direction, unit = this.page.state.unit) {
    this.pause();
    const { replay, place } = this.page;
    if (!replay) return;
    if (direction > 0) this.go(this.page.stepping(place).next(place, unit));
    else if (place > replay.T) this.go(Math.max(replay.T, this.page.stepping(place).previous(place, unit)));
    else this.go(replay.previous(place, unit));
  }

  nextMistake() {
    this.step(1, "update");
  }

  nextEpoch() {
    this.pause();
    const { replay, place } = this.page;
    if (replay) this.go(this.page.stepping(place).nextEpoch(place));
  }

  toStart() {
    this.pause();
    this.go(0);
  }

  toEnd() {
    this.pause();
    if (this.page.replay) this.go(this.page.longest());
  }
}
