#!/usr/bin/env python3
"""The client for browsers in a real one: Debian's Chromium, without a window.

Environment: EDGE_URL (API and edge), INTEGRATION_KEY, VAPID_KEY, SIMULATOR_URL (its control address), SITE_PORT (a free
port; http://localhost:SITE_PORT is a site of the app), PROFILE (an empty folder), SCREENSHOTS (a folder).

A browser without a network cannot subscribe. So the site's pages and worker get the simulator's subscriptions, and what
the simulator decrypts with their keys is handed to the browser as its push service would. Nor is there a system that
shows notifications: the browser takes them, and drops some at once. So those that it has taken are noted in the worker,
and what a person does with one is dispatched there.
Ends with 0 when everything was seen; otherwise the last line says what was not.
"""
import base64
import functools
import http.server
import json
import os
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

EDGE = os.environ["EDGE_URL"]
KEY = os.environ["INTEGRATION_KEY"]
VAPID = os.environ["VAPID_KEY"]
SIMULATOR = os.environ["SIMULATOR_URL"]
PORT = int(os.environ["SITE_PORT"])
PROFILE = os.environ["PROFILE"]
SCREENSHOTS = os.environ["SCREENSHOTS"]
SITE = f"http://localhost:{PORT}"
PATIENCE = 60


def ask(method, url, body=None):
    """Returns the JSON of an answer, or the status of a refusal."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, method=method, headers={"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request) as answer:
            text = answer.read().decode()
            return json.loads(text) if text else None
    except urllib.error.HTTPError as error:
        return error.code


# In the place of the browser's push service: `number` is the simulator's subscription that the browser has.
PUSH_MANAGER = """
const subscription = (json) => ({
  endpoint: json.endpoint, options: { applicationServerKey: bytes(KEY) }, toJSON: () => json,
  unsubscribe: () => fetch(`${SITE}/subscription?now=none`, { method: "POST" }).then(() => true),
});
const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0)).buffer;
const current = async () => {
  const json = await (await fetch(`${SITE}/subscription`, { cache: "no-store" })).json();
  return json && subscription(json);
};
PushManager.prototype.getSubscription = current;
PushManager.prototype.subscribe = async (options) => {
  if (!options.userVisibleOnly) throw new Error("not visible");
  const wanted = new Uint8Array(typeof options.applicationServerKey === "string"
    ? bytes(options.applicationServerKey) : options.applicationServerKey);
  if (String(wanted) !== String(new Uint8Array(bytes(KEY)))) throw new Error("another key");
  await fetch(`${SITE}/subscription?now=next`, { method: "POST" });
  return current();
};
"""

WORKER = """
let isOffline = false;
const online = self.fetch;
self.fetch = (url, options) =>
  isOffline && String(url).startsWith(EDGE) ? Promise.reject(new TypeError("offline")) : online(url, options);

// The notifications that the browser has taken, by their tags.
const shown = new Map();
const show = ServiceWorkerRegistration.prototype.showNotification;
ServiceWorkerRegistration.prototype.showNotification = async function (title, options) {
  await show.call(this, title, options);
  shown.set(options.tag, { title, ...options, close: () => shown.delete(options.tag) });
};
importScripts(`${EDGE}/web/fanfare-worker.js`);

// What the operating system and the push service tell a worker.
self.addEventListener("message", (event) => {
  const { test, title, action = "" } = event.data;
  const told = async () => {
    if (test === "offline") isOffline = event.data.is;
    if (test === "shown") return [...shown.values()].map(({ close, ...one }) => one);
    if (test !== "notificationclick" && test !== "notificationclose" && test !== "pushsubscriptionchange") return true;
    const happened = new Event(test);
    const waits = [];
    happened.waitUntil = (promise) => waits.push(promise);
    if (test !== "pushsubscriptionchange") {
      happened.notification = [...shown.values()].find((one) => one.title === title);
      happened.action = action;
      if (!happened.notification) return false;
    }
    self.dispatchEvent(happened);
    await Promise.all(waits);
    return true;
  };
  if (test) event.waitUntil(told().then((value) => event.ports[0].postMessage(value)));
});
"""

PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>News</title><meta name="viewport" content="width=device-width">
<script src="/push.js"></script></head>
<body><h1>News</h1><p>The derby is on Sunday.</p><button id="agree">Tell me of goals</button>
<script type="module" src="/site.js"></script></body></html>"""

