// Below the plane: the scrubber and its buttons.

import { by } from "./dom.js";
import { count, plural } from "./words.js";

export class Transport {
  constructor(page) {
    this.page = page;
    this.scrubber = by("scrubber");
    this.scrubber.addEventListener("input", () => {
      page.player.pause();
      page.go(page.replay.after(Number(this.scrubber.value)));
    });
    by("unit").addEventListener("change", () => page.choose({ unit: by("unit").value }));
    by("speed").addEventListener("change", () => page.choose({ speed: by("speed").value }));
  }

  follow(state) {
    by("unit").value = state.unit;
    by("speed").value = state.speed;
  }

  arrived(replay) {
    this.replay = replay;
    this.scrubber.max = String(replay.K);
    this.scrubber.disabled = replay.K === 0;
  }

  show({ t, k }) {
    const { replay } = this;
    this.scrubber.value = String(k);
    const seen = this.page.place;
    const ended = seen >= this.page.longest();
    const text = replay.surface ? `Step ${count(t)}${t >= replay.T ? ", the end" : ""}` : t === 0 ? "Before the first example" : seen > replay.T ? `${this.page.follow.other} goes on: epoch ${where(this.page.stepping(seen), seen)}` : `Epoch ${where(replay, t)}`;
    by("where").textContent = text;
    this.scrubber.setAttribute("aria-valuetext", text);
    for (const [id, off] of [
      ["to-start", t === 0], ["back", t === 0], ["step", ended], ["next-mistake", ended],
      ["next-epoch", ended], ["to-end", ended],
    ]) {
      by(id).setAttribute("aria-disabled", String(off));
    }
  }

  playing(now) {
    by("play").classList.toggle("playing", now);
    by("play").setAttribute("aria-label", now ? "Pause" : "Play");
    by("play").querySelector("use").setAttribute("href", now ? "#icon-pause" : "#icon-play");
  }
}

function where(replay, t) {
  const { epoch, place } = replay.epochOf(Math.max(0, t - 1));
  return `${epoch}, example ${count(place)} · ${plural(replay.at(t).k, "update")}${t >= replay.T ? ", the end" : ""}`;
}
