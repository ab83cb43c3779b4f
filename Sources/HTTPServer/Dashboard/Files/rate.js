// Devices a second at present, from statuses a second apart: the server's curve has what was.

import { ended } from "./outcomes.js";

const measuredSeconds = 5;

export class Rate {
  constructor() { this.points = []; }

  // Takes in a status; `at` in milliseconds.
  note(status, at) {
    if (this.points.length > 0 && at <= this.points.at(-1).at) return;
    this.points.push({ at, total: ended(status) });
    while (this.points.length > 2 && at - this.points[0].at > measuredSeconds * 1000) this.points.shift();
  }

  get now() {
    if (this.points.length < 2) return null;
    const [first, last] = [this.points[0], this.points.at(-1)];
    return Math.max(0, (last.total - first.total) / ((last.at - first.at) / 1000));
  }

  // Seconds until the pending devices have ended at the present rate.
  left(status) { return this.now > 0 ? status.pending / this.now : null; }
}
