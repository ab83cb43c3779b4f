// The list of campaigns, and the page of one.

import { campaignPath, get, listen, post } from "./api.js";
import { choice, confirmed, duration, element, field, form, instant, notice, number, part, percent, table } from "./page.js";
import { Rate, ended, outcomes } from "./rate.js";

const orders = {
  pause: { title: "Pause", states: ["sending", "planning", "scheduled"], text: "No request is opened until it is resumed. Devices stay pending; its time until expiry keeps running." },
  resume: { title: "Resume", states: ["paused"], text: "It continues where it was paused." },
  fire: { title: "Fire", states: ["held"], text: "It is sent now." },
  cancel: { title: "Cancel", states: ["sending", "planning", "scheduled", "paused", "held"], text: "Devices that were not sent to end cancelled. This cannot be undone." },
};

export function bar(status) {
  const parts = outcomes.filter((name) => status[name] > 0).map((name) => {
    const part = element("span", { class: name, title: `${name} ${number(status[name])}` });
    part.style.width = `${100 * status[name] / Math.max(1, status.audience)}%`;
    return part;
  });
  const label = `${number(ended(status))} of ${number(status.audience)} devices have an outcome`;
  return element("div", { class: "bar", role: "img", "aria-label": label }, parts);
}

function state(status) {
  const reason = status.state_reason && status.state_reason !== status.state ? ` (${status.state_reason})` : "";
  return element("span", { class: `state ${status.state}` }, status.state + reason);
}

function place(status) { return `#/campaigns/${encodeURIComponent(status.app)}/${encodeURIComponent(status.id)}`; }

function buttons(status, mayAct) {
  if (!mayAct) return null;
  const shown = Object.entries(orders).filter(([, order]) => order.states.includes(status.state));
  if (shown.length === 0) return null;
  return element("div", { class: "buttons" }, shown.map(([name, order]) =>
    element("button", { type: "button", "data-order": name, on: { click: () => give(name, order, status) } }, order.title)));
}

// The campaign's kind, unless it is a plain notification.
function kind(campaign) {
  return campaign.kind && campaign.kind !== "notification" ? [campaign.kind.replace("_", " ")] : [];
}

async function give(name, order, status) {
  if (!await confirmed(`${order.title} ${status.app}/${status.id}?`, order.text, order.title)) return;
  try { await post(`${campaignPath(status.app, status.id)}:${name}`); } catch (error) { notice(error.message); }
}

// Another rate, end or urgency; what is left empty stays.
function changing(app, id) {
  const rate = field("Requests a second, or none", { inputmode: "numeric" });
  const end = field("End: 2026-11-20T21:30:00Z");
  const urgency = choice("Urgency", [["", "urgency as it is"], ["urgent", "urgent"], ["bulk", "bulk"]]);
  return form("set", [rate, end, urgency], "Change", async () => {
    const change = {};
    const wanted = rate.value.trim();
    if (wanted) change.per_second = wanted === "none" ? null : /^[0-9]+$/.test(wanted) ? Number(wanted) : wanted;
    if (end.value.trim()) change.expires_at = end.value.trim();
    if (urgency.value) change.urgency = urgency.value;
    const text = Object.entries(change).map(([name, value]) => `${name.replace("_", " ")}: ${value ?? "none"}`).join(", ");
    if (text && !await confirmed(`Change ${app}/${id}?`, text, "Change")) return;
    await post(`${campaignPath(app, id)}:set`, change);
    for (const one of [rate, end, urgency]) one.value = "";
  });
}

// MARK: All campaigns

export function list(view, context) {
  const rows = new Map();
  const rates = new Map();
  const cards = element("div", { class: "cards", id: "campaigns" });
  const word = element("input", { type: "search", placeholder: "Filter by name, app, state (press /)", "aria-label": "Filter" });
  const more = element("button", { type: "button", hidden: true }, "Older ones");
  view.append(element("h1", {}, "Campaigns"), element("div", { class: "filter" }, word), cards, element("div", { class: "buttons" }, more));
  context.search = word;

  const cardOf = new Map();

  function draw() {
    const wanted = word.value.trim().toLowerCase();
    const shown = [...rows.values()].filter((row) =>
      !wanted || [row.id, row.app, row.name, row.state].some((text) => (text ?? "").toLowerCase().includes(wanted)));
    shown.sort((one, other) => (other.accepted_at ?? "").localeCompare(one.accepted_at ?? ""));
    const nodes = shown.map(card);
    if (nodes.length === 0) nodes.push(element("p", { class: "quiet" }, rows.size === 0 ? "No campaign yet." : "No campaign matches."));
    const isSame = nodes.length === cards.childNodes.length && nodes.every((node, index) => node === cards.childNodes[index]);
    if (!isSame) cards.replaceChildren(...nodes);
  }

  function card(row) {
    const key = `${row.app}/${row.id}`;
    if (!cardOf.has(key)) {
      const parts = { facts: part("p", { class: "quiet number" }), bar: part(), state: part(), buttons: part() };
      const node = element("article", { class: "card", "data-campaign": key },
        element("h2", {}, element("a", { href: place(row) }, row.name || row.id)),
        parts.facts.node, parts.bar.node, parts.state.node, parts.buttons.node);
      cardOf.set(key, { node, parts });
    }
    const { node, parts } = cardOf.get(key);
    const rate = rates.get(key);
    const facts = [row.app, ...kind(row), `${number(row.audience)} devices`];
    if (rate?.now) facts.push(`${number(Math.round(rate.now))}/s`, `${duration(rate.left(row))} left`);
    parts.facts.show(facts, () => facts.join(" · "));
    parts.bar.show(outcomes.map((name) => row[name]), () => row.accepted === undefined ? null : bar(row));
    parts.state.show([row.state, row.state_reason], () => [state(row), " ", element("span", { class: "quiet" }, instant(row.accepted_at))]);
    parts.buttons.show(row.state, () => buttons(row, context.mayAct));
    return node;
  }

  let next = null;
  async function page() {
    const answer = await get(`/v1/campaigns?limit=50${next ? `&cursor=${next}` : ""}`);
    for (const row of answer.campaigns) if (!rows.has(`${row.app}/${row.id}`)) rows.set(`${row.app}/${row.id}`, row);
    next = answer.next;
    more.hidden = !next;
    draw();
  }
  word.addEventListener("input", draw);
  more.addEventListener("click", () => page().catch((error) => notice(error.message)));

  listen("/v1/events", context.signal, {
    state: context.state,
    event(name, data) {
      if (name !== "status") return;
      const key = `${data.app}/${data.id}`;
      if (!rates.has(key)) rates.set(key, new Rate());
      rates.get(key).note(data, Date.now());
      rows.set(key, { ...rows.get(key), ...data });
      draw();
    },
  }).catch(context.failed);
  return page();
}

