// Fanfare for browsers, the service worker: registers this browser at the edge, shows pushes, and reports their events.
// fanfare.js is the page's half and asks by messages. Everything that has to outlive a page is in IndexedDB.

"use strict";

(() => {
  const version = "1.0.0";
  // The most events of a request, and those kept while the edge cannot be reached; the oldest go first.
  const [batchMost, keptMost] = [500, 10_000];
  // Milliseconds: a registration is repeated at least this often; a request may take this long.
  const [refresh, patience] = [7 * 86_400_000, 30_000];

  // MARK: - Storage

  let opened;

  const database = () => (opened ??= new Promise((done, failed) => {
    const request = indexedDB.open("fanfare", 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore("kept");
      request.result.createObjectStore("events", { keyPath: "n", autoIncrement: true });
    };
    request.onsuccess = () => {
      request.result.onclose = () => { opened = undefined; };
      done(request.result);
    };
    request.onerror = () => {
      opened = undefined;
      failed(request.error);
    };
  }));

  // Runs a transaction, and returns the result of the request that `work` returns after the commit.
  const stored = async (name, mode, work) => {
    const transaction = (await database()).transaction(name, mode);
    const request = work(transaction.objectStore(name));
    return new Promise((done, failed) => {
      transaction.oncomplete = () => done(request?.result);
      transaction.onabort = () => failed(transaction.error);
    });
  };

  const kept = (key) => stored("kept", "readonly", (store) => store.get(key));
  const keep = (key, value) => stored("kept", "readwrite", (store) => store.put(value, key));

  // What reads and writes the device's state waits for its turn.
  let turn = Promise.resolve();
  const inTurn = (work) => (turn = turn.then(work, work));

  // MARK: - The edge

  const isPassing = (status) => status === 0 || [408, 425, 429].includes(status) || status >= 500;

  const ask = async (config, method, path, bearer, body, fields) => {
    const headers = { Authorization: `Bearer ${bearer}`, ...fields };
    if (body) headers["Content-Type"] = "application/json";
    try {
      const answer = await fetch(config.edge + path, {
        method, headers, body: body && JSON.stringify(body), credentials: "omit", signal: AbortSignal.timeout(patience),
      });
      const text = await answer.text();
      let json = null;
      try { json = JSON.parse(text); } catch { /* a content, or a proxy's own page */ }
      return { status: answer.status, after: Number(answer.headers.get("Retry-After")) || 0, json, text };
    } catch (error) {
      return { status: 0, after: 0, json: null, text: String(error) };
    }
  };

  // The next try: twice as late after each failure, half of it by chance, so that browsers do not come back at once.
  const wait = (device, after) => {
    const whole = Math.min(900_000, 2000 * 2 ** Math.min(device.failures, 20));
    device.failures += 1;
    const least = after * 1000 * (1 + Math.random() / 4);
    device.notBefore = Date.now() + Math.max((whole / 2) * (1 + Math.random()), least);
  };

  const result = (answer) => ({
    status: answer.json?.status ?? (answer.status === 0 ? "connection_issue" : "unexpected_error"),
    reason: answer.json?.reason ?? answer.text,
  });

  // MARK: - Registration

  const newDevice = (facts = {}) => ({
    id: crypto.randomUUID(), secret: null, facts, told: {}, toldAt: 0, failures: 0, notBefore: 0, refused: null,
  });

  // Starts over under a new id: the edge knows the old one no more, or it is another's.
  const renew = (device) => Object.assign(device, newDevice(device.facts));

  // The members that the edge has not been told yet; tags are sent as a change.
  const news = (device) => {
    const told = device.secret && Date.now() - device.toldAt < refresh ? device.told : {};
    const body = {};
    for (const [name, value] of Object.entries(device.facts)) {
      if (value === undefined || JSON.stringify(value) === JSON.stringify(told[name])) continue;
      if (name !== "tags") {
        body[name] = value;
        if (name === "token") body.provider = "webpush";
        continue;
      }
      const change = { add: [], remove: [] };
      for (const [tag, isOn] of Object.entries(value)) {
        if ((told.tags ?? {})[tag] !== isOn) change[isOn ? "add" : "remove"].push(tag);
      }
      body.tags = change;
    }
    return body;
  };

  // Registers or refreshes this browser; returns the result, with `isUnsettled` when it has to be done again.
  const register = async (config, device) => {
    if (!device.facts.token) return { status: "not_subscribed", reason: "the browser has no subscription" };
    const body = news(device);
    if (!Object.keys(body).length) return { status: "registered" };
    if (JSON.stringify(body) === device.refused?.body) return device.refused.result;
    const proof = device.proof && { "Fanfare-User": device.proof };
    const bearer = device.secret ?? config.key;
    const answer = await ask(config, "PUT", `/v1/devices/${device.id}`, bearer, body, proof);
    if (answer.status >= 200 && answer.status < 300) {
      device.secret = answer.json?.device_secret ?? device.secret;
      Object.assign(device, { told: structuredClone(device.facts), toldAt: Date.now(), failures: 0, notBefore: 0 });
      delete device.proof;
      return { status: "registered" };
    }
    if (isPassing(answer.status)) {
      wait(device, answer.after);
      return { ...result(answer), isLate: true };
    }
    const { status, reason } = result(answer);
    if (status === "device_exists" || (status === "integration_key_unknown" && device.secret)) {
      renew(device);
      return { status, reason, isUnsettled: true };
    }
    const name = answer.json?.pointer?.split("/")[1];
    if (name !== "token" && name in device.facts) {
      // The rest of the registration does not wait for a member that the edge does not take.
      const old = device.told[name];
      device.facts[name] = JSON.stringify(old) === JSON.stringify(device.facts[name]) ? undefined : old;
      if (name === "user") delete device.proof;
      return { status, reason, isUnsettled: true, isRefused: true };
    }
    device.refused = { body: JSON.stringify(body), result: { status, reason } };
    return { status, reason };
  };

  // MARK: - Events

  const note = async (type, surface, m, more) => {
    if (!m) return;
    const event = { id: crypto.randomUUID(), m, type, surface, ...more, at: new Date().toISOString() };
    await stored("events", "readwrite", (store) => {
      store.add(event);
      store.count().onsuccess = ({ target }) => {
        if (target.result > keptMost) store.openCursor().onsuccess = ({ target }) => target.result?.delete();
      };
    });
  };

  const forgetEvents = (events) => stored("events", "readwrite", (store) => {
    for (const { n } of events) store.delete(n);
  });

  // Sends what is kept, in order; returns null when nothing is left.
  const report = async (config, device) => {
    let most = batchMost;
    for (;;) {
      const batch = await stored("events", "readonly", (store) => store.getAll(null, most));
      if (!batch.length) return null;
      const body = { events: batch.map(({ n, ...event }) => event) };
      const answer = await ask(config, "POST", "/v1/tracking", device.secret, body);
      if (answer.status >= 200 && answer.status < 300) {
        await forgetEvents(batch);
        most = batchMost;
        Object.assign(device, { failures: 0, notBefore: 0 });
      } else if ([401, 403].includes(answer.status) && answer.json?.status) {
        renew(device);
        return { ...result(answer), isUnsettled: true };
      } else if (isPassing(answer.status) || [401, 403].includes(answer.status)) {
        wait(device, answer.after);
        return { ...result(answer), isLate: true };
      } else {
        // An event that the edge refuses holds up none of the others.
        const index = /^\/events\/(\d+)/.exec(answer.json?.pointer ?? "")?.[1];
        if (index in batch) await forgetEvents([batch[index]]);
        else if (batch.length > 1) most = batch.length >> 1;
        else await forgetEvents(batch);
      }
    }
  };

  // MARK: - Synchronization

  const exchange = async (config, device) => {
    let refusal = null;
    let last;
    for (let tries = 0; tries < 4; tries += 1) {
      last = await register(config, device);
      if (last.isRefused) refusal = last;
      if (!last.isUnsettled && !last.isLate && device.secret) last = (await report(config, device)) ?? last;
      if (!last.isUnsettled) return refusal && last.status === "registered" ? refusal : last;
    }
    wait(device, 0);
    return { ...last, isLate: true };
  };

  const state = async () => [await kept("config"), (await kept("device")) ?? newDevice()];

  // Changes the device's state by `change`, then tells the edge what it does not know yet.
  //
  // Without `isUrgent`, nothing is sent before the wait after a failure is over.
  const sync = ({ change = () => {}, isUrgent = false } = {}) => inTurn(async () => {
    const [config, device] = await state();
    change(device);
    await keep("device", device);
    if (!config?.edge) return { status: "server_empty", reason: "no edge was given" };
    if (!isUrgent && Date.now() < device.notBefore) {
      return { status: "connection_issue", reason: "waits for the next try", retryAt: device.notBefore };
    }
    const { isUnsettled, isRefused, isLate, ...told } = await exchange(config, device);
    await keep("device", device);
    if (!isLate) return told;
    // The browser wakes the worker when there is a network (Background Sync, where it exists); an open page does too.
    await registration.sync?.register("fanfare").catch(() => {});
    return { ...told, retryAt: device.notBefore };
  });

  self.addEventListener("sync", (event) => {
    if (event.tag !== "fanfare") return;
    event.waitUntil(sync({ isUrgent: true }).then(({ retryAt }) => {
      // The browser tries again after a failure.
      if (retryAt) throw new Error("the edge cannot be reached");
    }));
  });

  // MARK: - Pushes

  // Reads Fanfare's part of a push: its own object, or the names that the app gave its members.
  const read = (payload, names = {}) => {
    const own = payload?.fanfare;
    const m = own?.m ?? payload?.[names.message_id];
    if (!own && m?.length !== 22) return null;
    const all = { c: "delivery_id", k: "kind", u: "url", r: "rich_id", t: "rich_type", i: "media" };
    const push = { ...own, m };
    for (const [key, name] of Object.entries(all)) push[key] ??= payload[names[name]];
    return Object.assign(push, { category: payload.notification?.category ?? payload.category, data: payload.data });
  };

  const standard = {
    ACCEPT_DECLINE: [{ action: "ACCEPT", title: "Accept", opens: true }, { action: "DECLINE", title: "Decline" }],
    YES_NO: [{ action: "YES", title: "Yes", opens: true }, { action: "NO", title: "No" }],
    CONFIRM_CANCEL: [{ action: "CONFIRM", title: "Confirm", opens: true }, { action: "CANCEL", title: "Cancel" }],
    MORE: [{ action: "MORE", title: "More", opens: true }],
  };

  const buttons = (config, category) => ({ ...standard, ...config.categories })[category] ?? [];

  // A text as given, or by its key among the site's `strings`, with %@ and %1$@ replaced by its arguments.
  const text = (config, given, key, args = []) => {
    let next = 0;
    const found = given ?? (key && config.strings?.[key]);
    if (given || !found) return found;
    return found.replace(/%(?:(\d+)\$)?@/g, (_, number) => args[number ? number - 1 : next++] ?? "");
  };

  const pages = () => clients.matchAll({ type: "window", includeUncontrolled: true });
  const tellPages = async (message) => { for (const page of await pages()) page.postMessage(message); };

  const arrived = async (payload) => {
    const config = (await kept("config")) ?? {};
    const push = read(payload, config.names);
    if (!push) return;
    const received = note("received", "system", push.m);
    const shown = payload.notification ?? {};
    const title = text(config, shown.title, shown.title_loc_key, shown.title_loc_args);
    const subtitle = text(config, shown.subtitle, shown.subtitle_loc_key, shown.subtitle_loc_args);
    const body = text(config, shown.body, shown.loc_key, shown.loc_args);
    if (title || subtitle || body) {
      const actions = buttons(config, push.category).slice(0, Notification.maxActions ?? 0);
      const { image = push.i, tag, renotify = false, silent = false, requireInteraction = false } = shown;
      const isShown = await registration.showNotification(title ?? config.title ?? "", {
        body: [subtitle, body].filter(Boolean).join("\n"), icon: config.icon, badge: config.badge,
        actions: actions.map(({ action, title, icon }) => ({ action, title, icon })), data: { fanfare: push },
        image, tag, renotify: renotify && Boolean(tag), silent, requireInteraction,
      }).then(() => true, (error) => console.warn("fanfare: not shown", error));
      await received;
      // The system may have no place for it, or the person has just declined.
      if (isShown) await note("displayed", "system", push.m);
    }
    await received;
    const badge = Number(payload.badge ?? payload.app_badge ?? NaN);
    if (badge >= 0) await navigator.setAppBadge?.(badge).catch(() => {});
    await tellPages({ fanfare: "push", push });
    await sync();
  };

  self.addEventListener("push", (event) => {
    let payload;
    try {
      // A declarative push comes as the notification that the browser would show; Fanfare's part is its data.
      payload = event.data?.json() ?? { notification: event.notification, ...event.notification?.data };
    } catch {
      return;  // another sender's
    }
    event.waitUntil(arrived(payload));
  });

  // The address of a link for a browser; undefined for none, or for a link of apps that `links` does not translate.
  const address = (config, link) => {
    if (!link) return undefined;
    const [from, to] = Object.entries(config.links ?? {}).find(([from]) => link.startsWith(from)) ?? ["", ""];
    try {
      const url = new URL(to + link.slice(from.length), registration.scope);
      return /^https?:$/.test(url.protocol) ? url.href : undefined;
    } catch {
      return undefined;
    }
  };

  const clicked = async (push, action) => {
    const config = (await kept("config")) ?? {};
    const link = action ? push.a?.[action] : push.u;
    const opens = !action || link || buttons(config, push.category).find((one) => one.action === action)?.opens;
    const click = { fanfare: "click", push, action, link };
    const noted = note(action ? "actioned" : "opened", "system", push.m, action ? { action } : {});
    if (opens) {
      const url = address(config, link) ?? new URL(config.home ?? "", registration.scope).href;
      const page = (await pages()).find((page) => page.url === url);
      // A page that only now opens asks for the click.
      if (page) page.postMessage(click);
      else await keep("click", click);
      // The browser may not let a window open or come to the front; the click counts nevertheless.
      await (page ? page.focus() : clients.openWindow(url)).catch(() => {});
    } else {
      await tellPages(click);
    }
    await noted;
    await sync();
  };

  self.addEventListener("notificationclick", (event) => {
    const push = event.notification.data?.fanfare;
    if (!push) return;
    event.notification.close();
    event.waitUntil(clicked(push, event.action));
  });

  self.addEventListener("notificationclose", (event) => {
    const push = event.notification.data?.fanfare;
    if (push) event.waitUntil(note("exited", "system", push.m).then(() => sync()));
  });

  // MARK: - Subscription

  const renewSubscription = async (given) => {
    const config = await kept("config");
    const manager = registration.pushManager;
    const key = config?.vapidKey;
    let subscription = given ?? (await manager.getSubscription());
    if (!subscription && key) {
      const options = { userVisibleOnly: true, applicationServerKey: key };
      // Without the permission there is no other; the next page of the site says so to the edge.
      subscription = await manager.subscribe(options).catch(() => null);
    }
    const permission = { granted: "authorized", denied: "denied" }[Notification.permission] ?? "unknown";
    const facts = { permission, ...(subscription && { token: JSON.stringify(subscription) }) };
    await sync({ change: (device) => Object.assign(device.facts, facts), isUrgent: true });
  };

  self.addEventListener("pushsubscriptionchange", (event) => {
    event.waitUntil(renewSubscription(event.newSubscription));
  });

  // MARK: - Messages of the page

  const calls = {
    // Takes the site's settings and what the page sees of the browser.
    async start({ config, facts }) {
      // In turn, because calls that come later need it.
      await inTurn(async () => {
        const names = (await kept("config"))?.names;
        await keep("config", { names, ...config });
      });
      const change = (device) => {
        Object.assign(device.facts, facts);
        device.refused = null;
      };
      const told = await sync({ change });
      const click = await kept("click");
      await keep("click", null);
      return { ...told, click };
    },

    // Changes what the edge is told of this browser and its person.
    change({ facts = {}, tags = {}, attributes = {}, proof }) {
      return sync({
        change(device) {
          Object.assign(device.facts, facts);
          if ("user" in facts) device.proof = proof;
          for (const [name, more] of Object.entries({ tags, attributes })) {
            if (Object.keys(more).length) device.facts[name] = { ...device.facts[name], ...more };
          }
          device.refused = null;
        },
        isUrgent: true,
      });
    },

    async note({ type, surface, m, more }) {
      await note(type, surface, m, more);
      return sync();
    },

    sync: ({ isUrgent }) => sync({ isUrgent }),

    // Returns the in-app messages that this browser may show in a session; null while the edge does not say.
    async session({ session }) {
      const [config, device] = await state();
      if (!config?.edge || !device.secret) return null;
      const { status, json } = await ask(config, "POST", "/v1/sessions", device.secret, session);
      if (status !== 200) return null;
      if (json.payload_names) await keep("config", { ...config, names: json.payload_names });
      return json.messages ?? [];
    },

    // Fetches the content that a push names, as text.
    async content({ id, m }) {
      const [config, device] = await state();
      const path = `/v1/messages/${encodeURIComponent(id)}`;
      const { status, text } = await ask(config, "GET", path, device.secret, null, { "Fanfare-Message": m });
      return status === 200 ? text : null;
    },

    // Answers a poll.
    async answer({ id, m, answers }) {
      const [config, device] = await state();
      const body = { m, at: new Date().toISOString(), answers };
      const path = `/v1/polls/${encodeURIComponent(id)}/answers`;
      return result(await ask(config, "POST", path, device.secret, body));
    },

    // Forgets this browser at the edge, and everything kept here.
    forget: () => inTurn(async () => {
      const [config, device] = await state();
      if (config?.edge && device.secret) {
        const answer = await ask(config, "DELETE", `/v1/devices/${device.id}`, device.secret);
        if (isPassing(answer.status)) return result(answer);
      }
      await stored("events", "readwrite", (store) => store.clear());
      await stored("kept", "readwrite", (store) => store.clear());
      return { status: "forgotten" };
    }),

    version: () => version,
  };

  self.addEventListener("message", (event) => {
    const name = event.data?.fanfare;
    if (!Object.hasOwn(calls, name)) return;
    const [port] = event.ports;
    const call = Promise.resolve().then(() => calls[name](event.data));
    event.waitUntil(call.then(
      (value) => port?.postMessage({ value }), (error) => port?.postMessage({ error: String(error) }),
    ));
  });
})();
