#!/usr/bin/env python3
"""Plants mistakes in the pure targets, for the simulation of the machines.

    machine_mutants.py TREE PACKAGE NAMES...    TREE: the repository; PACKAGE: where its pure targets are copied to

Called by simulate.sh --mutants, which makes the package; mutants.py says what a mistake looks like. Ends with 1 when
a mistake is not found, or when its line is not there any more.
"""
import os
import re

import mutants

# Campaigns of the first look; what it does not see, all mixes of faults are asked for.
SEEDS = os.environ.get("FANFARE_SEEDS", "1000")
# The mixes take a fifth or a twentieth of this each: as long as the first look, all together.
SEEDS_OF_MIXES = str(max(1, int(SEEDS) // 3))
# Seconds for each look. A mistake that makes a campaign go on without end is found as well.
LIMIT = 90
# Seconds for a build, which takes five on a quiet machine and may have to wait on another.
BUILD_LIMIT = 600


def said(output):
    """What a campaign says went wrong, or how its process ended; None when no campaign did."""
    words = re.search(r"(?:Caught error|Fatal error|Precondition failed|Expectation failed): (.*)", output)
    return mutants.shortened(re.sub(r"^seed \d+, ", "", words.group(1))) if words else None


class Machines(mutants.Simulation):
    script = "simulate.sh"
    folders = ("Sources/Delivery/", "Sources/Campaigns/", "Sources/PushProviders/")

    def build(self):
        return self.build_with(["swift", "build", "--build-tests"], BUILD_LIMIT)

    def test(self, what, **settings):
        return self.run(["swift", "test", "--skip-build", "--filter", what], LIMIT, **settings)

    def finding(self, mutant):
        is_of_planner = any("/Planner" in place.file for place in mutant.places)
        look = "planners that come and go" if is_of_planner else "D2: no campaign"
        status, output = self.test(look, FANFARE_SEEDS=SEEDS, FANFARE_TELL_SEEDS="1")
        told = re.findall(r"^seed (\d+)$", output, flags=re.M)
        # After the last campaign it is the totals that are wrong: no campaign is to blame.
        if status != 0 and told and "simulation: " not in output:
            if status is None:
                # A machine that is busy, or a campaign without end?
                status, output = self.test(look, FANFARE_SEED=told[-1])
            if status != 0:
                what = said(output) or ("no end" if status is None else "a crash")
                return f"seed {told[-1]}, {int(told[-1]) + 1} campaigns: {what}"
        status, output = self.test("SimulationTests", FANFARE_SEEDS=SEEDS_OF_MIXES)
        if status is None:
            raise mutants.Undecided(f"the mixes take more than {LIMIT} s")
        if status == 0:
            return None
        failed = re.search(r"^✘ Test \"([^\"\n]*)\" recorded", output, flags=re.M)
        seed = re.search(r"(?:Caught error|Expectation failed): .*?seed (\d+)", output)
        where = f"seed {seed.group(1)} of " if seed else ""
        return f"{where}“{failed.group(1) if failed else 'the mixes'}”: {said(output) or 'a crash'}"


mutants.start(Machines)
