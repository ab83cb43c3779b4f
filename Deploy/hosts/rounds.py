#!/usr/bin/env python3
"""Rounds of faults of the network and of clocks, drawn by a seed, each judged by ledger and provider.

    rounds.py FOLDER PREFIX PROGRAM RESULTS [COUNT]

Called by hosts.sh on the host `operator`, with broker and database up. In each round four workers send a campaign of
some thousand devices, and one to three faults begin in its midst. When it is over, each device is asked of the ledger
and of the provider's own account:

    lost          no outcome, or accepted as the ledger says and never as the provider says
    unexpected    the provider has it, and no audience
    repeats       requests that the ledger does not know of, and those to a device that had its push

A round passes when nothing is lost or unexpected, when the sum over the outcomes was the audience's whenever it was
asked for, and when the repeats are no more than what was in flight at the workers that faults hit, and what was sent
again for want of an answer. RESULTS keeps each round; one that passed is not repeated. FANFARE_SEED draws others. The
processes are those of fleet.py.
"""
import json
import os
import pathlib
import random
import shutil
import sys
import time

from fleet import FAR, NEAR, WORKERS, Fleet, Trouble, await_that, fetch

# Streams that the provider allows a connection, and answers that a worker may keep from the ledger: so few that an
# audience that is sent again is far beyond what a fault may repeat.
STREAMS, UNFLUSHED = 4, 60
# How long a campaign may take after its last fault, in seconds.
LIMIT = 150


class Fault:
    """One fault of a round: between workers and a target, from `start` seconds after the first, for `seconds`."""

    def __init__(self, draw, workers, target):
        self.workers, self.target = workers, target
        self.kind = "clock"
        if target != "clock":
            self.kind = draw.choice(["apart", "apart", "one way", "one way", "stall", "cut", "latency", "loss"])
        self.start = draw.uniform(0, 1.5)
        # Connections are given up and rows of workers lapse after some ten seconds: one in four is longer.
        self.seconds = draw.uniform(11, 15) if draw.random() < 1 / 4 else draw.uniform(1, 8)
        self.is_outward = draw.random() < 0.5
        self.amount = {
            "latency": draw.uniform(0.02, 0.25), "loss": draw.uniform(0.01, 0.08), "clock": draw.choice([-3600, 3600]),
        }.get(self.kind, 0)
        if self.kind == "cut":
            self.seconds = draw.uniform(0.1, 0.5)

    def __str__(self):
        name = "all workers" if len(self.workers) == len(WORKERS) else " and ".join(self.workers)
        if self.kind == "clock":
            return f"{name} clock {self.amount:+d} s"
        arrow = {"one way": "→" if self.is_outward else "←"}.get(self.kind, "–")
        amount = {"latency": f" {self.amount * 1000:.0f} ms", "loss": f" {self.amount * 100:.0f} %"}.get(self.kind, "")
        return f"{name} {arrow} {self.target} {self.kind}{amount} {self.seconds:.1f} s"

    @property
    def may_repeat(self):
        """True for what may end connections; slow or lost packets alone, and clocks, end none."""
        return self.kind in ("apart", "one way", "stall", "cut")

    def begin(self, fleet):
        if self.kind == "clock":
            for worker in self.workers:
                fleet.set_clock(worker, self.amount)
            return
        rule = {
            "apart": {"mode": "drop"}, "one way": {"mode": "drop"}, "stall": {"mode": "hold"},
            "cut": {"mode": "reset"}, "loss": {"loss": self.amount},
            "latency": {"delay": (FAR if self.target == "provider" else NEAR) + self.amount},
        }[self.kind]
        if self.kind != "one way" or self.is_outward:
            fleet.network(self.workers, [self.target], **rule)
        if self.kind != "one way" or not self.is_outward:
            fleet.network([self.target], self.workers, **rule)

    def end(self, fleet):
        if self.kind == "clock":
            for worker in self.workers:
                fleet.set_clock(worker, 0)
            return
        rule = {"delay": FAR if self.target == "provider" else NEAR, "loss": 0, "mode": "pass"}
        fleet.network(self.workers, [self.target], **rule)
        fleet.network([self.target], self.workers, **rule)


