#!/usr/bin/env python3
"""What one worker and four cost at the same total rate, on hosts of their own.

    measure.py FOLDER PREFIX PROGRAM RESULTS [DEVICES]

Called by hosts.sh on the host `operator`, with broker and database up. The provider is the bare simulator, which paces
its answers (FANFARE_RATE a second, 20,000 by default). Three campaigns with one worker and three with four, in turn;
the medians between a tenth and nine tenths of each. Prints a table and keeps it as RESULTS/measure.md.
"""
import json
import os
import pathlib
import statistics
import sys
import time

from fleet import WORKERS, Fleet, await_that

ROUNDS = 3
COUNTED = ["CPU, µs a device", "wake-ups a device", "page faults a device", "commits a second", "devices a commit",
           "messages a second", "devices a message", "devices a second"]


class Moment:
    """The counters of all workers and the broker at one instant."""

    def __init__(self, fleet, workers, name):
        self.instant = time.monotonic()
        self.cpu = self.switches = self.faults = 0
        for worker in workers.values():
            pid = fleet.running[worker].pid
            stat = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            self.cpu += (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")
            self.faults += int(stat[7])
            for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
                for line in (task / "status").read_text().splitlines():
                    if line.startswith("voluntary"):
                        self.switches += int(line.split()[1])
        self.commits = sum(fleet.metrics(host).sum("fanfare_ledger_commits_total") for host in workers)
        self.devices = fleet.status(name)["accepted"]


def messages(fleet):
    """Returns the messages that the broker was given and gave out so far; it counts every five seconds."""
    management = (fleet.folder / "management.url").read_text().strip()
    overview = json.loads(fleet.curl("broker", "-u", "guest:guest", f"{management}/api/overview"))
    counts = overview.get("message_stats", {})
    return counts.get("publish", 0) + counts.get("deliver", 0)


def campaign(fleet, workers, name, devices):
    """Returns what one campaign cost."""
    before = settled(fleet)
    fleet.send(name, [f"{abs(hash(name)) % (1 << 32):08x}{index:056x}" for index in range(devices)])

    def reaches(share):
        return lambda: fleet.status(name)["accepted"] >= devices * share

    await_that("a tenth is sent", reaches(0.1), within=600)
    first = Moment(fleet, workers, name)
    await_that("nine tenths are sent", reaches(0.9), within=600)
    last = Moment(fleet, workers, name)
    await_that("the campaign is over", lambda: fleet.status(name)["completed_at"], within=600)
    count, seconds = last.devices - first.devices, last.instant - first.instant
    taken = settled(fleet) - before
    commits = max(1, last.commits - first.commits)
    return {
        "CPU, µs a device": (last.cpu - first.cpu) / count * 1e6,
        "wake-ups a device": (last.switches - first.switches) / count,
        "page faults a device": (last.faults - first.faults) / count,
        "commits a second": commits / seconds,
        "devices a commit": count / commits,
        "messages a second": taken / devices * count / seconds,
        "devices a message": devices / max(1, taken),
        "devices a second": count / seconds,
    }


def settled(fleet):
    """Returns the broker's count when it no longer changes."""
    last = [-1]

    def is_same():
        count = messages(fleet)
        same, last[0] = count == last[0], count
        return same

    await_that("the broker's count stands", is_same, within=60, every=6)
    return last[0]


def main():
    folder, prefix, program, results = sys.argv[1:5]
    devices = int(sys.argv[5]) if len(sys.argv) > 5 else 500_000
    rate = os.environ.pop("FANFARE_RATE", "20000")
    fleet = Fleet(folder, prefix, program)
    costs = {1: [], 4: []}
    try:
        fleet.heal()
        fleet.start_provider("--bare", "--answers-per-second", rate)
        fleet.start_broker_side()
        fleet.start_server()
        for number in range(ROUNDS):
            for count, found in costs.items():
                workers = {host: fleet.start_worker(host) for host in WORKERS[:count]}
                found.append(campaign(fleet, workers, f"measure-{number}-{count}", devices))
                rounded = {name: round(value, 2) for name, value in found[-1].items()}
                print(f"{count} workers:", rounded, file=sys.stderr, flush=True)
                for worker in workers.values():
                    fleet.stop(worker)
    finally:
        fleet.stop_all()
    table = ["| | one worker | four workers | four beside one |", "|---|---:|---:|---:|"]
    for name in COUNTED:
        one, four = (statistics.median(found[name] for found in costs[count]) for count in (1, 4))
        table.append(f"| {name} | {one:,.2f} | {four:,.2f} | {four / one:.2f} |")
    text = "\n".join(table) + "\n"
    (pathlib.Path(results) / "measure.md").write_text(text)
    print(text)


main()
