#!/usr/bin/env python3
"""The client for browsers in Debian's Firefox, whose push service is replaced by our own small one.

Nothing in the browser is replaced: it subscribes, decrypts what the worker sealed, fires `push` in the service worker
and keeps the notification. Only a person's click is given by the browser's own notification handler, as the system
would give it.

Environment: EDGE_URL (API and edge), INTEGRATION_KEY, VAPID_KEY, SITE_PORT (a free port; http://localhost:SITE_PORT is
a site of the app), PROFILE (an empty folder), PUSH_CERTIFICATE and PUSH_KEY (files, for 127.0.0.1, of a CA that the app
trusts).
Ends with 0 when everything was seen; otherwise the last line says what was not.
"""
import http.server
import json
import os
import sys
import threading
import time
import urllib.error
import urllib.request

from marionette import PATIENCE, Firefox
from push_service import PushService

EDGE = os.environ["EDGE_URL"]
KEY = os.environ["INTEGRATION_KEY"]
VAPID = os.environ["VAPID_KEY"]
PORT = int(os.environ["SITE_PORT"])
SITE = f"http://localhost:{PORT}"

PAGE = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>News</title></head><body><h1>News</h1>
<script type="module">
import {{ start }} from "{EDGE}/web/fanfare.js";
window.heard = [];
const fanfare = await start({{
  edge: "{EDGE}", key: "{KEY}", vapidKey: "{VAPID}", worker: "/worker.js", links: {{ "app://": "{SITE}/" }},
  categories: {{ GOAL: [{{ action: "LIKE", title: "Like" }}, {{ action: "MATCH", title: "Match" }}] }},
}});
fanfare.addEventListener("push", ({{ detail }}) => heard.push(detail.c));
window.fanfare = fanfare;
</script></body></html>"""

KEPT = """
const registration = await navigator.serviceWorker.ready;
return (await registration.getNotifications()).map(({ title }) => title);"""

# The system's tray, in the place of the desktop that is not there: it keeps what Firefox shows, and tells of clicks.
TRAY = """
const id = Services.uuid.generateUUID();
const alerts = new Map();
window.isRefusing = false;
const service = {
  QueryInterface: ChromeUtils.generateQI(["nsIAlertsService"]),
  showAlert(alert, listener) {
    if (window.isRefusing) throw Components.Exception("no desktop", Cr.NS_ERROR_FAILURE);
    alerts.set(alert.name, { alert, listener });
    Services.tm.dispatchToMainThread(() => listener.observe(null, "alertshow", alert.cookie));
  },
  closeAlert(name) {
    const one = alerts.get(name);
    alerts.delete(name);
    one?.listener.observe(null, "alertfinished", one.alert.cookie);
  },
  getHistory: () => [...alerts.keys()],
  teardown() {},
  pbmTeardown() {},
};
Components.manager.QueryInterface(Ci.nsIComponentRegistrar).registerFactory(id, "", "@mozilla.org/alerts-service;1",
  { createInstance: (iid) => service.QueryInterface(iid), QueryInterface: ChromeUtils.generateQI(["nsIFactory"]) });
window.tray = alerts;"""

IN_TRAY = """
return [...window.tray.values()].map(({ alert }) => ({ title: alert.title, text: alert.text,
  actions: alert.actions.map(({ title }) => title) }));"""

TOUCH = """
const [title, topic, action] = given;
const { alert, listener } = [...window.tray.values()].find(({ alert }) => alert.title === title);
window.tray.delete(alert.name);
listener.observe(alert.actions.find((one) => one.action === action) ?? null, topic, alert.cookie);"""


class Handler(http.server.BaseHTTPRequestHandler):
    """The site."""

    def do_GET(self):
        is_worker = self.path == "/worker.js"
        data = (f'importScripts("{EDGE}/web/fanfare-worker.js");' if is_worker else PAGE).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/javascript" if is_worker else "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def ask(method, path, body=None):
    """Returns the JSON of the API's answer, or the status of a refusal."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(EDGE + path, data=data, method=method, headers={"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code


def check(is_so, what):
    if not is_so:
        sys.exit(f"not so: {what}")


def until(what, look):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if value := look():
            print(round(time.monotonic(),1), what)
            return value
        time.sleep(0.1)
    return sys.exit(f"not seen: {what}")


def browser(service):
    firefox = Firefox(os.environ["PROFILE"], {
        "dom.push.serverURL": service.url, "dom.push.testing.allowInsecureServerURL": True,
        "dom.push.retryBaseInterval": 100, "permissions.default.desktop-notification": 1,
    })
    firefox.run(TRAY, is_chrome=True)
    # Marionette turns it off in each process.
    firefox.run("Services.prefs.setBoolPref('dom.push.connection.enabled', true)", is_chrome=True)
    return firefox


