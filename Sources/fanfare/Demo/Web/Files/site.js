import { settings } from "./settings.js";

const { start, isSupported } = await import(`${settings.edge}/web/fanfare.js`);
const one = (selector) => document.querySelector(selector);
const [agree, state, tags] = [one("#agree"), one("#state"), [...document.querySelectorAll("[name=tag]")]];

// The texts are in the page, in its language.
const say = (name, more = "") => { state.textContent = [state.dataset[name], more].filter(Boolean).join(" "); };

const categories = { GOAL: [{ action: "LIKE", title: agree.dataset.like }] };
const fanfare = await start({ ...settings, worker: "fanfare-worker.js", categories, home: location.pathname });

const look = () => {
  const isOn = fanfare.permission === "granted";
  agree.disabled = !isSupported || fanfare.permission === "denied" || isOn;
  for (const tag of tags) tag.disabled = !isOn;
  if (!isSupported) say("unsupported");
  else if (fanfare.permission === "denied") say("denied");
  else say(isOn ? "on" : "off");
};

agree.addEventListener("click", async () => {
  const { status, reason } = await fanfare.subscribe();
  look();
  if (status !== "registered" && fanfare.permission === "granted") say("failed", reason);
});
for (const tag of tags) {
  tag.addEventListener("change", async () => {
    const { status, reason } = await fanfare.tags({ [tag.value]: tag.checked });
    if (status !== "registered") say("failed", reason);
  });
}
fanfare.addEventListener("push", ({ detail }) => say("pushed", detail.c));
look();
