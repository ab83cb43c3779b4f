"""The metric names, runbook headings and panels of alerts, rules and dashboard.

    observing.py names FILE…    every series that rules, alerts, alert tests and the dashboard ask for is in one of these
                                scrapes, or written by backup.sh
    observing.py runbook        each alert has a summary, a severity and a heading in the runbook, and no heading is without;
                                RUNBOOK_URL takes the place of the page in every link
    observing.py dashboard OUT  the dashboard is sound, and its expressions go to OUT as rules for promtool
"""
import json
import os
import pathlib
import re
import subprocess
import sys

import yaml

PROMETHEUS = pathlib.Path("Deploy/prometheus")
RUNBOOK = pathlib.Path("Sources/Fleet/Documentation.docc/Runbook.md")
BACKUP = pathlib.Path("Deploy/lib/backup.sh")
DASHBOARD = pathlib.Path("Deploy/grafana/dashboard.json")
KEDA = pathlib.Path("Deploy/kubernetes/overlays/keda-prometheus/scaledobject.yaml")


def rules(name):
    return [rule for group in yaml.safe_load((PROMETHEUS / name).read_text())["groups"] for rule in group["rules"]]


def panels():
    return [panel for panel in json.loads(DASHBOARD.read_text())["panels"] if panel["type"] != "row"]


def names(*scrapes):
    known = {"up", "ALERTS"}
    for line in "\n".join(path.read_text() for path in [BACKUP, *map(pathlib.Path, scrapes)]).splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split()
            known |= {name + suffix for suffix in ("_bucket", "_sum", "_count")} if kind == "histogram" else {name}
    recorded = {rule["record"] for rule in rules("recording.yml")}
    asked = [(rule["record"], rule["expr"]) for rule in rules("recording.yml")]
    asked += [(rule["alert"], rule["expr"]) for rule in rules("alerts.yml")]
    asked += [(panel["title"], target["expr"]) for panel in panels() for target in panel["targets"]]
    for test in yaml.safe_load((PROMETHEUS / "alerts_test.yml").read_text())["tests"]:
        asked += [(test["name"], series["series"]) for series in test["input_series"]]
    for trigger in yaml.safe_load(KEDA.read_text())["spec"]["triggers"]:
        asked.append(("keda", trigger["metadata"]["query"]))
    for place, expression in asked:
        bare = re.sub(r'"[^"]*"', '""', expression)
        for name in re.findall(r"\b(?:fanfare|process)[_:][a-z0-9_:]+|\bup\b", bare):
            if name not in known | recorded:
                yield f"{place}: nobody tells {name}"


def runbook():
    # As a forge names the places of a page: in small letters.
    alerts = RUNBOOK.read_text().partition("\n## Alerts\n")[2].partition("\n## ")[0]
    headings = {heading.lower(): heading for heading in re.findall(r"^### (\S+)$", alerts, re.M)}
    asked = set()
    for rule in rules("alerts.yml"):
        link = rule["annotations"].get("runbook_url", "")
        anchor = link.partition("#")[2]
        asked.add(headings.get(anchor))
        if not link.startswith("https://") or not link.endswith(f"/{RUNBOOK}#{anchor}"):
            yield f"{rule['alert']}: {link} is no absolute link to {RUNBOOK}"
        if headings.get(anchor) != rule["alert"].removeprefix("Fanfare"):
            yield f"{rule['alert']}: no heading of its name in {RUNBOOK}"
        if rule["labels"].get("severity") not in ("page", "ticket"):
            yield f"{rule['alert']}: severity is page or ticket"
        if not {"summary", "description"} <= rule["annotations"].keys():
            yield f"{rule['alert']}: summary or description is missing"
    for heading in set(headings.values()) - asked:
        yield f"the runbook's {heading} belongs to no alert"
    page = "https://git.yours.example/docs/Runbook.md"
    for form in ("object", "alerts"):
        printed = subprocess.run(
            [PROMETHEUS / "operator.sh", form], env={**os.environ, "RUNBOOK_URL": page}, check=True, capture_output=True, text=True
        ).stdout
        places = re.findall(r"runbook_url: (.+)#(\w+)$", printed, re.M)
        if {place for place, _ in places} != {page} or {anchor for _, anchor in places} != set(headings):
            yield f"operator.sh {form} prints other links than those of {page}"


def dashboard(out):
    board = json.loads(DASHBOARD.read_text())
    if board["schemaVersion"] < 39:
        yield "schemaVersion is below 39"
    ids = [panel["id"] for panel in board["panels"]]
    if len(ids) != len(set(ids)):
        yield "two panels have one id"
    variables = {variable["name"] for variable in board["templating"]["list"]}
    cells, expressions = {}, []
    for panel in panels():
        place = panel["gridPos"]
        if place["x"] + place["w"] > 24:
            yield f"{panel['title']} is beyond the right edge"
        for cell in ((x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])):
            if cells.setdefault(cell, panel["title"]) != panel["title"]:
                yield f"{panel['title']} lies over {cells[cell]}"
        for target in panel["targets"]:
            if target["datasource"]["uid"] != "${DS_PROMETHEUS}":
                yield f"{panel['title']} asks another source"
            for variable in re.findall(r"\$(\w+)", target["expr"]):
                if variable not in variables:
                    yield f"{panel['title']} uses the unknown variable {variable}"
            expressions.append(re.sub(r"\$\w+", ".*", target["expr"]))
    group = {"name": "dashboard", "rules": [{"record": f"panel:{n}", "expr": e} for n, e in enumerate(expressions)]}
    pathlib.Path(out).write_text(yaml.safe_dump({"groups": [group]}))


problems = list({"names": names, "runbook": runbook, "dashboard": dashboard}[sys.argv[1]](*sys.argv[2:]))
print("\n".join(problems))
sys.exit(1 if problems else 0)
