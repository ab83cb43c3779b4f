// What campaigns have in common on every page: outcomes, state, kind and address.

import { element, number, percent } from "./page.js";

export const outcomes = ["accepted", "invalid", "failed", "expired", "superseded", "cancelled", "skipped"];

export function ended(status) { return outcomes.reduce((sum, name) => sum + (status[name] ?? 0), 0); }

export function isOver(status) {
  return ["completed", "cancelled", "failed", "refused"].includes(status.state) && !(status.pending > 0);
}

// What there is to say of an audience that is not, or was never, frozen whole.
export function whole(status) {
  const estimate = status.audience_estimate;
  if (estimate) return ` so far, about ${number(estimate.devices)} ± ${number(estimate.error)} in all`;
  if (status.planning) return ", the audience is not known yet";
  return (status.unexamined ?? null) === null ? "" : `, about ${number(status.unexamined)} more were never looked at`;
}

export function bar(status) {
  const parts = outcomes.filter((name) => status[name] > 0).map((name) => {
    const part = element("span", { class: name, title: `${name} ${number(status[name])}` });
    part.style.width = `${100 * status[name] / Math.max(1, status.audience)}%`;
    return part;
  });
  const label = `${number(ended(status))} of ${number(status.audience)} devices have an outcome`;
  return element("div", { class: "bar", role: "img", "aria-label": label }, parts);
}

// The outcomes that a campaign has, in words: accepted 98.2 %, invalid 1.1 %.
export function shares(status) {
  const found = outcomes.filter((name) => status[name] > 0).map((name) => `${name} ${percent(status[name], status.audience)}`);
  return found.length > 0 ? found.join(", ") : "no outcome yet";
}

export function state(status) {
  const reason = status.state_reason && status.state_reason !== status.state ? ` (${status.state_reason})` : "";
  return element("span", { class: `state ${status.state}` }, status.state + reason);
}

// The campaign's kind, unless it is a plain notification.
export function kind(campaign) {
  return campaign.kind && campaign.kind !== "notification" ? [campaign.kind.replace("_", " ")] : [];
}

export function keyOf(campaign) { return `${campaign.app}/${campaign.id}`; }

export function place(campaign) { return `#/campaigns/${encodeURIComponent(campaign.app)}/${encodeURIComponent(campaign.id)}`; }