SITE_SCRIPT = """
import { start, version } from "EDGE/web/fanfare.js";
window.heard = [];
const fanfare = await start({
  edge: "EDGE", key: "KEY", vapidKey: "VAPID", worker: "/worker.js", appVersion: "2.1", title: "News",
  strings: { KICK_OFF: "%2$@ against %1$@" }, links: { "app://": "SITE/" }, interval: 0,
  categories: { GOAL: [{ action: "LIKE", title: "Like" }, { action: "MATCH", title: "Match" }] },
});
for (const name of ["push", "click", "inapp", "inappclosed", "result"]) {
  fanfare.addEventListener(name, ({ detail }) => window.heard.push({ name, detail }));
}
document.querySelector("#agree").addEventListener("click", async () => { window.told = await fanfare.subscribe(); });
window.fanfare = fanfare;
window.version = version;
"""


class Handler(http.server.BaseHTTPRequestHandler):
    """The site, and the push service that gives it subscriptions."""

    number = None
    given = 0

    def send(self, text, kind="text/javascript; charset=utf-8"):
        data = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        names = f"const [SITE, EDGE, KEY] = {json.dumps([SITE, EDGE, VAPID])};\n"
        site = SITE_SCRIPT.replace("EDGE", EDGE).replace("KEY", KEY, 1).replace("VAPID", VAPID).replace("SITE", SITE)
        path = urllib.parse.urlsplit(self.path).path
        if path == "/push.js":
            # In a scope of its own: the site's other scripts have names too.
            self.send(f"{{\n{names}{PUSH_MANAGER}}}")
        elif path == "/worker.js":
            self.send(f"{names}{{\n{PUSH_MANAGER}}}\n{WORKER}")
        elif path == "/site.js":
            self.send(site)
        elif path == "/subscription":
            number = Handler.number
            self.send("null" if number is None else json.dumps(subscription(number)), "application/json")
        else:
            self.send(PAGE, "text/html; charset=utf-8")

    def do_POST(self):
        if self.path.endswith("now=none"):
            Handler.number = None
        elif Handler.number is None:
            Handler.given += 1
            Handler.number = Handler.given
        self.send("null", "application/json")

    def log_message(self, *_):
        pass


@functools.cache
def subscription(number):
    found = ask("GET", f"{SIMULATOR}/subscriptions?from={number}&count=1")
    ask("POST", f"{SIMULATOR}/device?provider=webpush&state=online&token={found['endpoint']}")
    return found


def browser():
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
                     f"--user-data-dir={PROFILE}", "--window-size=900,700"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    driver.set_script_timeout(PATIENCE)
    driver.execute_cdp_cmd("Browser.grantPermissions", {"origin": SITE, "permissions": ["notifications"]})
    driver.execute_cdp_cmd("ServiceWorker.enable", {})
    return driver


def until(driver, what, look):
    try:
        return WebDriverWait(driver, PATIENCE, poll_frequency=0.1,
                             ignored_exceptions=(Exception,)).until(lambda _: look())
    except Exception:
        driver.save_screenshot(f"{SCREENSHOTS}/web-missed.png")
        print(driver.get_log("browser"))
        print(run(driver, "return window.heard"))
        sys.exit(f"not seen: {what}")


def check(is_so, what):
    if not is_so:
        sys.exit(f"not so: {what}")


def run(driver, script, *values):
    return driver.execute_script(script, *values)


def wait_for(driver, script, *values):
    """Runs an expression whose promise is awaited."""
    value = driver.execute_async_script(
        f"const done = arguments[arguments.length - 1]; Promise.resolve({script}).then("
        "(value) => done({value: value ?? null}), (error) => done({error: String(error)}));", *values)
    check("error" not in value, f"{script}: {value.get('error')}")
    return value["value"]


def tell_worker(driver, **message):
    return wait_for(driver, """navigator.serviceWorker.ready.then((registration) => new Promise((done) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = ({ data }) => done(data);
        registration.active.postMessage(arguments[0], [port2]);
    }))""", message)


def load(driver, path="/"):
    driver.get(SITE + path)
    until(driver, "the client has begun", lambda: run(driver, "return window.fanfare !== undefined"))


def notifications(driver):
    return tell_worker(driver, test="shown")


def send(id, content, audience=None, **more):
    job = {"id": id, "app": "news", "content": content, "audience": audience or {"segment": "derby"}, **more}
    answer = ask("POST", f"{EDGE}/v1/campaigns", job)
    check(isinstance(answer, dict), f"the campaign {id} is taken: {answer}")


