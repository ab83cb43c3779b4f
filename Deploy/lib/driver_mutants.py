#!/usr/bin/env python3
"""Plants mistakes in the drivers and in the ledger's SQL, for the simulation of the whole fleet.

    driver_mutants.py TREE PACKAGE NAMES...    TREE: the repository; PACKAGE: where it is copied to and built

Called by fleet-simulate.sh --mutants, which makes the copy; mutants.py says what a mistake looks like. Ends with 1
when a mistake is not found, or when its line is not there any more.
"""
import os
import re
import shutil
import sys

import mutants

# Seeds of whole fleets; mistakes of Transport are first looked for in twice as many runs of the drivers alone.
SEEDS = int(os.environ.get("FANFARE_SEEDS", "300"))
BATCH = 10
# Seconds for a batch: it takes five on a quiet machine. A run without end is a finding.
LIMIT = 300
# Seconds for a build: two minutes are usual, and the first one takes ten.
BUILD_LIMIT = 2400

NO_END = "no end"

BUILD = ["swift", "build", "--product", "fleet-simulate", "--ignore-lock"]


class Drivers(mutants.Simulation):
    script = "fleet-simulate.sh"
    folders = ("Sources/Transport/", "Sources/Fleet/", "Sources/Store/")

    def prepare(self):
        error = self.build()
        if error:
            sys.exit(f"{self.script}: the copy does not build: {error}")
        self.program = self.package / ".build/debug/fleet-simulate"
        # Says that a seed is broken by the mistake and not without it.
        self.right = self.package / ".build/fleet-simulate-without-mistake"
        shutil.copy2(self.program, self.right)

    def build(self):
        return self.build_with(BUILD, BUILD_LIMIT)

    def broken(self, program, first, count, *options):
        """The first seed that breaks a law, with what it says; None when all hold."""
        command = [str(program), str(first), str(count), "--no-shrink", *options]
        status, output = self.run(command, LIMIT, SWIFT_BACKTRACE="enable=no")
        for line in output.splitlines():
            found = re.match(r"seed (\d+): (?:BROKEN: (.*)|(the process ended.*))", line)
            if found:
                return int(found.group(1)), found.group(2) or found.group(3)
        if status is None:
            told = re.findall(r"^seed (\d+): ", output, flags=re.M)
            return (int(told[-1]) + 1 if told else first), NO_END
        return None

    def finding(self, mutant):
        looks = [((), SEEDS)]
        if mutant.is_in("Sources/Transport/"):
            looks.insert(0, (("--couriers",), 2 * SEEDS))
        for options, seeds in looks:
            for first in range(1, seeds, BATCH):
                found = self.broken(self.program, first, BATCH, *options)
                if not found:
                    continue
                seed, what = found
                # A machine that is busy, or a run without end?
                if what == NO_END and not self.broken(self.program, seed, 1, *options):
                    raise mutants.Undecided(f"{first} to {seed} take more than {LIMIT} s, {seed} does not")
                without = self.broken(self.right, seed, 1, *options)
                if without and without[1] == NO_END:
                    raise mutants.Undecided(f"seed {seed} takes more than {LIMIT} s without the mistake, too")
                if without:
                    sys.exit(f"{self.script}: seed {seed} {' '.join(options)} is broken without a mistake, too")
                return f"seed {seed}{' of the drivers alone' if options else ''}: {mutants.shortened(what)}"
        return None


mutants.start(Drivers)
