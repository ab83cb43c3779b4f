// The page of one campaign.

import { campaignPath, get, listen } from "./api.js";
import { chart, curveOf } from "./chart.js";
import { list as eventList, marks } from "./events.js";
import { buttons, changing, mayChange } from "./orders.js";
import { bar, ended, isOver, kind, outcomes, state, whole } from "./outcomes.js";
import { element, number, part, percent, table } from "./page.js";
import { Rate } from "./rate.js";
import { duration, instant } from "./time.js";

export async function detail(view, context, app, id) {
  const rate = new Rate();
  const title = part("h1");
  const parts = { progress: part(), buttons: part(), set: part() };
  const body = element("div", { class: "cards" });
  view.append(element("p", {}, element("a", { href: "#/campaigns" }, "← All campaigns")), title.node,
    element("section", { class: "card", id: "progress", "aria-label": "Progress" }, parts.progress.node, parts.buttons.node, parts.set.node), body);
  const path = campaignPath(app, id);
  let status = await get(path);
  // What the phones reported, which goes on after the end: a few rows. A campaign that was refused has no report.
  let report = null;
  async function ask() {
    if (document.hidden) return;
    try { report = await get(`${path}/report`); } catch { return; }
    draw();
    await follow();
  }
  // The curve and its marks: a pass over the campaign's shards, so no more often than the curve has intervals, unless
  // something has happened.
  let [curve, curveAt, isCurveOver] = [null, 0, false];
  async function follow(isNews = false) {
    const isDue = Date.now() - curveAt >= 1000 * Math.max(2, curve?.step_seconds ?? 0);
    if (isCurveOver || !(isNews || isDue)) return;
    curveAt = Date.now();
    try { curve = await get(`${path}/rate`); } catch { return; }
    isCurveOver = isOver(status) && curve.marks.some((mark) => mark.type === "campaign.completed");
    draw();
  }
  const asking = setInterval(ask, 3000);
  context.signal.addEventListener("abort", () => clearInterval(asking));

  // Cards that are drawn anew only when what they show has changed.
  const shown = new Map();
  function kept(id, value, make) {
    const text = JSON.stringify(value);
    if (shown.get(id)?.text !== text) shown.set(id, { text, node: make() });
    return shown.get(id).node;
  }

  function draw() {
    document.title = `${status.name || status.id} – Fanfare`;
    title.show(status.name || status.id, () => status.name || status.id);
    parts.progress.show(status, () => [
      state(status), " ",
      element("span", { class: "quiet number" }, `${[`${status.app}/${status.id}`, ...kind(status)].join(" · ")} · ${number(ended(status))} of ${number(status.audience)} (${percent(ended(status), status.audience)})${whole(status)}`),
      bar(status), legend(),
    ]);
    parts.buttons.show(status.state, () => buttons(status, context.mayAct));
    const isOpen = context.mayAct && mayChange(status);
    parts.set.show(isOpen, () => isOpen ? changing(app, id) : null);
    body.replaceChildren(...[speed(), events(), funnel(), phones(), answers(), reasons(), waiting(), times(), providers()].filter(Boolean));
  }

  function card(id, title, ...children) {
    return element("section", { class: "card", id, "aria-label": title }, element("h2", {}, title), ...children);
  }

  function legend() {
    const facts = [...outcomes, "pending"].filter((name) => status[name] > 0 || name === "accepted" || name === "pending");
    return element("dl", { class: "facts" }, facts.map((name) => element("div", {},
      element("dt", {}, element("span", { class: `dot ${name}` }), name),
      element("dd", { "data-outcome": name }, number(status[name])))));
  }

  function speed() {
    const now = isOver(status) || rate.now === null ? [] : [`now ${number(Math.round(rate.now))} devices/s`];
    const left = isOver(status) ? null : rate.left(status);
    if (left) now.push(`${duration(left)} left`);
    return kept("speed", [now, curve], () => {
      const drawn = curve ? curveOf(curve, isOver(status)) : null;
      if (drawn) drawn.marks = marks(curve.marks);
      if (drawn && drawn.most > 0) now.push(`at most ${number(Math.round(drawn.most))}/s`);
      return card("speed", "Speed", element("p", { class: "number" }, now.join(" · ") || "–"), drawn ? chart([drawn]) : null);
    });
  }

  function funnel() {
    const steps = [["audience", status.audience], ["with an outcome", ended(status)], ["accepted", status.accepted]];
    return card("funnel", "Funnel", element("ol", { class: "funnel" }, steps.map(([name, count]) => {
      const part = element("span", { class: "accepted" });
      part.style.width = `${100 * Math.max(0, count) / Math.max(1, status.audience)}%`;
      return element("li", {}, `${name} `, element("span", { class: "number" }, `${number(count)} · ${percent(count, status.audience)}`),
        element("div", { class: "bar" }, part));
    })), element("p", { class: "quiet number" }, `${status.maybe_sent ? "at least " : ""}${number(status.attempts)} requests`,
      status.maybe_sent ? `, maybe ${number(status.maybe_sent)} besides` : "",
      status.unknown_resent ? `, ${number(status.unknown_resent)} sent again without an answer` : ""));
  }

  function phones() {
    const lines = Object.entries(report?.surfaces ?? {}).flatMap(([surface, steps]) =>
      Object.entries(steps).filter(([, step]) => step.devices > 0).flatMap(([name, step]) => [
        [surface, name, number(step.devices), percent(step.devices, report.accepted)],
        ...Object.entries(step.actions ?? step.reasons ?? {}).map(([detail, count]) =>
          [surface, `${name}: ${detail}`, number(count), percent(count, report.accepted)]),
      ]));
    if (lines.length === 0) return null;
    return card("phones", "Phones", table([["Surface", ""], ["Step", "long"], ["Devices", "right"], ["Of accepted", "right"]], lines));
  }

  function answers() {
    if (!report?.poll) return null;
    const lines = report.poll.questions.flatMap((question) => Object.entries(question.choices).map(([choice, count]) =>
      [question.id, choice, number(count), percent(count, report.poll.answered)]));
    return card("answers", "Answers", element("p", { class: "number" }, `${number(report.poll.answered)} devices have answered`),
      table([["Question", "long"], ["Choice", "long"], ["Devices", "right"], ["Of answered", "right"]], lines));
  }

  function reasons() {
    const found = Object.entries(status.reasons ?? {});
    if (found.length === 0) return null;
    return card("reasons", "Outcomes by reason",
      table([["Reason", "long"], ["Devices", "right"]], found.map(([name, count]) => [name, number(count)])));
  }

  function waiting() {
    const detail = Object.entries(status.pending_detail ?? {}).filter(([, count]) => count > 0);
    if (detail.length === 0) return null;
    const counts = (title, column, counted) => {
      const found = Object.entries(counted ?? {});
      return found.length === 0 ? [] : [element("h2", {}, title), table([[column, "long"], ["Devices", "right"]], found.map(([name, count]) => [name, number(count)]))];
    };
    return card("waiting", "Pending",
      table([["Where", ""], ["Devices", "right"]], detail.map(([name, count]) => [name, number(count)])),
      ...counts("Retries by rung", "Rung", status.retries), ...counts("Retries by reason", "Reason", status.retry_reasons),
      status.next_retry_at ? element("p", { class: "quiet" }, "next retry ", instant(status.next_retry_at, { age: true })) : null);
  }

  function providers() {
    const found = Object.entries(status.providers ?? {});
    if (found.length < 2) return null;
    const columns = [["Provider", ""], ["Devices", "right"], ["Accepted", "right"], ["Invalid", "right"], ["Failed", "right"], ["Pending", "right"]];
    return card("providers", "By provider", table(columns, found.map(([name, one]) =>
      [name, number(one.audience), number(one.accepted), number(one.invalid), number(one.failed), number(one.pending)])));
  }

  function times() {
    const names = ["created_at", "accepted_at", "started_at", "completed_at", "expires_at"];
    return kept("times", names.map((name) => status[name]), () => card("times", "Times", table([["What", ""], ["When", "right"]],
      names.filter((name) => status[name]).map((name) => [name.replace("_at", ""), instant(status[name], { age: true })]))));
  }

  function events() {
    if (!curve || curve.marks.length === 0) return null;
    return kept("events", curve.marks, () => card("events", "Events", eventList(curve.marks)));
  }

  draw();
  ask();
  listen(`${path}/events`, context.signal, {
    isOver: () => isOver(status),
    state: context.state,
    event(name, data) {
      if (name !== "status") return follow(true);
      rate.note(data, Date.now());
      status = data;
      draw();
    },
  }).then(() => { context.state("live"); return follow(true); }).catch(context.failed);
}