def deliver(driver, id, number):
    """Hands what the push service has for a subscription to the browser."""
    endpoint = subscription(number)["endpoint"]
    arrived = until(driver, f"{id} at the push service",
                    lambda: ask("POST", f"{SIMULATOR}/device/take?provider=webpush&token={endpoint}"))
    check(len(arrived) == 1 and arrived[0]["payload"]["fanfare"]["c"] == id, f"{id} arrived: {arrived}")
    driver.execute_cdp_cmd("ServiceWorker.deliverPushMessage", {
        "origin": SITE, "registrationId": "0", "data": json.dumps(arrived[0]["payload"])})
    return arrived[0]["payload"]


def shown(driver, title):
    """Returns the notification with a title, once it is there."""
    return until(driver, f"the notification {title}",
                 lambda: next((one for one in notifications(driver) if one["title"] == title), None))


def counts(driver, id, surface="system", **steps):
    """Waits for a campaign's report."""
    def look():
        found = ask("GET", f"{EDGE}/v1/campaigns/news/{id}/report")["surfaces"].get(surface) or {}
        return {name: (found.get(name) or {}).get("devices", 0) for name in steps} == steps
    until(driver, f"the report of {id}: {surface} {steps}", look)


def picture(driver, name):
    image = driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": False})["data"]
    with open(f"{SCREENSHOTS}/{name}.png", "wb") as file:
        file.write(base64.b64decode(image))


def registers(driver):
    load(driver)
    version = ask("GET", f"{EDGE}/web/fanfare.json")["version"]
    check(run(driver, "return window.version") == version, "the page has the version that the edge names")
    driver.find_element("id", "agree").click()
    told = until(driver, "registered", lambda: run(driver, "return window.told"))
    check(told == {"status": "registered"}, f"the browser is registered: {told}")
    told = wait_for(driver, "fanfare.tags({ derby: true, cup: true })")
    check(told == {"status": "registered"}, f"the tags are taken: {told}")
    wait_for(driver, "fanfare.tags({ cup: false })")
    wait_for(driver, "fanfare.user('ana')")


def shows(driver):
    content = {"title": "Goal!", "subtitle": "Derby", "body": "1-0", "sound": "default", "category": "GOAL",
               "url": "app://match/7", "actions": [{"id": "MATCH", "url": "app://match/7"}],
               "media_url": "https://127.0.0.1:1/goal.png", "data": {"minute": 12}}
    send("goal", content)
    payload = deliver(driver, "goal", 1)
    one = shown(driver, "Goal!")
    check(one["body"] == "Derby\n1-0" and one["tag"] == payload["notification"]["tag"], f"its text: {one}")
    check([action["title"] for action in one["actions"]] == ["Like", "Match"], f"its buttons: {one}")
    until(driver, "the page hears of it",
          lambda: run(driver, "return heard.some((one) => one.name === 'push' && one.detail.c === 'goal')"))
    counts(driver, "goal", received=1, displayed=1, opened=0)
    check(tell_worker(driver, test="notificationclick", title="Goal!"), "it can be clicked")
    counts(driver, "goal", received=1, displayed=1, opened=1, actioned=0, exited=0)
    check(not notifications(driver), "a notification that was clicked is gone")

    # Another person than the campaign's user gets nothing; the log-in and the tag that was taken back are known.
    send("ana", {"title_loc_key": "KICK_OFF", "title_loc_args": ["Atleti", "Real"], "category": "GOAL"},
         {"users": ["ana"]})
    deliver(driver, "ana", 1)
    shown(driver, "Real against Atleti")
    tell_worker(driver, test="notificationclick", title="Real against Atleti", action="LIKE")
    counts(driver, "ana", received=1, displayed=1, opened=0, actioned=1)
    send("off", {"title": "Half-time"})
    deliver(driver, "off", 1)
    shown(driver, "Half-time")
    tell_worker(driver, test="notificationclose", title="Half-time")
    counts(driver, "off", exited=1)


def survives(driver):
    """What is reported without a network is sent by the next browser process, and once."""
    tell_worker(driver, test="offline", **{"is": True})
    send("late", {"title": "Second half"})
    deliver(driver, "late", 1)
    shown(driver, "Second half")
    tell_worker(driver, test="notificationclick", title="Second half")
    report = ask("GET", f"{EDGE}/v1/campaigns/news/late/report")["surfaces"]
    check(not (report.get("system") or {}).get("opened", {}).get("devices"), f"nothing is reported yet: {report}")
    driver.quit()
    driver = browser()
    load(driver)
    # The page's own try, at the latest at the end of the wait.
    counts(driver, "late", received=1, displayed=1, opened=1)
    return driver


