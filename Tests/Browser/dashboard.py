#!/usr/bin/env python3
"""The dashboard in a real browser, driven as a person would: Debian's Chromium, without a window.

Environment: DASHBOARD_URL, FANFARE_OPERATOR and FANFARE_VIEWER (access tokens), SCREENSHOTS (a folder).
The fleet behind it sends slowly enough that a campaign can be watched, and has one parked message.
Ends with 0 when everything was seen; otherwise the last line says what was not.
"""
import base64
import json
import os
import sys
import urllib.request

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

URL = os.environ["DASHBOARD_URL"]
OPERATOR = os.environ["FANFARE_OPERATOR"]
VIEWER = os.environ["FANFARE_VIEWER"]
SCREENSHOTS = os.environ["SCREENSHOTS"]
PATIENCE = 60
# Of a desk and of a phone.
WIDTHS = (1300, 390)
PAGES = {"campaigns": "#/campaigns", "campaign": "#/campaigns/news/derby", "compare": "#/compare/news/derby/news/stuck",
         "fleet": "#/fleet", "parked": "#/parked"}


def browser(width, height, dark=False):
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
                     f"--window-size={width},{height}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    # A window has a frame and a minimum width; the size that the page sees counts.
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                           {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
    if dark:
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                               {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    return driver


def until(driver, what, look):
    try:
        return WebDriverWait(driver, PATIENCE, poll_frequency=0.1,
                             ignored_exceptions=(Exception,)).until(lambda _: look())
    except Exception:
        driver.save_screenshot(f"{SCREENSHOTS}/missed.png")
        print(driver.find_element(By.TAG_NAME, "body").text)
        sys.exit(f"not seen: {what}")


def check(is_so, what):
    if not is_so:
        sys.exit(f"not so: {what}")


def one(driver, selector):
    return driver.find_element(By.CSS_SELECTOR, selector)


def login(driver, token):
    driver.get(URL)
    field = until(driver, "the form for a token", lambda: one(driver, "#login input"))
    field.send_keys(token)
    field.send_keys(Keys.ENTER)
    until(driver, "the campaigns", lambda: one(driver, "#campaigns"))


def send(job):
    request = urllib.request.Request(
        f"{URL}/v1/campaigns", data=json.dumps(job).encode(), method="POST",
        headers={"Authorization": f"Bearer {OPERATOR}", "Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        check(answer.status == 202, f"a job is taken with 202, not {answer.status}")


def give(driver, scope, order):
    """Presses a button and confirms, by keyboard."""
    button = until(driver, f"the button {order}", lambda: one(driver, f"{scope} button[data-order={order}]"))
    button.send_keys(Keys.ENTER)
    until(driver, "the question", lambda: one(driver, "#confirm[open]"))
    one(driver, "#confirm-yes").send_keys(Keys.ENTER)


def submit(driver, form, text):
    """Writes into a form's first field, sends the form and confirms, by keyboard."""
    until(driver, f"the form {form}", lambda: one(driver, f"{form} input")).send_keys(text)
    one(driver, f"{form} button").send_keys(Keys.ENTER)
    until(driver, "the question", lambda: one(driver, "#confirm[open]"))
    one(driver, "#confirm-yes").send_keys(Keys.ENTER)


def state(driver):
    return one(driver, "#progress .state").text


def accepted(driver):
    return int(one(driver, "#progress [data-outcome=accepted]").text.replace(",", ""))


# What is wider than its place: the page, or a part of a card.
TOO_WIDE = """
const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
const parts = [...document.querySelectorAll(".card, .card table, .filter, header")]
    .filter((node) => node.scrollWidth > node.clientWidth + 1)
    .map((node) => `${node.tagName} ${node.id || node.closest("[id]").id} by ${node.scrollWidth - node.clientWidth}`);
return wide > 0 ? [`the page by ${wide}`, ...parts] : parts;
"""


def fits(driver, what):
    found = driver.execute_script(TOO_WIDE)
    check(not found, f"{what} is too wide: {', '.join(found)} px")


def resize(driver, width):
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                           {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600})


def picture(driver, name):
    """Keeps a screenshot of the whole page."""
    image = driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True})["data"]
    with open(f"{SCREENSHOTS}/{name}.png", "wb") as file:
        file.write(base64.b64decode(image))


def everywhere(driver, done, pages=PAGES):
    """Checks that every page fits at each width, and keeps a screenshot of it."""
    for width in WIDTHS:
        resize(driver, width)
        for name in pages:
            driver.get(f"{URL}/{PAGES[name]}")
            until(driver, name, done[name])
            fits(driver, f"{name} at {width} px")
            picture(driver, f"{name}-{width}")
    resize(driver, WIDTHS[0])


def reads(driver, selector, text):
    return text in one(driver, selector).text


def quiet(driver):
    """Checks that no request went elsewhere and that the policy refused nothing."""
    for entry in driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            url = message["params"]["request"]["url"]
            check(url.startswith((URL, "data:", "chrome:", "about:")), f"a request to {url}")
    for entry in driver.get_log("browser"):
        check("Content Security Policy" not in entry["message"], entry["message"])


def many_campaigns(desk):
    """More campaigns than a page has: the server pages and searches, and two are compared."""
    for number in range(30):
        send({"id": f"later-{number}", "app": "news", "audience": {"devices": [{"token": f"{number + 1:064x}"}]},
              "content": {"title": "Later"}, "delivery": {"hold": True}})
    cards = lambda: [node.get_attribute("data-campaign") for node in
                     desk.find_elements(By.CSS_SELECTOR, "#campaigns [data-campaign]")]
    desk.get(f"{URL}/#/campaigns")
    until(desk, "the latest campaigns", lambda: "news/later-29" in cards())
    until(desk, "a page of campaigns", lambda: len(cards()) == 24 and "news/derby" not in cards())
    one(desk, "#older").send_keys(Keys.ENTER)
    until(desk, "the older campaigns", lambda: "news/derby" in cards() and "news/stuck" in cards())
    until(desk, "the outcome of one", lambda: reads(desk, "[data-campaign='news/derby'] .outcome", "accepted 100.0"))
    for name in ("derby", "stuck"):
        one(desk, f"[data-campaign='news/{name}'] .pick input").send_keys(Keys.SPACE)
    until(desk, "a link to compare them", lambda: one(desk, "#compared a")).send_keys(Keys.ENTER)
    until(desk, "both curves", lambda: len(desk.find_elements(By.CSS_SELECTOR, "#curves path.line")) == 2)
    until(desk, "their audiences", lambda: reads(desk, "#rows", "Audience 3,000 100"))

    desk.get(f"{URL}/#/campaigns")
    until(desk, "a page without it", lambda: len(cards()) == 24 and "news/derby" not in cards())
    search = one(desk, "input[type=search]")
    search.send_keys("KICK-OFF")
    until(desk, "the one that is searched for", lambda: cards() == ["news/derby"])
    check("search=KICK-OFF" in desk.current_url, f"the search is not in the address: {desk.current_url}")
    search.clear()
    search.send_keys("later-1")
    until(desk, "all that are called so", lambda: len(cards()) == 11)


def main():
    desk = browser(WIDTHS[0], 900)
    try:
        login(desk, OPERATOR)
        devices = [{"token": f"{number:064x}"} for number in range(1, 3001)]
        send({"id": "derby", "app": "news", "name": "Derby kick-off", "audience": {"devices": devices},
              "content": {"title": "Kick-off!"}, "delivery": {"per_second": 250}})
        link = until(desk, "the new campaign, without a reload", lambda: one(desk, "[data-campaign='news/derby'] a"))
        link.send_keys(Keys.ENTER)
        until(desk, "progress", lambda: accepted(desk) > 100)
        until(desk, "a curve with a line", lambda: one(desk, "#speed svg.chart path.line"))
        before = accepted(desk)
        until(desk, "more progress", lambda: accepted(desk) > before)
        picture(desk, "sending")

        give(desk, "#progress", "pause")
        until(desk, "paused", lambda: state(desk).startswith("paused"))
        until(desk, "who paused it", lambda: reads(desk, "#events [data-type='campaign.paused']", "by ben"))
        until(desk, "the pause on the curve", lambda: one(desk, "#speed .plot .mark.waiting"))
        viewer = browser(360, 640, dark=True)
        try:
            login(viewer, VIEWER)
            fits(viewer, "the list at 360 px")
            viewer.get(f"{URL}/#/campaigns/news/derby")
            until(viewer, "the campaign for a viewer", lambda: state(viewer).startswith("paused"))
            check(not viewer.find_elements(By.CSS_SELECTOR, "#main button"), "a viewer has no buttons")
            fits(viewer, "a campaign at 360 px")
            viewer.save_screenshot(f"{SCREENSHOTS}/small.png")
            for page in ("fleet", "parked"):
                viewer.get(f"{URL}/#/{page}")
                until(viewer, page, lambda: one(viewer, "h1").text.lower() == page)
                fits(viewer, f"{page} at 360 px")
            quiet(viewer)
        finally:
            viewer.quit()
        submit(desk, "#set", "1000")
        until(desk, "the new rate is taken", lambda: one(desk, "#set input").get_property("value") == "")
        give(desk, "#progress", "resume")
        until(desk, "sending again", lambda: state(desk) == "sending")
        until(desk, "completed", lambda: state(desk) == "completed")
        check(accepted(desk) == 3000, f"3,000 devices have it, not {accepted(desk)}")

        # Loaded anew, so that what is seen is what the server has kept.
        desk.refresh()
        until(desk, "the curve after the end", lambda: one(desk, "#speed svg.chart path.line"))
        for type, text in (("campaign.changed", "per second 1,000"), ("campaign.resumed", "by ben"),
                           ("campaign.completed", "accepted 3,000")):
            until(desk, type, lambda: reads(desk, f"#events [data-type='{type}']", text))
        times = desk.execute_script("return [...document.querySelectorAll('#times time')].map((node) => node.title)")
        check(times and all("UTC" in title and title.endswith("Z") for title in times), f"times without a zone: {times}")

        many_campaigns(desk)
        desk.get(f"{URL}/#/fleet")
        until(desk, "a worker", lambda: "worker " in one(desk, "#workers").text)
        until(desk, "a lane", lambda: "apns.bulk" in one(desk, "#lanes").text)
        submit(desk, "#pause", "news")
        until(desk, "the pause of an app", lambda: one(desk, "[data-resume='app news']"))
        everywhere(desk, {
            "campaigns": lambda: one(desk, "#campaigns [data-campaign]"),
            "campaign": lambda: one(desk, "#events li") and one(desk, "#speed path.line"),
            "compare": lambda: one(desk, "#curves path.line.other") and one(desk, "#rows td"),
            "fleet": lambda: one(desk, "#lanes td") and one(desk, "[data-resume='app news']"),
            "parked": lambda: one(desk, "[data-parked]") and one(desk, "#many button"),
        })
        desk.get(f"{URL}/#/fleet")
        until(desk, "the pause of an app", lambda: one(desk, "[data-resume='app news']"))
        one(desk, "[data-resume='app news']").send_keys(Keys.ENTER)
        until(desk, "the question", lambda: one(desk, "#confirm[open]"))
        one(desk, "#confirm-yes").send_keys(Keys.ENTER)
        until(desk, "no pause any more", lambda: "Nothing is paused" in one(desk, "#pauses").text)
        desk.get(f"{URL}/#/parked")
        give(desk, "[data-parked]", "replay")
        until(desk, "nothing parked any more", lambda: "Nothing is parked" in one(desk, "#parked").text)
        quiet(desk)
    finally:
        desk.quit()
    print("the dashboard shows and does what it should")


main()
