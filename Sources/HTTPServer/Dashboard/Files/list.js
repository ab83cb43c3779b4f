// The list of campaigns: searched and paged by the server, and kept up to date by its events.

import { get, listen } from "./api.js";
import { choice, element, field, notice, number, part } from "./page.js";
import { buttons } from "./orders.js";
import { bar, keyOf, kind, outcomes, place, shares, state } from "./outcomes.js";
import { Rate } from "./rate.js";
import { duration, instant } from "./time.js";

const perPage = 24;
const states = ["sending", "planning", "scheduled", "held", "paused", "completed", "cancelled", "failed"];

function address(query) {
  const text = new URLSearchParams(Object.entries(query).filter(([, value]) => value)).toString();
  return `#/campaigns${text ? `?${text}` : ""}`;
}

export function list(view, context, query) {
  const wanted = { search: query.get("search") ?? "", state: query.get("state") ?? "", cursor: query.get("cursor") ?? "" };
  const rows = new Map();
  const rates = new Map();
  const cardOf = new Map();
  const picked = new Map();
  let [next, asked, shown] = [null, 0, 0];

  const word = field("Search ids, apps and names (press /)", { type: "search", value: wanted.search, maxlength: 64 });
  const which = choice("State", [["", "all states"], ...states.map((name) => [name, name])]);
  which.value = wanted.state;
  const compared = part("span", { id: "compared" });
  const cards = element("div", { class: "cards", id: "campaigns" });
  const pages = part("nav", { class: "buttons", id: "pages", "aria-label": "Pages" });
  view.append(element("h1", {}, "Campaigns"), element("div", { class: "filter" }, word, which, compared.node), cards, pages.node);
  context.search = word;

  function draw() {
    const nodes = [...rows.values()].map(card);
    if (nodes.length === 0) nodes.push(element("p", { class: "quiet" }, wanted.search || wanted.state ? "No campaign matches." : "No campaign yet."));
    const isSame = nodes.length === cards.childNodes.length && nodes.every((node, index) => node === cards.childNodes[index]);
    if (!isSame) cards.replaceChildren(...nodes);
    pages.show([next, wanted], () => [
      wanted.cursor ? element("a", { class: "button", id: "latest", href: address({ ...wanted, cursor: "" }) }, "Latest") : null,
      next ? element("a", { class: "button", id: "older", href: address({ ...wanted, cursor: next }) }, "Older") : null,
    ].filter(Boolean));
  }

  function card(row) {
    const key = keyOf(row);
    if (!cardOf.has(key)) {
      const parts = { facts: part("p", { class: "quiet number" }), bar: part(), outcome: part("p", { class: "outcome number" }), state: part(), buttons: part() };
      const pick = element("input", { type: "checkbox", "aria-label": `Compare ${key}`, on: { change: () => choose(key, row, pick) } });
      const node = element("article", { class: "card", "data-campaign": key },
        element("h2", {}, element("a", { href: place(row) }, row.name || row.id), element("label", { class: "pick quiet" }, pick, "compare")),
        parts.facts.node, parts.bar.node, parts.outcome.node, parts.state.node, parts.buttons.node);
      cardOf.set(key, { node, parts });
    }
    const { node, parts } = cardOf.get(key);
    const rate = rates.get(key);
    const facts = [keyOf(row), ...kind(row), `${number(row.audience)} devices`];
    if (rate?.now) facts.push(`${number(Math.round(rate.now))}/s`, `${duration(rate.left(row))} left`);
    const counts = outcomes.map((name) => row[name]);
    const isCounted = typeof row.accepted === "number";
    parts.facts.show(facts, () => facts.join(" · "));
    parts.bar.show(counts, () => isCounted ? bar(row) : null);
    parts.outcome.show(counts, () => isCounted ? shares(row) : null);
    parts.state.show([row.state, row.state_reason, row.accepted_at], () => [state(row), " ", element("span", { class: "quiet" }, instant(row.accepted_at, { age: true }))]);
    parts.buttons.show(row.state, () => buttons(row, context.mayAct));
    return node;
  }

  // Two at most: the one that was chosen first makes room.
  function choose(key, row, pick) {
    pick.checked ? picked.set(key, { row, pick }) : picked.delete(key);
    if (picked.size > 2) {
      const [first, { pick }] = picked.entries().next().value;
      pick.checked = false;
      picked.delete(first);
    }
    const two = [...picked.values()].map(({ row }) => row);
    compared.show(two.map(keyOf), () => two.length < 2 ? null
      : element("a", { class: "button", href: `#/compare/${two.flatMap((row) => [row.app, row.id]).map(encodeURIComponent).join("/")}` }, "Compare the two"));
  }

  async function load() {
    const number = ++asked;
    const text = new URLSearchParams({ limit: perPage, ...Object.fromEntries(Object.entries(wanted).filter(([, value]) => value)) });
    const answer = await get(`/v1/campaigns?${text}`);
    // A later question was answered first.
    if (number < shown || context.signal.aborted) return;
    shown = number;
    const before = new Map(rows);
    rows.clear();
    for (const row of answer.campaigns) rows.set(keyOf(row), { ...before.get(keyOf(row)), ...row });
    next = answer.next;
    draw();
  }

  let timer = null;
  function soon(milliseconds) {
    clearTimeout(timer);
    timer = setTimeout(() => { if (!context.signal.aborted) load().catch((error) => notice(error.message)); }, milliseconds);
  }
  function changed() {
    Object.assign(wanted, { search: word.value.trim(), state: which.value, cursor: "" });
    history.replaceState(null, "", address(wanted));
    soon(250);
  }
  word.addEventListener("input", changed);
  which.addEventListener("change", changed);

  // The server is asked whether a campaign belongs on this page when its first event comes, and again in each new state.
  const seen = new Set();
  listen("/v1/events", context.signal, {
    state: context.state,
    event(name, data) {
      if (name !== "status") return;
      const key = keyOf(data);
      if (!rates.has(key)) rates.set(key, new Rate());
      rates.get(key).note(data, Date.now());
      const row = rows.get(key);
      if (row) {
        rows.set(key, { ...row, ...data });
        draw();
      }
      const news = `${key} ${data.state}`;
      if (wanted.cursor || seen.has(news) || (row && row.state === data.state)) return;
      seen.add(news);
      if (!row || wanted.state) soon(250);
    },
  }).catch(context.failed);
  return load();
}
