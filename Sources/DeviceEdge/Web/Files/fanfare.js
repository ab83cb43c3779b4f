// Fanfare for browsers, the page's half: asks for permission, subscribes, and shows in-app messages. The service worker
// (fanfare-worker.js) does the rest.
//
//   import { start } from "https://edge.example.com/web/fanfare.js";
//   const fanfare = await start({ edge: "https://edge.example.com", key: "fik_…", vapidKey: "B…" });
//   button.onclick = () => fanfare.subscribe();

export const version = "1.0.0";

// True where this browser can get pushes.
export const isSupported = ["serviceWorker", "PushManager", "Notification"]
  .every((name) => name in globalThis || name in navigator);

// Milliseconds without a page of the site after which the next one begins a session, and those for which the edge's
// offer of in-app messages is used.
const [sessionPause, offerAge] = [30 * 60_000, 10 * 60_000];

// A browser without storage has no pushes either; the site goes on.
const recall = (name) => { try { return JSON.parse(localStorage.getItem(name)); } catch { return null; } };
const remember = (name, value) => {
  try { localStorage.setItem(name, JSON.stringify(value)); } catch { /* full, or none */ }
};

// Begins: installs the worker, and registers again what has changed.
//
// Returns before the edge has answered, so that the page can listen to the events of its start.
//
// `options`: `edge`, `key` (the integration key) and `vapidKey` (the app's public key) are required. Others:
// * `worker`: the worker's path, "/fanfare-worker.js"; `scope`: its scope; `appVersion`: the site's version
// * `icon`, `badge`: images of notifications; `title`: that of notifications without one
// * `categories`: their buttons, {LIKE: [{action, title, icon, opens}]}; `strings`: texts by their keys
// * `links`: addresses for links of apps, {"app://": "https://shop.example.com/"}; `home`: the page of a tap without a
//   link
// * `names`: the app's payload_names
// * `interval`: seconds between in-app messages, 30; `words`: {close}, the label of their button
export async function start(options) {
  const client = new Fanfare(options);
  await client.begin();
  return client;
}

// Events: `push` (a push arrived), `click` (a notification was clicked), `inapp` (a message is about to appear: set
// `event.detail.choice` to "now", "later" or "discard"), `inappclosed`, `result` (of a registration).
class Fanfare extends EventTarget {
  #options;
  #registration;
  // Pending until the worker has been told to start; all other calls come after it.
  #began;
  #retry;
  #inApp;

