// The fleet: problems for a person, workers, lanes.

import { get } from "./api.js";
import { counted, duration, element, instant, number, part, table } from "./page.js";

export async function fleet(view, context) {
  const place = part("div", { class: "cards" });
  view.append(element("h1", {}, "Fleet"), place.node);

  function card(id, title, ...children) {
    return element("section", { class: `card ${id}`, id, "aria-label": title }, element("h2", {}, title), ...children);
  }

  function lines(texts) { return element("ul", { class: "lines" }, texts.map((text) => element("li", {}, text))); }

  // A rung's messages are due one after another; only a lane can stand still.
  function end(one) {
    if (one.messages === 0) return "";
    if (!one.waits_until) return one.drain_seconds === null ? "standing still" : duration(Math.max(1, one.drain_seconds));
    const reasons = Object.entries(one.retry_reasons).map(([reason, count]) => `, ${reason} ${number(count)}`);
    return element("span", {}, "waits until ", instant(one.waits_until), ...reasons);
  }

  function lanes(backlogs) {
    return table([["Queue", ""], ["Waiting", "right"], ["Consumers", "right"], ["Empty in", "right"]],
      backlogs.map((one) => [one.name, number(one.messages), number(one.consumers),
        end(one)]));
  }

  function cards(status) {
    const workers = status.parts.filter((part) => part.name.startsWith("worker "));
    const others = status.parts.filter((part) => !part.name.startsWith("worker "));
    const parts = (list) => table([["", ""], ["", ""], ["", "long"]], list.map((part) => [part.well ? "✓" : "✗", part.name, part.detail]));
    return [
      status.needs.length > 0 ? card("needs", "Needs a person", lines(status.needs)) : null,
      card("workers", `Workers (${workers.length})`, workers.length > 0 ? parts(workers) : element("p", {}, "None is running.")),
      card("lanes", "Lanes and rungs", lanes(status.backlogs)),
      card("parts", "Broker and store", parts(others)),
      status.breakers.length > 0 ? card("breakers", "Open breakers", lines(status.breakers)) : null,
      status.pauses.length > 0 ? card("pauses", "Paused", lines(status.pauses)) : null,
      card("parked-count", "Parked", element("p", {}, element("a", { href: "#/parked" }, counted(status.parked, "message", "messages")))),
    ];
  }

  async function look() {
    try {
      const status = await get("/v1/status");
      place.show(status, () => cards(status));
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
