// Routing between pages, the signed-in caller, and the state of the connection.

import { Problem, get, token } from "./api.js";
import { detail } from "./campaign.js";
import { compare } from "./compare.js";
import { fleet } from "./fleet.js";
import { list } from "./list.js";
import { element, notice } from "./page.js";
import { parked } from "./parked.js";

const main = document.getElementById("main");
let leave = new AbortController();
let caller = null;

function state(name) {
  const place = document.getElementById("connection");
  if (place.className === name) return;
  place.className = name;
  place.textContent = name === "live" ? "live" : name === "lost" ? "not connected, trying again" : "connecting";
}

function failed(error) {
  if (error instanceof Problem && error.status === 401) return login();
  state("lost");
  notice(error.message);
}

function login() {
  const field = element("input", { type: "password", autocomplete: "off", required: true, "aria-label": "Access token" });
  const form = element("form", { class: "card", id: "login" },
    element("h1", {}, "Access token"),
    element("p", { class: "quiet" }, "An admin makes one with: fanfare server token create"),
    element("div", { class: "filter" }, field, element("button", { class: "strong" }, "Sign in")));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    token.set(field.value.trim());
    caller = null;
    show();
  });
  token.set(null);
  caller = null;
  document.getElementById("caller").textContent = "";
  main.replaceChildren(form);
  field.focus();
}

function told() {
  const place = document.getElementById("caller");
  place.textContent = caller.name === "local" ? "" : `${caller.name} (${caller.role})`;
}

async function show() {
  leave.abort();
  leave = new AbortController();
  const { signal } = leave;
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?", 2);
  const words = path.split("/").map(decodeURIComponent);
  const page = ["campaigns", "compare", "fleet", "parked"].includes(words[0]) ? words[0] : "campaigns";
  for (const link of document.querySelectorAll("nav a")) {
    link.hash === `#/${page}` ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
  }
  document.title = `${page[0].toUpperCase()}${page.slice(1)} – Fanfare`;
  const view = element("div");
  try {
    if (!caller) {
      caller = await get("/v1/caller");
      told();
    }
    // The user has gone on to another page.
    if (signal.aborted) return;
    const context = { signal, state, failed, mayAct: caller.role !== "viewer", search: null };
    main.replaceChildren(view);
    shown = context;
    if (page === "fleet") await fleet(view, context);
    else if (page === "parked") await parked(view, context);
    else if (page === "compare" && words.length === 5) await compare(view, context, words.slice(1, 3), words.slice(3));
    else if (page === "campaigns" && words.length === 3) await detail(view, context, words[1], words[2]);
    else await list(view, context, new URLSearchParams(query));
  } catch (error) {
    if (signal.aborted) return;
    if (error instanceof Problem && error.status === 401) return login();
    if (error instanceof Problem) view.append(element("p", { class: "card" }, error.message));
    else failed(error);
    main.replaceChildren(view);
  }
}

let shown = null;
window.addEventListener("hashchange", () => { show(); main.focus(); });
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (["INPUT", "TEXTAREA", "SELECT"].includes(document.activeElement?.tagName) || !shown?.search) return;
  event.preventDefault();
  shown.search.focus();
});
show();