  constructor(options) {
    super();
    this.#options = { worker: "/fanfare-worker.js", interval: 30, ...options };
    this.#inApp = new InApp(this.#options, {
      ask: (message) => this.#tell("inapp", { message, choice: "now" }).choice,
      note: (m, type, more) => this.#call("note", { type, surface: "in_app", m, more }),
      closed: (message, how) => this.#tell("inappclosed", { message, ...how }),
    });
  }

  // "granted", "denied" or "default".
  get permission() { return globalThis.Notification?.permission ?? "denied"; }

  async begin() {
    if (!isSupported) return;
    const { worker, scope } = this.#options;
    this.#registration = await navigator.serviceWorker.register(worker, scope ? { scope } : {});
    navigator.serviceWorker.addEventListener("message", ({ data }) => this.#heard(data));
    addEventListener("online", () => this.#call("sync", { isUrgent: true }));
    let began;
    this.#began = new Promise((done) => { began = done; });
    this.#start(began).catch((error) => console.warn("fanfare:", error)).finally(began);
  }

  async #start(began) {
    const facts = {
      ...(await this.#facts()), locale: navigator.language, app_version: this.#options.appVersion, kit_version: version,
      time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    };
    const names = ["edge", "key", "vapidKey", "icon", "badge", "title", "categories", "strings", "links", "home",
      "names"];
    const given = names.filter((name) => this.#options[name] !== undefined);
    const config = Object.fromEntries(given.map((name) => [name, this.#options[name]]));
    const { click } = await this.#call("start", { config, facts }, began);
    await this.#session();
    if (click) this.#heard(click);
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.#session(); });
  }

  // Asks the person for permission, subscribes and registers; call it from a click. Returns {status, reason}: `status`
  // is "registered", "not_subscribed" when the person declines, or a word of the edge.
  async subscribe() {
    if (!isSupported) return { status: "not_subscribed", reason: "this browser has no pushes" };
    // First, because browsers ask only directly in a click.
    await Notification.requestPermission();
    const told = await this.#call("change", { facts: await this.#facts(true) });
    await this.#session();
    return told;
  }

  // Sets the person, with the token of the site's back end where the app demands one; null is a log-out.
  user(user, token) { return this.#call("change", { facts: { user }, proof: token }); }

  // Sets and removes tags: {derby: true, cup: false}.
  tags(tags) { return this.#call("change", { tags }); }

  // Sets attributes: {team: "atleti"}.
  attributes(attributes) { return this.#call("change", { attributes }); }

  // Tells of an event of the site, which may show an in-app message.
  event(name, properties = {}) { this.#inApp.happened({ on: "custom_event", name, properties }); }

  // Tells of a purchase.
  purchase(product, properties = {}) { this.#inApp.happened({ on: "purchase", name: product, properties }); }

  // Shows the in-app message that was put off last.
  showNext() { this.#inApp.showNext(); }

  // Returns the content that a push names (`push.r`), or an announcement's or a poll's (`push.c`), as text; null for
  // none.
  content(push) { return this.#call("content", { id: push.r ?? push.c, m: push.m }); }

  // Answers a poll: [{question, choices: [id]}].
  answer(push, answers) { return this.#call("answer", { id: push.c, m: push.m, answers }); }

  // Reports an event of a push on a page of the site: "displayed", "actioned" with {action}, "exited" or "dropped".
  note(push, type, more) { return this.#call("note", { type, surface: "content", m: push.m, more }); }

  // Ends the subscription, and forgets this browser here and at the edge.
  async forget() {
    const told = await this.#call("forget", {});
    const subscription = await this.#registration?.pushManager.getSubscription();
    await subscription?.unsubscribe();
    return told;
  }

  // Dispatches an event, and returns its detail.
  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
    return detail;
  }

  #heard(data) {
    if (data?.fanfare === "push") this.#tell("push", data.push);
    if (data?.fanfare !== "click") return;
    this.#tell("click", data);
    this.#inApp.happened({ on: "push_click", name: data.push.c, properties: data.push.data ?? {} });
  }

  // The permission and the subscription; makes one where the person has agreed.
  async #facts(isAsked = false) {
    const facts = { permission: { granted: "authorized", denied: "denied" }[this.permission] ?? "unknown" };
    if (facts.permission !== "authorized") return facts;
    try {
      const manager = this.#registration.pushManager;
      const key = bytes(this.#options.vapidKey);
      let subscription = await manager.getSubscription();
      const own = subscription?.options?.applicationServerKey;
      if (own && String(new Uint8Array(own)) !== String(key)) {
        await subscription.unsubscribe();
        subscription = null;
      }
      subscription ??= await manager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
      facts.token = JSON.stringify(subscription);
    } catch (error) {
      // Some browsers subscribe only in a click; the next one tries again.
      if (isAsked) console.warn("fanfare: no subscription", error);
    }
    return facts;
  }

  // Asks the worker; `asked` is called when it has been.
  async #call(name, parameters, asked) {
    const registration = this.#registration;
    if (!registration) return { status: "not_subscribed", reason: "this browser has no pushes" };
    const worker = registration.active ?? (await activated(registration.installing ?? registration.waiting));
    const { port1, port2 } = new MessageChannel();
    const answer = new Promise((done, failed) => {
      port1.onmessage = ({ data }) => ("error" in data ? failed(new Error(data.error)) : done(data.value));
    });
    if (!asked) await this.#began;
    worker.postMessage({ fanfare: name, ...parameters }, [port2]);
    asked?.();
    const value = await answer;
    if (value?.status) this.#tell("result", value);
    if (value?.retryAt) {
      clearTimeout(this.#retry);
      this.#retry = setTimeout(() => this.#call("sync", {}), Math.max(1000, value.retryAt - Date.now()));
    }
    return value;
  }

  // Goes on with the session, or begins one.
  async #session() {
    const [kept, now] = [recall("fanfare.session"), Date.now()];
    const isNew = !kept || now - kept.at > sessionPause;
    let { messages, askedAt } = isNew ? { messages: [], askedAt: 0 } : kept;
    if (now - askedAt > offerAge) {
      const session = { id: crypto.randomUUID(), started_at: new Date(now).toISOString(), locale: navigator.language };
      [messages, askedAt] = [await this.#call("session", { session }), now];
      // A browser that is not registered yet begins its session when it is.
      if (!Array.isArray(messages)) return;
    }
    remember("fanfare.session", { at: now, askedAt, messages });
    this.#inApp.offered(messages);
    if (isNew) this.#inApp.happened({ on: "session_start", properties: {} });
  }
}

const bytes = (base64url) =>
  Uint8Array.from(atob(base64url.replace(/-/g, "+").replace(/_/g, "/")), (character) => character.charCodeAt(0));

const activated = (worker) => new Promise((done, failed) => {
  const look = () => {
    if (worker.state === "activated") done(worker);
    if (worker.state === "redundant") failed(new Error("the worker could not be installed"));
  };
  worker.addEventListener("statechange", look);
  look();
});

// MARK: - In-app messages

const holds = ({ property, op, value = true }, properties) => {
  const given = properties[property];
  const isThere = given !== undefined && given !== null;
  switch (op) {
    case "equal": return given === value;
    case "not": return isThere && given !== value;
    case "greater": return typeof given === "number" && given > value;
    case "less": return typeof given === "number" && given < value;
    case "exists": return isThere === (value !== false);
    case "regex":
      // An expression may take quadratic time, and one for apps may be none for browsers.
      if (typeof given !== "string" || given.length > 1000) return false;
      try { return new RegExp(value).test(given); } catch { return false; }
    default: return false;
  }
};

const fits = ({ on, name, where = [] }, event) => {
  const isIts = event.on === (["any_purchase", "specific_purchase"].includes(on) ? "purchase" : on);
  const isNamed = on === "any_purchase" || (name === undefined ? on !== "specific_purchase" : name === event.name);
  return isIts && isNamed && where.every((filter) => holds(filter, event.properties));
};

// Decides which message appears, and when: of those that an event triggers the one with the highest priority, after its
// delay and when its images are there, the newest first, and one in `interval` seconds at most.
class InApp {
  #options;
  #site;
  // Undefined until the edge has offered messages; events wait for that, the newest hundred.
  #offered;
  #early = [];
  #stack = [];
  #underWay = new Set();
  #isShowing = false;
  #shownAt = recall("fanfare.shown") ?? {};
  #lastAt = 0;
  #timer;

  constructor(options, site) {
    this.#options = options;
    this.#site = site;
    document.addEventListener("visibilitychange", () => this.#offer());
  }

  offered(messages) {
    this.#offered = messages;
    for (const event of this.#early.splice(0)) this.happened(event);
  }

  happened(event) {
    if (!this.#offered) {
      this.#early = [...this.#early, event].slice(-100);
      return;
    }
    const now = Date.now();
    const can = this.#offered.filter((message) => this.#isEligible(message, now)
      && message.triggers.some((trigger) => fits(trigger, event)));
    const [first] = can.sort((one, other) => (other.priority ?? 0) - (one.priority ?? 0));
    if (first) this.#enter(first, now);
  }

  showNext() { this.#offer(true); }

  #isEligible({ campaign, starts_at: start, ends_at: end, repeat_after: pause }, now) {
    if (this.#underWay.has(campaign) || Date.parse(start) > now || Date.parse(end) <= now) return false;
    const shown = this.#shownAt[campaign];
    return !shown || (pause !== undefined && shown + pause * 1000 <= now);
  }

  async #enter(message, now) {
    this.#underWay.add(message.campaign);
    const images = [message.image_url].filter(Boolean);
    if (!images.length && (message.type === "full" || message.image_only)) return this.#drop(message, "noImage");
    const delay = new Promise((done) => { setTimeout(done, (message.delay ?? 0) * 1000); });
    try {
      await Promise.all([delay, ...images.map((src) => Object.assign(new Image(), { src }).decode())]);
    } catch {
      return this.#drop(message, "asset");
    }
    const deadline = message.timeout === undefined ? Infinity : now + message.timeout * 1000;
    this.#stack.push({ message, deadline, isLate: false });
    return this.#offer();
  }

  #drop(message, reason) {
    this.#underWay.delete(message.campaign);
    if (message.m) this.#site.note(message.m, "dropped", { reason });
  }

  #offer(isByHand = false) {
    clearTimeout(this.#timer);
    if (this.#isShowing || document.hidden) return;
    const now = Date.now();
    const pause = this.#lastAt + this.#options.interval * 1000 - now;
    if (!isByHand && this.#lastAt && pause > 0) {
      this.#timer = setTimeout(() => this.#offer(), pause);
      return;
    }
    for (let index = this.#stack.length - 1; index >= 0; index -= 1) {
      const entry = this.#stack[index];
      const { message } = entry;
      if (entry.isLate && !isByHand) continue;
      this.#stack.splice(index, 1);
      const isUpright = innerHeight >= innerWidth;
      if (entry.deadline <= now) {
        this.#drop(message, "timeout");
      } else if (Date.parse(message.ends_at) <= now) {
        this.#drop(message, "ended");
      } else if (message.orientation && (message.orientation === "portrait") !== isUpright) {
        this.#drop(message, "orientation");
      } else {
        const choice = this.#site.ask(message);
        if (choice === "now") return this.#show(message, now);
        if (choice === "discard") this.#drop(message, "delegate");
        else this.#stack.splice(index, 0, { ...entry, isLate: true });
      }
    }
  }

  #show(message, now) {
    this.#isShowing = true;
    this.#lastAt = now;
    this.#shownAt[message.campaign] = now;
    remember("fanfare.shown", this.#shownAt);
    const { m } = message;
    draw(message, this.#options, (type, action, link) => {
      this.#isShowing = false;
      this.#underWay.delete(message.campaign);
      if (m) this.#site.note(m, type, action ? { action } : {});
      this.#site.closed(message, { type, action, link });
      for (const entry of this.#stack) entry.isLate = false;
      this.#offer();
    });
    if (m) this.#site.note(m, "displayed", {});
  }
}

// MARK: - Looks

// System colours and no motion: they follow the person's settings for contrast, dark screens and text size.
const style = `
  :host { all: initial; }
  * { box-sizing: border-box; font: inherit; }
  dialog, section { color-scheme: light dark; background: Canvas; color: CanvasText;
    font: 1rem/1.4 system-ui, sans-serif; border: 1px solid GrayText; border-radius: .75rem; padding: 1rem;
    max-width: min(30rem, calc(100vw - 2rem)); }
  dialog::backdrop { background: rgb(0 0 0 / .5); }
  dialog.full, dialog.html { width: 100vw; height: 100dvh; max-width: none; max-height: none; border: 0;
    border-radius: 0; }
  section { position: fixed; inset-inline: 0; margin: 1rem auto; width: fit-content; z-index: 2147483647; display: flex;
    gap: .5rem; align-items: center; }
  .top { top: 0; } .bottom { bottom: 0; }
  h2 { font-size: 1.25rem; font-weight: 600; margin: 0 0 .5rem; }
  p { margin: 0 0 1rem; white-space: pre-line; }
  img { display: block; max-width: 100%; max-height: 60vh; margin: 0 auto 1rem; }
  section img { max-height: 3rem; margin: 0; }
  iframe { border: 0; width: 100%; height: calc(100% - 4rem); background: #fff; }
  footer { display: flex; flex-wrap: wrap; gap: .5rem; justify-content: end; }
  button { min-height: 2.75rem; min-width: 2.75rem; padding: .5rem 1rem; border-radius: .5rem; cursor: pointer;
    border: 1px solid GrayText; background: ButtonFace; color: ButtonText; }
  button.plain { border: 0; background: none; color: inherit; text-align: start; padding: 0; }
  button:focus-visible { outline: 3px solid Highlight; outline-offset: 2px; }`;

const close = { de: "Schließen", en: "Close", es: "Cerrar", fr: "Fermer", it: "Chiudi", pt: "Fechar" };

const node = (name, properties, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children.filter(Boolean));
  return made;
};

// Draws a message; `closed` gets the type of the event that ended it, the button and its link.
function draw(message, { words = {}, links = {} }, closed) {
  const { type, header, message: text, image_url: image, image_only: isImage, buttons = [], duration } = message;
  const [isStrip, isPage] = [type === "slideup", type === "html"];
  const host = node("div");
  const root = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  root.adoptedStyleSheets = [sheet];
  const place = { className: `${type} ${message.position ?? "bottom"}`, dir: "auto" };
  const box = node(isStrip ? "section" : "dialog", place);
  let isOpen = true;
  const end = (event, action, link) => {
    if (!isOpen) return;
    isOpen = false;
    if (!isStrip) box.close();
    host.remove();
    closed(event, action, link);
    if (link) follow(link, links);
  };
  const [tap, away] = [() => end("opened"), () => end("exited")];
  const button = (label, press, properties) => {
    const made = node("button", { type: "button", dir: "auto", ...properties }, label);
    made.addEventListener("click", press);
    return made;
  };
  const language = (document.documentElement.lang || navigator.language).slice(0, 2);
  const closing = words.close ?? close[language] ?? close.en;
  // What a person hears who does not see it.
  const name = header ?? message.extras?.alt ?? "";
  const picture = image && node("img", { src: image, alt: isStrip ? "" : name });
  const page = { srcdoc: text, title: name, sandbox: "allow-popups allow-popups-to-escape-sandbox" };
  const parts = isStrip
    ? [picture, button(text, tap, { className: "plain" }), button("✕", away, { ariaLabel: closing })]
    : [
      header && node("h2", {}, header),
      isImage ? button(picture, tap, { className: "plain" }) : picture,
      // A page is without scripts, and in an origin of its own.
      isPage ? node("iframe", page) : text && node("p", {}, text),
      node("footer", {}, ...buttons.map(({ id, label, url }) => button(label, () => end("actioned", id, url))),
        button(closing, away)),
    ];
  if (isStrip) box.setAttribute("role", "status");
  else box.setAttribute("aria-label", name || (isPage ? closing : text ?? closing));
  box.addEventListener("close", away);
  root.append(box);
  document.body.append(host);
  // After the box is there, so that a screen reader tells of a strip.
  box.append(...parts.filter(Boolean));
  // A dialog takes the focus, keeps it, and gives it back; Escape closes it.
  if (!isStrip) box.showModal();
  if (duration) setTimeout(away, duration * 1000);
}

// Goes to a link, if it is one for browsers or `links` makes one of it.
function follow(link, links) {
  const [from, to] = Object.entries(links).find(([from]) => link.startsWith(from)) ?? ["", ""];
  try {
    const url = new URL(to + link.slice(from.length), location.href);
    if (/^https?:$/.test(url.protocol)) location.assign(url.href);
  } catch { /* an app's */ }
}