def load(firefox):
    firefox.get(SITE)
    until("the client has begun", lambda: firefox.run("return window.fanfare !== undefined"))


def send(id, title, **more):
    content = {"title": title, "body": "1-0", "category": "GOAL", "url": "app://match/7"}
    answer = ask("POST", "/v1/campaigns",
                 {"id": id, "app": "news", "content": content, "audience": {"everyone": True}, **more})
    check(isinstance(answer, dict), f"the campaign {id} is taken: {answer}")


def shown(firefox, title):
    """Returns what the tray has been given with a title, once it is there."""
    return until(f"the notification {title}", lambda: next(
        (one for one in firefox.run(IN_TRAY, is_chrome=True) if one["title"] == title), None))


def touch(firefox, title, topic, action=""):
    firefox.run(TOUCH, title, topic, action, is_chrome=True)


def counts(id, **steps):
    """Waits for a campaign's report."""
    def look():
        found = ask("GET", f"/v1/campaigns/news/{id}/report")["surfaces"].get("system") or {}
        return {name: (found.get(name) or {}).get("devices", 0) for name in steps} == steps
    until(f"the report of {id}: {steps}", look)


def registers(firefox):
    load(firefox)
    told = firefox.run("return fanfare.subscribe()")
    check(told == {"status": "registered"}, f"the browser is registered: {told}")


def shows(firefox):
    send("goal", "Goal!")
    one = shown(firefox, "Goal!")
    check(one["text"] == "1-0" and one["actions"] == ["Like", "Match"], f"its text: {one}")
    kept = firefox.run(KEPT)
    check(kept == ["Goal!"], f"the worker knows what it shows: {kept}")
    until("the page hears of it", lambda: firefox.run("return heard.includes('goal')"))
    counts("goal", received=1, displayed=1, opened=0)
    touch(firefox, "Goal!", "alertclickcallback")
    counts("goal", received=1, displayed=1, opened=1, actioned=0, exited=0)

    send("again", "Again!")
    shown(firefox, "Again!")
    touch(firefox, "Again!", "alertclickcallback", "LIKE")
    counts("again", received=1, displayed=1, opened=0, actioned=1)
    send("off", "Half-time")
    shown(firefox, "Half-time")
    touch(firefox, "Half-time", "alertfinished")
    counts("off", received=1, displayed=1, exited=1)


def is_refused(firefox):
    """A push that the system does not show has arrived nevertheless; the page and the edge hear of it."""
    firefox.run("window.isRefusing = true", is_chrome=True)
    send("unseen", "Unseen")
    until("the page hears of it", lambda: firefox.run("return heard.includes('unseen')"))
    counts("unseen", received=1, displayed=0)
    check(firefox.run(KEPT) == [], "nothing is shown")
    firefox.run("window.isRefusing = false", is_chrome=True)


def comes_back(firefox, service):
    """What came while the browser was closed is shown by its next process, without a page."""
    firefox.quit()
    send("late", "Second half")
    until("it waits at the push service", lambda: any(service.waiting.values()))
    firefox = browser(service)
    shown(firefox, "Second half")
    counts("late", received=1, displayed=1)
    return firefox


def changes(firefox, service):
    """A push service that knows the browser no more makes Firefox give its subscription up; the worker gets another."""
    old = set(service.keys)
    service.forget()
    until("another subscription", lambda: service.keys and not old & set(service.keys))
    send("anew", "Extra time")
    shown(firefox, "Extra time")
    counts("anew", received=1, displayed=1)


def forgets(firefox, service):
    load(firefox)
    told = firefox.run("return fanfare.forget()")
    check(told == {"status": "forgotten"}, f"the browser is forgotten: {told}")
    until("the push service has forgotten it too", lambda: not service.keys)


def main():
    threading.Thread(target=http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever,
                     daemon=True).start()
    service = PushService(os.environ["PUSH_CERTIFICATE"], os.environ["PUSH_KEY"])
    firefox = browser(service)
    try:
        registers(firefox)
        shows(firefox)
        is_refused(firefox)
        firefox = comes_back(firefox, service)
        changes(firefox, service)
        forgets(firefox, service)
    finally:
        firefox.quit()
    check(not service.refused, f"the push service has taken all: {service.refused}")
    check(list(service.acks.values()) == ["delivered"] * 6, f"Firefox has decrypted all: {service.acks}")
    print("Firefox decrypts what was sealed for it, and shows it")


main()
