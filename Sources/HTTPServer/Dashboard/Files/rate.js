// Devices a second, from statuses a second apart, and a chart of the last five minutes.

const shownSeconds = 300;
const svg = "http://www.w3.org/2000/svg";

export const outcomes = ["accepted", "invalid", "failed", "expired", "superseded", "cancelled", "skipped"];

export function ended(status) { return outcomes.reduce((sum, name) => sum + (status[name] ?? 0), 0); }

export class Rate {
  constructor() { this.points = []; this.last = null; }

  // Takes in a status; `at` in milliseconds.
  note(status, at) {
    const total = ended(status);
    if (this.last && at > this.last.at) {
      const value = Math.max(0, (total - this.last.total) / ((at - this.last.at) / 1000));
      this.points.push({ at, value });
      this.points = this.points.filter((point) => point.at > at - shownSeconds * 1000);
    }
    this.last = { at, total };
  }

  get now() { return this.points.at(-1)?.value ?? null; }
  get most() { return this.points.reduce((most, point) => Math.max(most, point.value), 0); }

  // Seconds until the pending devices have ended at the present rate.
  left(status) { return this.now > 0 ? status.pending / this.now : null; }

  chart() {
    const chart = document.createElementNS(svg, "svg");
    chart.setAttribute("class", "chart");
    chart.setAttribute("viewBox", "0 0 300 100");
    chart.setAttribute("preserveAspectRatio", "none");
    chart.setAttribute("role", "img");
    chart.setAttribute("aria-label", `devices a second, now ${Math.round(this.now ?? 0)}, at most ${Math.round(this.most)}`);
    if (this.points.length < 2) return chart;
    const [end, most] = [this.points.at(-1).at, Math.max(this.most, 1)];
    const begin = Math.min(this.points[0].at, end - 10000);
    const places = this.points.map((point) =>
      `${(300 * (point.at - begin) / (end - begin)).toFixed(1)},${(98 - 94 * point.value / most).toFixed(1)}`);
    const first = places[0].split(",")[0];
    for (const [name, d] of [["area", `M${first},100L${places.join("L")}L300,100Z`], ["line", `M${places.join("L")}`]]) {
      const path = document.createElementNS(svg, "path");
      path.setAttribute("class", name);
      path.setAttribute("d", d);
      chart.append(path);
    }
    return chart;
  }
}