class Round:
    def __init__(self, seed, number, is_sqlite):
        draw = random.Random(f"{seed}/{number}")
        self.seed, self.number, self.name = seed, number, f"round-{seed}-{number}"
        self.devices = draw.randrange(3000, 6000)
        self.share = draw.uniform(0.05, 0.6)
        targets = ["broker", "provider", "clock"] + ([] if is_sqlite else ["database"])
        # One worker and one target each; in one of four rounds all workers at once, and then nothing else there.
        pairs = [([worker], target) for worker in WORKERS for target in targets]
        if draw.random() < 1 / 4:
            target = draw.choice(targets[:2] + targets[3:])
            others = [pair for pair in pairs if pair[1] != target]
            drawn = [(WORKERS, target)] + draw.sample(others, draw.choice([0, 1]))
        else:
            drawn = draw.sample(pairs, draw.choice([1, 2, 2, 3, 3]))
        self.faults = [Fault(draw, *pair) for pair in drawn]
        self.prefix = f"{number:06x}{draw.randrange(1 << 24):06x}"
        self.tokens = [f"{self.prefix}{index:052x}" for index in range(self.devices)]
        self.bound, self.open, self.broken = 0, 0, []

    def run(self, fleet):
        fleet.provider("/reset", "POST")
        fleet.send(self.name, self.tokens)
        await_that(
            "the campaign is in its midst",
            lambda: json.loads(fleet.provider("/stats"))["requests"] >= self.share * self.devices,
            within=60,
        )
        self.strike(fleet)
        status = self.follow(fleet)
        outcomes, account = fleet.outcomes(self.name), self.account(fleet)
        return self.judge(status, outcomes, account)

    def strike(self, fleet):
        """Begins and ends the faults at their times; the accounting is asked for meanwhile."""
        self.open = self.ask(fleet)["pending"]
        began = time.monotonic()
        acts = [(fault.start, "begin", fault) for fault in self.faults]
        acts += [(fault.start + fault.seconds, "end", fault) for fault in self.faults]
        for instant, act, fault in sorted(acts, key=lambda act: act[0]):
            while time.monotonic() < began + instant:
                self.ask(fleet)
                time.sleep(max(0.0, min(0.3, began + instant - time.monotonic())))
            if act == "begin":
                if fault.may_repeat:
                    self.bound += sum(self.in_flight(fleet, worker) for worker in fault.workers)
                fault.begin(fleet)
            else:
                fault.end(fleet)
        fleet.heal()

    @staticmethod
    def in_flight(fleet, worker):
        """Returns the requests that a fault of this worker may repeat: streams that may be open, a new pool's eight
        connections at least, and answers that may not be in the ledger.
        """
        metrics = fleet.metrics(worker)
        connections, ready = metrics.sum("fanfare_connections"), metrics.sum("fanfare_connections", 'state="ready"')
        streams = metrics.sum("fanfare_streams_limit") * connections / max(ready, 1)
        return int(max(streams, max(connections, 8) * STREAMS) + metrics.sum("fanfare_unflushed_answers_limit"))

    def ask(self, fleet):
        """Returns the campaign's status; its sum must always be the audience."""
        status = fleet.status(self.name)
        outcomes = ("accepted", "invalid", "failed", "expired", "superseded", "cancelled", "skipped", "pending")
        total = sum(status[name] for name in outcomes)
        if total != self.devices or status["audience"] != self.devices:
            self.broken.append(f"the sum was {total} of {status['audience']}, not {self.devices}")
        return status

    def follow(self, fleet):
        def is_over():
            status = self.ask(fleet)
            return status if status["completed_at"] and status["pending"] == 0 else None

        try:
            status = await_that("the campaign is over", is_over, within=LIMIT, every=0.3)
        except Trouble as trouble:
            raise Trouble(f"{trouble}; it stands at {json.dumps(self.ask(fleet))}") from None
        # A request that a fault held back may still arrive.
        quiet = ("fanfare_streams_inflight", "fanfare_shards_running", "fanfare_unflushed_answers")
        await_that(
            "nothing is in flight",
            lambda: all(fleet.metrics(worker).sum(name) == 0 for worker in WORKERS for name in quiet),
        )
        return status

    @staticmethod
    def account(fleet):
        lines = fleet.provider("/tokens").splitlines()
        return {line["token"]: line for line in map(json.loads, lines)}

    def judge(self, status, outcomes, account):
        nothing = {"requests": 0, "accepted": 0}
        lost = repeats = unseen = 0
        for token in self.tokens:
            ledger, provider = outcomes.get(token), account.get(token, nothing)
            outcome = ledger["outcome"] if ledger else "pending"
            attempts = ledger["requests"] if ledger else 0
            lost += outcome == "pending" or (outcome == "accepted" and provider["accepted"] < 1)
            repeats += max(provider["requests"] - attempts, provider["accepted"] - 1, 0)
            unseen += max(attempts - provider["requests"], 0)
        unexpected = len(account.keys() - set(self.tokens)) + len(outcomes.keys() - set(self.tokens))
        resent = status["unknown_resent"]
        problems = list(self.broken)
        if lost or unexpected:
            problems.append("devices are lost or unexpected")
        if status["accepted"] != self.devices:
            problems.append(f"{status['accepted']} of {self.devices} accepted, {status['reasons']}")
        if repeats > self.bound + resent or unseen > resent:
            problems.append(f"{repeats} repeats and {unseen} requests that never came, of {self.bound} and {resent}")
        if repeats > status["maybe_sent"] + resent:
            problems.append(f"{repeats} repeats, of which the status tells {status['maybe_sent']}")
        if self.open == 0:
            problems.append("the campaign was over before the first fault")
        if self.devices <= 2 * self.bound:
            problems.append(f"a bound of {self.bound} and {resent} for {self.devices} devices proves nothing")
        return {
            "devices": self.devices, "lost": lost, "unexpected": unexpected, "repeats": repeats, "bound": self.bound,
            "resent": resent, "open": self.open, "problems": problems,
        }


