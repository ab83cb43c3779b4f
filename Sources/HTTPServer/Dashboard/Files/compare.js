// Two campaigns side by side: the same rows, and their curves on the same axes.

import { campaignPath, get } from "./api.js";
import { chart, curveOf, fromZero } from "./chart.js";
import { ended, isOver, keyOf, kind, outcomes, place, state } from "./outcomes.js";
import { element, number, part, percent, table } from "./page.js";
import { duration, instant } from "./time.js";

async function read(app, id) {
  const path = campaignPath(app, id);
  const [status, report, answer] = await Promise.all([get(path), get(`${path}/report`), get(`${path}/rate`)]);
  return { status, report, curve: curveOf(answer, isOver(status)) };
}

function seconds(status) {
  if (!status.started_at) return null;
  return (Date.parse(status.completed_at ?? new Date().toISOString()) - Date.parse(status.started_at)) / 1000;
}

function share(count, whole) { return count > 0 ? `${number(count)} · ${percent(count, whole)}` : number(count); }

// The rows of the table: a name, and what a campaign has there.
function rows(all) {
  const names = (pick) => [...new Set(all.flatMap((one) => Object.keys(pick(one) ?? {})))];
  const steps = (one) => Object.fromEntries(Object.entries(one.report.surfaces ?? {}).flatMap(([surface, found]) =>
    Object.entries(found).filter(([, step]) => step.devices > 0).map(([name, step]) => [`${surface} ${name}`, step.devices])));
  return [
    ["State", ({ status }) => state(status)],
    ["Kind", ({ status }) => kind(status)[0] ?? "notification"],
    ["Audience", ({ status }) => number(status.audience)],
    ...outcomes.filter((name) => all.some(({ status }) => status[name] > 0)).map((name) =>
      [name, ({ status }) => share(status[name], status.audience)]),
    ["pending", ({ status }) => share(status.pending, status.audience)],
    ["Requests", ({ status }) => number(status.attempts)],
    ["Started", ({ status }) => instant(status.started_at)],
    ["Took", ({ status }) => duration(seconds(status))],
    ["Devices a second, mean", ({ status }) => seconds(status) > 0 ? number(Math.round(ended(status) / seconds(status))) : "–"],
    ["Devices a second, most", ({ curve }) => number(Math.round(curve.most))],
    ...names(({ status }) => status.reasons).map((name) => [name, ({ status }) => number(status.reasons[name] ?? 0)]),
    ...names(steps).map((name) => [name, (one) => share(steps(one)[name] ?? 0, one.report.accepted)]),
  ];
}

export async function compare(view, context, one, other) {
  const body = part();
  view.append(element("p", {}, element("a", { href: "#/campaigns" }, "← All campaigns")), element("h1", {}, "Two campaigns"), body.node);

  function draw(all) {
    const heads = all.map(({ status }, index) => element("p", {}, element("span", { class: `swatch${index === 0 ? "" : " other"}` }), " ",
      element("a", { href: place(status) }, status.name || status.id), element("span", { class: "quiet" }, ` ${keyOf(status)}`)));
    const columns = [["What", "long"], ...all.map(({ status }) => [keyOf(status), "right"])];
    return [
      element("section", { class: "card", id: "curves", "aria-label": "Speed" }, element("h2", {}, "Devices a second since the start"), heads,
        chart(all.map(({ curve }) => fromZero(curve)))),
      element("section", { class: "card", id: "rows", "aria-label": "Numbers" },
        table(columns, rows(all).map(([name, cell]) => [name, ...all.map(cell)]))),
    ];
  }

  async function look() {
    const all = await Promise.all([read(...one), read(...other)]);
    if (context.signal.aborted) return;
    body.show(all, () => draw(all));
    context.state("live");
    if (all.every(({ status }) => isOver(status))) clearInterval(timer);
  }
  const timer = setInterval(() => {
    if (!document.hidden) look().catch(() => context.state("lost"));
  }, 3000);
  context.signal.addEventListener("abort", () => clearInterval(timer));
  await look();
}
