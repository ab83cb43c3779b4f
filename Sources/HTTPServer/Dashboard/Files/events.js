// A campaign's history: what was done and what happened, in words and as marks for a chart.

import { element, number } from "./page.js";
import { instant } from "./time.js";

const looks = {
  good: ["campaign.fired", "campaign.started", "campaign.resumed", "campaign.completed", "app.resumed", "app.unpaused"],
  waiting: ["campaign.paused", "app.paused", "app.suspended"],
  bad: ["campaign.cancelled", "campaign.failed", "campaign.expired", "campaign.superseded", "campaign.refused"],
};

function look(entry) { return Object.keys(looks).find((name) => looks[name].includes(entry.type)) ?? "plain"; }

// As campaign events says it: a campaign's own events by their name alone, those of its app with it.
function word(entry) { return entry.type.replace("campaign.", "").replaceAll("_", " ").replace(".", " "); }

function value(one) {
  if (one === null) return "none";
  if (typeof one === "number") return number(one);
  return typeof one === "string" ? one : JSON.stringify(one);
}

export function told(entry) {
  const facts = Object.entries(entry.data ?? {}).flatMap(([name, one]) => {
    if (name === "reasons") {
      const others = one.filter((reason) => reason !== entry.data.reason);
      return others.length > 0 ? [`${entry.type === "campaign.resumed" ? "still" : "besides"} ${others.join(" and ")}`] : [];
    }
    if (name === "errors") return one.map((error) => [error.pointer, error.detail, error.mend].filter(Boolean).join(": "));
    return [`${name.replaceAll("_", " ")} ${value(one)}`];
  });
  const by = entry.by && entry.by !== "fanfare" ? [`by ${entry.by}`] : [];
  return [word(entry), [...facts, ...by].join(", ")].filter(Boolean).join(": ");
}

// The entries as a chart takes them, numbered as in the list.
export function marks(entries) {
  return entries.map((entry, index) => ({ at: Date.parse(entry.at), number: index + 1, look: look(entry), text: told(entry) }));
}

// The latest first.
export function list(entries) {
  return element("ol", { class: "events", reversed: true }, entries.map((entry, index) =>
    element("li", { value: index + 1, "data-type": entry.type },
      element("span", { class: `mark ${look(entry)}` }, String(index + 1)), " ", instant(entry.at), ` ${told(entry)}`)).reverse());
}
