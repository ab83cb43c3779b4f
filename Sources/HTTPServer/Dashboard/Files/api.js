// The HTTP API. The token stays in this tab: session storage ends with it.

const key = "fanfare.token";

export class Problem extends Error {
  constructor(status, document) {
    const errors = (document?.errors ?? []).map((error) => [error.detail, error.mend].filter(Boolean).join("; "));
    super([document?.title ?? `the server answered ${status}`, ...errors].join(": "));
    this.status = status;
  }
}

export const token = {
  get() { return sessionStorage.getItem(key); },
  set(value) { value ? sessionStorage.setItem(key, value) : sessionStorage.removeItem(key); },
};

function headers(more = {}) {
  const value = token.get();
  return value ? { Authorization: `Bearer ${value}`, ...more } : more;
}

async function answer(response) {
  if (response.ok) return response.json();
  let document = null;
  try { document = await response.json(); } catch { /* a proxy's own page */ }
  throw new Problem(response.status, document);
}

export async function get(path) { return answer(await fetch(path, { headers: headers() })); }

export async function post(path, value) {
  if (value === undefined) return answer(await fetch(path, { method: "POST", headers: headers() }));
  const more = { "Content-Type": "application/json" };
  return answer(await fetch(path, { method: "POST", headers: headers(more), body: JSON.stringify(value) }));
}

export function campaignPath(app, id) { return `/v1/campaigns/${encodeURIComponent(app)}/${encodeURIComponent(id)}`; }

// Reads server-sent events by fetch, because EventSource cannot carry a token. Reconnects with the last id after a
// pause that grows to ten seconds; ends when the signal aborts or when no more events can come.
export async function listen(path, signal, { event, state, isOver = () => false }) {
  let last = null;
  let pause = 500;
  while (!signal.aborted) {
    try {
      const more = { Accept: "text/event-stream", ...(last ? { "Last-Event-ID": last } : {}) };
      const response = await fetch(path, { headers: headers(more), signal });
      if (!response.ok) await answer(response);
      state("live");
      pause = 500;
      for await (const message of messages(response.body)) {
        if (message.id) last = message.id;
        if (message.data) event(message.event, JSON.parse(message.data));
      }
      if (isOver()) return;
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Problem && error.status < 500 && error.status !== 429) throw error;
    }
    state("lost");
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(pause * 2, 10000);
  }
}

async function* messages(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  while (true) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    let end;
    while ((end = rest.indexOf("\n\n")) >= 0) {
      yield parse(rest.slice(0, end));
      rest = rest.slice(end + 2);
    }
  }
}

function parse(block) {
  const message = { event: "message", id: null, data: "" };
  for (const line of block.split("\n")) {
    const colon = line.indexOf(": ");
    if (colon <= 0) continue;
    const [name, value] = [line.slice(0, colon), line.slice(colon + 2)];
    if (name === "event") message.event = value;
    if (name === "id") message.id = value;
    if (name === "data") message.data += value;
  }
  return message;
}
