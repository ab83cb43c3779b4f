// Draws devices a second over time from the server's curves, with marks for what happened.

import { element, number } from "./page.js";
import { duration, instant } from "./time.js";

const svg = "http://www.w3.org/2000/svg";
// Marks closer than this share of the width are one.
const apart = 0.035;

// A curve of the API: instants in milliseconds, and devices a second in the middle of each interval. The last interval
// of a campaign that goes on is left out: its devices are still being counted.
export function curveOf(answer, isOver) {
  const [begin, end, step] = [Date.parse(answer.begins_at), Date.parse(answer.ends_at), answer.step_seconds * 1000];
  const rates = (devices) => devices.map((count, index) => {
    const length = Math.min(step, Math.max(1000, end - begin - index * step));
    return { at: begin + index * step + length / 2, rate: count / (length / 1000) };
  }).slice(0, isOver || devices.length < 3 ? undefined : -1);
  const [all, accepted] = [rates(answer.devices), rates(answer.outcomes.accepted)];
  const most = all.reduce((most, point) => Math.max(most, point.rate), 0);
  return { begin, end: Math.max(end, begin + 10 * 1000), all, accepted, most, marks: [] };
}

// Moves a curve's time so that it begins at 0.
export function fromZero(curve) {
  const move = (points) => points.map((point) => ({ ...point, at: point.at - curve.begin }));
  return { ...curve, begin: 0, end: curve.end - curve.begin, all: move(curve.all), accepted: move(curve.accepted), marks: move(curve.marks) };
}

function path(name, d) {
  const node = document.createElementNS(svg, "path");
  node.setAttribute("class", name);
  node.setAttribute("d", d);
  return node;
}

// Puts marks that would cover each other together, in order of time.
function groups(marks, shareOf) {
  const groups = [];
  for (const mark of [...marks].sort((one, other) => one.at - other.at)) {
    const share = shareOf(mark.at);
    if (share < 0 || share > 1) continue;
    const last = groups.at(-1);
    if (last && share - last.share < apart) last.marks.push(mark);
    else groups.push({ share, marks: [mark] });
  }
  return groups;
}

function badge({ share, marks }) {
  const [first, last] = [marks[0].number, marks.at(-1).number];
  const look = ["bad", "waiting", "good", "plain"].find((name) => marks.some((mark) => mark.look === name));
  const node = element("span", { class: `mark ${look}`, title: marks.map((mark) => mark.text).join("\n") }, first === last ? `${first}` : `${first}–${last}`);
  node.style.left = `${100 * share}%`;
  return node;
}

// A figure of curves that share their axes. Those of one campaign have the clock below them, those from zero the time
// since their beginnings.
export function chart(curves) {
  const begin = Math.min(...curves.map((curve) => curve.begin));
  const end = Math.max(...curves.map((curve) => curve.end));
  const most = Math.max(1, ...curves.map((curve) => curve.most));
  const shareOf = (at) => (at - begin) / (end - begin);
  const spot = (point) => `${(300 * shareOf(point.at)).toFixed(1)},${(100 - 88 * point.rate / most).toFixed(1)}`;

  const drawing = document.createElementNS(svg, "svg");
  drawing.setAttribute("class", "chart");
  drawing.setAttribute("viewBox", "0 0 300 100");
  drawing.setAttribute("preserveAspectRatio", "none");
  drawing.setAttribute("role", "img");
  drawing.setAttribute("aria-label", `devices a second over time, at most ${number(Math.round(most))}`);
  curves.forEach((curve, index) => {
    const kind = index === 0 ? "" : " other";
    if (curves.length === 1 && curve.accepted.length > 1) {
      const [first, last] = [curve.accepted[0], curve.accepted.at(-1)].map((point) => (300 * shareOf(point.at)).toFixed(1));
      drawing.append(path("area", `M${first},100L${curve.accepted.map(spot).join("L")}L${last},100Z`));
    }
    if (curve.all.length > 1) drawing.append(path(`line${kind}`, `M${curve.all.map(spot).join("L")}`));
  });
  const together = curves.flatMap((curve) => groups(curve.marks, shareOf));
  for (const { share } of together) drawing.append(path("moment", `M${(300 * share).toFixed(1)},0V100`));

  const isFromZero = begin === 0;
  const label = (at) => isFromZero ? duration(at / 1000) : instant(new Date(at).toISOString());
  return element("figure", { class: "curve" },
    element("div", { class: "plot" }, drawing, element("span", { class: "most number" }, `${number(Math.round(most))}/s`), together.map(badge)),
    element("figcaption", { class: "axis number" }, element("span", {}, label(begin)), element("span", {}, label(end))));
}