def line_of(round_, result):
    faults = ", ".join(map(str, round_.faults))
    return (
        f"round {round_.number:2}: {result.get('devices', 0)} devices; {faults}; lost {result.get('lost', '?')},"
        f" unexpected {result.get('unexpected', '?')}, repeats {result.get('repeats', '?')} of"
        f" {result.get('bound', '?')} and {result.get('resent', '?')}; {result['seconds']:.0f} s: "
        + ("passed" if not result["problems"] else "FAILED: " + "; ".join(result["problems"]))
    )


def play(fleet, workers, round_, results):
    """Runs one round, keeps and prints its result."""
    began = time.monotonic()
    try:
        result = round_.run(fleet)
    except (Trouble, OSError) as trouble:
        result = {"problems": [*round_.broken, str(trouble)]}
    fleet.heal()
    for worker in WORKERS:
        fleet.set_clock(worker, 0)
        if not fleet.is_running(workers[worker]):
            result["problems"].append(f"{worker} has ended: {fleet.errors(workers[worker])[-500:]}")
            workers[worker] = start_worker(fleet, worker)
    result["seconds"] = time.monotonic() - began
    result["line"] = line_of(round_, result)
    if result["problems"]:
        kept = results / f"{round_.name}-logs"
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir()
        for log in fleet.folder.glob("*.err"):
            shutil.copy(log, kept)
        try:
            fleet.run("campaign", "cancel", f"news/{round_.name}")
        except Trouble:
            pass  # it is over, or was never accepted
    (results / f"{round_.name}.json").write_text(json.dumps(result, indent=2) + "\n")
    print(result["line"], flush=True)
    return result


def start_worker(fleet, host):
    settings = {"FANFARE_WORKER_UNFLUSHED": str(UNFLUSHED), "FANFARE_WORKER_LOOPS": "1"}
    return fleet.start_worker(host, has_own_clock=True, **settings)


def the_seed(results):
    """Returns the seed of FANFARE_SEED, or of the rounds that are there already, or a new one."""
    file = results / "seed"
    seed = os.environ.pop("FANFARE_SEED", "") or (file.read_text().strip() if file.exists() else "")
    seed = seed or str(random.SystemRandom().randrange(1, 1 << 32))
    file.write_text(seed + "\n")
    return seed


def main():
    folder, prefix, program, results = sys.argv[1:5]
    count = int(sys.argv[5]) if len(sys.argv) > 5 else 50
    results = pathlib.Path(results)
    results.mkdir(parents=True, exist_ok=True)
    seed = the_seed(results)
    fleet = Fleet(folder, prefix, program)
    began = time.monotonic()
    kept = {}
    try:
        workers = None
        for number in range(1, count + 1):
            round_ = Round(seed, number, fleet.is_sqlite)
            file = results / f"{round_.name}.json"
            if file.exists():
                result = json.loads(file.read_text())
                if not result["problems"]:
                    kept[number] = result
                    print(result["line"], "(kept)", flush=True)
                    continue
            workers = workers or start(fleet)
            kept[number] = play(fleet, workers, round_, results)
    finally:
        fleet.stop_all()
    return total(kept, seed, fleet, time.monotonic() - began)


def start(fleet):
    fleet.heal()
    fleet.start_provider("--fault", "latency=20-120", "--fault", f"streams={STREAMS}")
    fleet.start_broker_side()
    fleet.start_server()
    return {worker: start_worker(fleet, worker) for worker in WORKERS}


def total(kept, seed, fleet, seconds):
    failed = [number for number, result in kept.items() if result["problems"]]

    def summed(name):
        return sum(result.get(name, 0) for result in kept.values())

    worst = max(kept.values(), key=lambda result: result.get("repeats", 0))
    print(
        f"{len(kept)} rounds on {'SQLite' if fleet.is_sqlite else 'PostgreSQL'}, seed {seed}:"
        f" {summed('devices')} devices, lost {summed('lost')}, unexpected {summed('unexpected')},"
        f" sent twice {summed('repeats')} ({worst.get('repeats')} of {worst.get('bound')} and {worst.get('resent')} at most),"
        f" sent again for want of an answer {summed('resent')}, open at the fault {summed('open')}, failed {failed or 'none'}; {seconds / 60:.0f} min",
        flush=True,
    )
    return 1 if failed else 0


sys.exit(main())
