// Messages that wait for a person.

import { get, post } from "./api.js";
import { choice, confirmed, counted, element, notice, number, part } from "./page.js";
import { instant } from "./time.js";

const orders = {
  replay: { title: "Replay", text: "Its devices that have no outcome are sent to; a job goes back to intake." },
  discard: { title: "Discard", text: "Its devices end failed, with the reason Parked. This cannot be undone." },
};

export async function parked(view, context) {
  const place = element("div", { class: "cards", id: "parked" });
  const many = part("div", { id: "many" });
  view.append(element("h1", {}, "Parked"), element("p", { class: "quiet" },
    "Messages that cannot be read, that are refused, or that keep killing workers."), many.node, place);

  async function give(name, order, message) {
    if (!await confirmed(`${order.title} message ${message.id}?`, order.text, order.title)) return;
    try {
      const answer = await post(`/v1/parked/${message.id}:${name}`);
      if (answer.detail) notice(answer.detail);
      await look();
    } catch (error) { notice(error.message); }
  }

  // All messages with a reason, or all: a page of them with each request.
  async function giveMany(name, order, reason) {
    const what = reason ? `all messages parked for ${reason}` : "all parked messages";
    if (!await confirmed(`${order.title} ${what}?`, order.text, order.title)) return;
    let [seen, next] = [0, null];
    try {
      do {
        const answer = await post(`/v1/parked:${name}${next ? `?cursor=${next}` : ""}`, reason ? { reason } : { all: true });
        seen += answer.parked.length;
        next = answer.next;
      } while (next);
      await look();
      notice(`${counted(seen, "message", "messages")} handled; what is still parked is shown.`);
    } catch (error) { notice(error.message); }
  }

  function together(reasons) {
    const which = choice("Which messages", [["", "All messages"], ...reasons.map((reason) => [reason, `All for ${reason}`])]);
    return element("div", { class: "filter" }, which, Object.entries(orders).map(([name, order]) =>
      element("button", { type: "button", "data-order": name, on: { click: () => giveMany(name, order, which.value) } }, `${order.title} them`)));
  }

  function card(message) {
    const facts = [message.campaign ? `${message.app}/${message.campaign}` : message.app, message.devices ? `${number(message.devices)} devices` : null];
    return element("article", { class: "card", "data-parked": message.id },
      element("h2", {}, message.reason),
      element("p", { class: "quiet" }, facts.filter(Boolean).join(" · "), " · ", instant(message.first_at, { age: true })),
      element("ul", { class: "lines" }, (message.errors ?? []).map((error) =>
        element("li", {}, [error.pointer, error.detail, error.mend].filter(Boolean).join(": ")))),
      context.mayAct ? element("div", { class: "buttons" }, Object.entries(orders).map(([name, order]) =>
        element("button", { type: "button", "data-order": name, on: { click: () => give(name, order, message) } }, order.title))) : null);
  }

  async function look() {
    const { parked } = await get("/v1/parked");
    place.replaceChildren(...parked.map(card));
    const reasons = [...new Set(parked.map((message) => message.reason))].sort();
    many.show(reasons, () => context.mayAct && reasons.length > 0 ? together(reasons) : null);
    if (parked.length === 0) place.append(element("p", { class: "quiet" }, "Nothing is parked."));
    context.state("live");
  }
  await look();
}
