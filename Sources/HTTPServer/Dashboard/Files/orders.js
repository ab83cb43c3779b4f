// Orders to a campaign: buttons, and the form for another rate, end or urgency.

import { campaignPath, post } from "./api.js";
import { choice, confirmed, element, field, form, notice } from "./page.js";

const orders = {
  pause: { title: "Pause", states: ["sending", "planning", "scheduled"], text: "No request is opened until it is resumed. Devices stay pending; its time until expiry keeps running." },
  resume: { title: "Resume", states: ["paused"], text: "It continues where it was paused." },
  fire: { title: "Fire", states: ["held"], text: "It is sent now." },
  cancel: { title: "Cancel", states: ["sending", "planning", "scheduled", "paused", "held"], text: "Devices that were not sent to end cancelled. This cannot be undone." },
};

export function mayChange(status) { return orders.cancel.states.includes(status.state); }

export function buttons(status, mayAct) {
  if (!mayAct) return null;
  const shown = Object.entries(orders).filter(([, order]) => order.states.includes(status.state));
  if (shown.length === 0) return null;
  return element("div", { class: "buttons" }, shown.map(([name, order]) =>
    element("button", { type: "button", "data-order": name, on: { click: () => give(name, order, status) } }, order.title)));
}

async function give(name, order, status) {
  if (!await confirmed(`${order.title} ${status.app}/${status.id}?`, order.text, order.title)) return;
  try { await post(`${campaignPath(status.app, status.id)}:${name}`); } catch (error) { notice(error.message); }
}

// Another rate, end or urgency; what is left empty stays.
export function changing(app, id) {
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
