// The fleet: problems for a person, workers, lanes.

import { get, post } from "./api.js";
import { choice, confirmed, counted, element, field, form, notice, number, part, table } from "./page.js";
import { duration, instant } from "./time.js";

export async function fleet(view, context) {
  const place = part("div", { class: "cards" });
  const held = part("div");
  view.append(element("h1", {}, "Fleet"), place.node, element("section", { class: "card", id: "pauses", "aria-label": "Pauses" },
    element("h2", {}, "Pauses"), held.node, context.mayAct ? pausing() : null));

  function card(id, title, ...children) {
    return element("section", { class: `card ${id}`, id, "aria-label": title }, element("h2", {}, title), ...children);
  }

  function name(scope) {
    return [scope.app && `app ${scope.app}`, scope.provider && `provider ${scope.provider}`, scope.urgency && `urgency ${scope.urgency}`]
      .filter(Boolean).join(", ") || "everything";
  }

  // The scope's members that are given.
  function scopeOf({ app, provider, urgency }) {
    return Object.fromEntries(Object.entries({ app, provider, urgency }).filter(([, value]) => value));
  }

  function pausing() {
    const [app, provider] = [field("App (all)"), field("Provider (all)")];
    const urgency = choice("Urgency", [["", "urgent and bulk"], ["urgent", "urgent"], ["bulk", "bulk"]]);
    return form("pause", [app, provider, urgency], "Pause", async () => {
      const scope = scopeOf({ app: app.value.trim(), provider: provider.value.trim(), urgency: urgency.value });
      const text = "No request is opened for it until it is resumed, by campaigns that come later, too. Devices stay pending.";
      if (!await confirmed(`Pause ${name(scope)}?`, text, "Pause")) return;
      await post("/v1/pauses", scope);
      await look();
    });
  }

  async function resume(scope) {
    if (!await confirmed(`Resume ${name(scope)}?`, "Its campaigns go on, unless something else holds them.", "Resume")) return;
    try {
      const { held_by } = await post("/v1/pauses:end", scopeOf(scope));
      await look();
      if (held_by.length > 0) notice(`Still paused by a pause for more: ${held_by.map(name).join("; ")}`);
    } catch (error) { notice(error.message); }
  }

  function holds(pauses) {
    if (pauses.length === 0) return element("p", { class: "quiet" }, "Nothing is paused, apart from single campaigns.");
    return element("ul", { class: "lines" }, pauses.map((pause) => element("li", {}, name(pause), " since ", instant(pause.since, { age: true }), " ",
      context.mayAct ? element("button", { type: "button", "data-resume": name(pause), on: { click: () => resume(pause) } }, "Resume") : null)));
  }

  function lines(texts) { return element("ul", { class: "lines" }, texts.map((text) => element("li", {}, text))); }

  // A rung's messages are due one after another; only a lane can stand still.
  function end(one) {
    if (one.messages === 0) return "";
    if (!one.waits_until) return one.drain_seconds === null ? "standing still" : duration(Math.max(1, one.drain_seconds));
    const reasons = Object.entries(one.retry_reasons).map(([reason, count]) => `, ${reason} ${number(count)}`);
    return element("span", {}, "waits until ", instant(one.waits_until, { age: true }), ...reasons);
  }

  function lanes(backlogs) {
    return table([["Queue", ""], ["Waiting", "right"], ["Consumers", "right"], ["Empty in", "right"]],
      backlogs.map((one) => [one.name, number(one.messages), number(one.consumers),
        end(one)]));
  }

  function cards(status) {
    const workers = status.parts.filter((part) => part.name.startsWith("worker "));
    const others = status.parts.filter((part) => !part.name.startsWith("worker "));
    // Breakers have a card of their own.
    const passing = status.problems.filter((one) => !one.needs_person && one.code !== "breaker");
    const parts = (list) => table([["Well", ""], ["Part", "long"], ["What it says", "long"]], list.map((part) => [part.well ? "✓" : "✗", part.name, part.detail]));
    return [
      status.needs.length > 0 ? card("needs", "Needs a person", lines(status.needs)) : null,
      passing.length > 0 ? card("passing", "May pass by itself", lines(passing.map((one) => `${one.cause}: ${one.remedy}`))) : null,
      card("workers", `Workers (${workers.length})`, workers.length > 0 ? parts(workers) : element("p", {}, "None is running.")),
      card("lanes", "Lanes and rungs", lanes(status.backlogs)),
      card("parts", "Broker and store", parts(others)),
      status.breakers.length > 0 ? card("breakers", "Open breakers", lines(status.breakers)) : null,
      card("parked-count", "Parked", element("p", {}, element("a", { href: "#/parked" }, counted(status.parked, "message", "messages")))),
    ];
  }

  // A token for some apps may not see the fleet, and has their pauses all the same.
  let seesFleet = true;
  async function status() {
    if (!seesFleet) return;
    try {
      const status = await get("/v1/status");
      place.show(status, () => cards(status));
    } catch (error) {
      if (error.status !== 403) throw error;
      seesFleet = false;
      place.show(error.message, () => element("p", { class: "quiet" }, `The fleet: ${error.message}.`));
    }
  }

  async function look() {
    try {
      await status();
      const { pauses } = await get("/v1/pauses");
      held.show(pauses, () => holds(pauses));
      context.state("live");
    } catch (error) {
      if (error.status === 401 || error.status === 403) throw error;
      context.state("lost");
    }
  }
  await look();
  if (context.signal.aborted) return;
  const timer = setInterval(() => { if (!document.hidden) look().catch(context.failed); }, 2000);
  context.signal.addEventListener("abort", () => clearInterval(timer));
}
