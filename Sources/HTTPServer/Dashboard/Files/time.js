// Times and durations, the same on every page: local time, its zone and the exact instant in the tooltip, and how long
// ago only beside it.

import { element } from "./page.js";

const units = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
const zones = new Intl.DateTimeFormat("en", { timeZoneName: "long" });

function two(number) { return String(number).padStart(2, "0"); }

function clock(date) { return [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":"); }

// The offset of a date's local time: UTC+02:00.
function zone(date) {
  const minutes = -date.getTimezoneOffset();
  const size = Math.abs(minutes);
  const name = zones.formatToParts(date).find((part) => part.type === "timeZoneName")?.value;
  return `${name} (UTC${minutes < 0 ? "−" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)})`;
}

// An instant of the API as local time; with `age` how long ago or in how long stands beside it.
export function instant(text, { age = false } = {}) {
  if (!text) return "–";
  const date = new Date(text);
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  const node = element("time", { datetime: text, title: `${zone(date)}, ${text}` }, `${day} ${clock(date)}`);
  return age ? element("span", { class: "instant" }, node, " ", element("span", { class: "age quiet", "data-at": text }, since(date))) : node;
}

function since(date) {
  const seconds = (Date.now() - date.getTime()) / 1000;
  const length = duration(Math.abs(seconds), Math.abs(seconds) < 3600 ? 1 : 2);
  return Math.abs(seconds) < 1 ? "now" : seconds > 0 ? `${length} ago` : `in ${length}`;
}

setInterval(() => {
  if (document.hidden) return;
  for (const node of document.querySelectorAll(".age")) {
    const text = since(new Date(node.dataset.at));
    if (node.textContent !== text) node.textContent = text;
  }
}, 5000);

export function duration(seconds, words = 2) {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return "–";
  if (seconds <= 0) return "0 s";
  if (seconds < 1) return `${Math.max(1, Math.round(seconds * 1000))} ms`;
  const found = [];
  let rest = Math.round(seconds);
  for (const [length, unit] of units) {
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count > 0 && found.length < words) found.push(`${count} ${unit}`);
  }
  return found.join(" ");
}