def changes(driver):
    """A subscription that the browser replaces is registered in the place of the old one."""
    Handler.number = None
    tell_worker(driver, test="pushsubscriptionchange")
    check(Handler.number == 2, "the worker has subscribed again")
    send("anew", {"title": "Extra time"})
    deliver(driver, "anew", 2)
    shown(driver, "Extra time")
    counts(driver, "anew", received=1, displayed=1)
    arrived = ask("POST", f"{SIMULATOR}/device/take?provider=webpush&token={subscription(1)['endpoint']}")
    check(arrived == [], "nothing goes to the old subscription")


STRIP = "return document.querySelector('body > div')?.shadowRoot?.querySelector(arguments[0])"


def shows_inside(driver):
    modal = {"type": "modal", "header": "Two tickets left", "message": "The derby is on Sunday.",
             "buttons": [{"id": "buy", "label": "Buy", "url": "app://tickets"}]}
    send("tickets", {"in_app": modal}, kind="in_app",
         delivery={"in_app": {"triggers": [{"on": "session_start"}], "priority": 10}})
    strip = {"type": "slideup", "message": "Welcome back"}
    where = [{"property": "league", "op": "equal", "value": "laliga"}]
    send("welcome", {"in_app": strip}, kind="in_app",
         delivery={"in_app": {"triggers": [{"on": "custom_event", "name": "match_opened", "where": where}]}})

    def begins():
        run(driver, "localStorage.removeItem('fanfare.session'); localStorage.removeItem('fanfare.shown')")
        load(driver)
        kept = until(driver, "a session", lambda: run(driver, "return localStorage.getItem('fanfare.session')"))
        return len(json.loads(kept)["messages"]) == 2
    until(driver, "both messages are offered", begins)
    dialog = until(driver, "the message in the page", lambda: run(driver, STRIP, "dialog[open]"))
    check(dialog.accessible_name == "Two tickets left", f"its name: {dialog.accessible_name}")
    picture(driver, "web-inside")
    run(driver, STRIP, "footer button").click()
    until(driver, "its link", lambda: driver.current_url == f"{SITE}/tickets")
    counts(driver, "tickets", "in_app", displayed=1, actioned=1, exited=0)
    load(driver)
    run(driver, "fanfare.event('match_opened', { league: 'premier' }); fanfare.event('match_closed')")
    check(run(driver, STRIP, "section") is None, "another event shows nothing")
    run(driver, "fanfare.event('match_opened', { league: 'laliga' })")
    until(driver, "the strip", lambda: run(driver, STRIP, "section button"))
    check(run(driver, STRIP, "section").aria_role == "status", "a strip is told, and takes no focus")
    run(driver, STRIP, "section button:last-child").click()
    counts(driver, "welcome", "in_app", displayed=1, exited=1)


def keeps_out_others(driver):
    """A page of another origin cannot talk to the edge."""
    driver.get(f"http://127.0.0.1:{PORT}/empty")
    said = driver.execute_async_script("""
        const done = arguments[arguments.length - 1];
        fetch(arguments[0] + "/v1/sessions", { method: "POST", headers: { Authorization: "Bearer x" }, body: "{}" })
            .then((answer) => done(answer.status), (error) => done(error.name));""", EDGE)
    check(said == "TypeError", f"another origin is told nothing: {said}")
    driver.get(f"{SITE}/empty")


def forgets(driver):
    load(driver)
    told = wait_for(driver, "fanfare.forget()")
    check(told == {"status": "forgotten"}, f"the browser is forgotten: {told}")
    send("gone", {"title": "Full time"}, {"everyone": True})
    gone = until(driver, "a campaign to nobody ends", lambda: next(
        (one for one in [ask("GET", f"{EDGE}/v1/campaigns/news/gone")] if one["state"] in ("completed", "failed")), None))
    check(gone["audience"] == 0, f"nobody is left: {gone}")


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    driver = browser()
    try:
        keeps_out_others(driver)
        registers(driver)
        shows(driver)
        driver = survives(driver)
        changes(driver)
        shows_inside(driver)
        forgets(driver)
    finally:
        driver.quit()
    print("the client for browsers does what it should")


main()