// MARK: One campaign

export async function detail(view, context, app, id) {
  const rate = new Rate();
  const history = [];
  const title = part("h1");
  const parts = { progress: part(), buttons: part(), set: part() };
  const body = element("div", { class: "cards" });
  view.append(element("p", {}, element("a", { href: "#/campaigns" }, "← All campaigns")), title.node,
    element("section", { class: "card", id: "progress", "aria-label": "Progress" }, parts.progress.node, parts.buttons.node, parts.set.node), body);
  let status = await get(campaignPath(app, id));
  // The phones' reports: a few rows of the ledger. They keep coming after the campaign is over.
  let report = null;
  async function ask() {
    try { report = await get(`${campaignPath(app, id)}/report`); } catch { return; }
    draw();
  }
  const asking = setInterval(ask, 3000);
  context.signal.addEventListener("abort", () => clearInterval(asking));

  function draw() {
    document.title = `${status.name || status.id} – Fanfare`;
    title.show(status.name || status.id, () => status.name || status.id);
    parts.progress.show(status, () => [
      state(status), " ",
      element("span", { class: "quiet number" }, `${[`${status.app}/${status.id}`, ...kind(status)].join(" · ")} · ${number(ended(status))} of ${number(status.audience)} (${percent(ended(status), status.audience)})`),
      bar(status), legend(),
    ]);
    parts.buttons.show(status.state, () => buttons(status, context.mayAct));
    const mayChange = context.mayAct && orders.cancel.states.includes(status.state);
    parts.set.show(mayChange, () => mayChange ? changing(app, id) : null);
    body.replaceChildren(...[speed(), funnel(), phones(), answers(), reasons(), waiting(), providers(), times(), events()].filter(Boolean));
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
    const now = rate.now === null ? "–" : `${number(Math.round(rate.now))} devices/s`;
    const left = rate.left(status);
    return card("speed", "Speed", element("p", { class: "number" }, now, left ? ` · ${duration(left)} left` : ""), rate.chart());
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
    return card("phones", "Phones", table([["Surface", ""], ["Step", ""], ["Devices", "right"], ["Of accepted", "right"]], lines));
  }

  function answers() {
    if (!report?.poll) return null;
    const lines = report.poll.questions.flatMap((question) => Object.entries(question.choices).map(([choice, count]) =>
      [question.id, choice, number(count), percent(count, report.poll.answered)]));
    return card("answers", "Answers", element("p", { class: "number" }, `${number(report.poll.answered)} devices have answered`),
      table([["Question", ""], ["Choice", ""], ["Devices", "right"], ["Of answered", "right"]], lines));
  }

  function reasons() {
    const found = Object.entries(status.reasons ?? {});
    if (found.length === 0) return null;
    return card("reasons", "Outcomes by reason",
      table([["Reason", ""], ["Devices", "right"]], found.map(([name, count]) => [name, number(count)])));
  }

  function waiting() {
    const detail = Object.entries(status.pending_detail ?? {}).filter(([, count]) => count > 0);
    if (detail.length === 0) return null;
    const rungs = Object.entries(status.retries ?? {});
    return card("waiting", "Pending",
      table([["Where", ""], ["Devices", "right"]], detail.map(([name, count]) => [name, number(count)])),
      rungs.length > 0 ? element("h2", {}, "Retries by rung") : null,
      rungs.length > 0 ? table([["Rung", ""], ["Devices", "right"]], rungs.map(([name, count]) => [name, number(count)])) : null,
      status.next_retry_at ? element("p", { class: "quiet" }, "next retry ", instant(status.next_retry_at)) : null);
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
    return card("times", "Times", table([["", ""], ["", "right"]],
      names.filter((name) => status[name]).map((name) => [name.replace("_at", ""), instant(status[name])])));
  }

  function events() {
    if (history.length === 0) return null;
    return card("events", "Events since this page was opened", element("ul", { class: "lines" }, history.slice(-50).reverse().map((entry) =>
      element("li", {}, instant(entry.at), ` ${entry.type}`, entry.data?.reason ? `: ${entry.data.reason}` : "", entry.by ? ` (${entry.by})` : ""))));
  }

  draw();
  ask();
  listen(`${campaignPath(app, id)}/events`, context.signal, {
    isOver: () => ["completed", "cancelled", "failed", "refused"].includes(status.state) && status.pending === 0,
    state: context.state,
    event(name, data) {
      if (name === "status") {
        rate.note(data, Date.now());
        status = data;
      } else {
        history.push(data);
      }
      draw();
    },
  }).then(() => context.state("live")).catch(context.failed);
}
