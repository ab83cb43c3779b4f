#!/usr/bin/env python3
"""Plants mistakes in the pure targets, one by one, and tells at which seed the simulation finds each.

    mutants.py TREE PACKAGE NAMES...    TREE: the repository; PACKAGE: where its pure targets are copied to and built

Mistakes are in TREE/Tests/Mutants/*.mutants. Each begins with `## NAME` and has, in this order:

    # FILE          a source file, from the repository's root
    - OLD           a line of it, which must be there once, without its indentation
    + NEW           what stands there instead; nothing: the line is gone

NAMES are names of files without `.mutants`, or what a mistake's name begins with; without any all are planted.
Called by simulate.sh --mutants, which makes the package. Ends with 1 when a mistake is not found, or when its line is
not there any more.

Only the copy is changed, and it has its right text again when this ends, by a signal, too.
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

# Campaigns of the first look; what it does not see, all mixes of faults are asked for.
SEEDS = os.environ.get("FANFARE_SEEDS", "1000")
# The mixes take a fifth or a twentieth of this each: as long as the first look, all together.
SEEDS_OF_MIXES = str(max(1, int(SEEDS) // 3))
# Seconds for each look. A mistake that makes a campaign go on without end is found as well.
LIMIT = 90
# Seconds for a build, which takes five on a quiet machine and may have to wait on another.
BUILD_LIMIT = 600
# What a row says of itself fills a screen.
WORDS_MAX = 160


class Mutant:
    def __init__(self, group, name, file, old, new):
        self.group, self.name, self.file, self.old, self.new = group, name, file, old, new

    def is_called(self, word):
        return self.group == word or self.name.startswith(word)


def read(folder):
    mutants = []
    for path in sorted(folder.glob("*.mutants")):
        for block in re.split(r"^## ", path.read_text(), flags=re.M)[1:]:
            lines = [line for line in block.splitlines() if line.strip()]
            name = lines[0].strip()
            try:
                file, old, new = [line for line in lines[1:] if line[0] in "#-+"]
                assert (file[0], old[0], new[0]) == ("#", "-", "+")
            except (ValueError, AssertionError):
                sys.exit(f"mutants.py: {path.name}: {name}: one line each of #, - and + is wanted, in this order")
            mutants.append(Mutant(path.stem, name, file[1:].strip(), old[1:].strip(), new[1:].strip()))
    return mutants


def planted(text, mutant):
    """The file's text with the mistake; None when its line is not there, or more than once."""
    lines = text.split("\n")
    places = [place for place, line in enumerate(lines) if line.strip() == mutant.old]
    if len(places) != 1:
        return None
    line = lines[places[0]]
    lines[places[0]] = line[: len(line) - len(line.lstrip())] + mutant.new if mutant.new else ""
    return "\n".join(lines)


def run(package, arguments, limit=LIMIT, **settings):
    """Runs `swift` in the package; its exit code, None when it took too long, and what it printed."""
    # A session of its own: what `swift` starts ends with it.
    process = subprocess.Popen(
        ["swift", *arguments], cwd=package, text=True, errors="replace", stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, **settings}, start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=limit)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return None, process.communicate()[0]
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise


def said(output):
    """What a campaign says went wrong, or how its process ended; None when no campaign did."""
    words = re.search(r"(?:Caught error|Fatal error|Precondition failed|Expectation failed): (.*)", output)
    if not words:
        return None
    words = re.sub(r"^seed \d+, ", "", words.group(1))
    return words if len(words) <= WORDS_MAX else words[:WORDS_MAX].rsplit(" ", 1)[0] + " …"


def finding(package, mutant):
    """How the simulation finds what is planted; None when it does not."""
    test = ["test", "--skip-build", "--filter"]
    look = [*test, "planners that come and go" if "/Planner" in mutant.file else "D2: no campaign"]
    status, output = run(package, look, FANFARE_SEEDS=SEEDS, FANFARE_TELL_SEEDS="1")
    told = re.findall(r"^seed (\d+)$", output, flags=re.M)
    # After the last campaign it is the totals that are wrong: no campaign is to blame.
    if status != 0 and told and "simulation: " not in output:
        if status is None:
            # A machine that is busy, or a campaign without end?
            status, output = run(package, look, FANFARE_SEED=told[-1])
        if status != 0:
            what = said(output) or ("no end" if status is None else "a crash")
            return f"seed {told[-1]}, {int(told[-1]) + 1} campaigns: {what}"
    status, output = run(package, [*test, "SimulationTests"], FANFARE_SEEDS=SEEDS_OF_MIXES)
    if status:
        failed = re.search(r"^✘ Test \"([^\"\n]*)\" recorded", output, flags=re.M)
        seed = re.search(r"(?:Caught error|Expectation failed): .*?seed (\d+)", output)
        where = f"seed {seed.group(1)} of " if seed else ""
        return f"{where}“{failed.group(1) if failed else 'the mixes'}”: {said(output) or 'a crash'}"
    return None


def plant(package, mutant):
    """Plants one mistake, and tells what came of it and whether it was found."""
    path = package / mutant.file
    right = path.read_text()
    wrong = planted(right, mutant)
    if wrong is None:
        return f"NOT PLANTED: {mutant.file} does not have its line once", False
    path.write_text(wrong)
    try:
        status, output = run(package, ["build", "--build-tests"], BUILD_LIMIT)
        if status != 0:
            errors = re.findall(r"error: (.*)", output)
            return f"NOT BUILT: {errors[0] if errors else 'no end'}", False
        found = finding(package, mutant)
        return found or f"NOT FOUND by {SEEDS} campaigns", found is not None
    finally:
        path.write_text(right)


def main():
    # Ended like this, it ends what it has begun.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    tree, package, names = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
    all_mutants = read(tree / "Tests/Mutants")
    for name in names:
        if not any(mutant.is_called(name) for mutant in all_mutants):
            sys.exit(f"mutants.py: no file is called {name}, and no mistake's name begins with it")
    mutants = [mutant for mutant in all_mutants if not names or any(map(mutant.is_called, names))]
    missed = []
    for mutant in mutants:
        began = time.monotonic()
        verdict, is_found = plant(package, mutant)
        if not is_found:
            missed.append(mutant.name)
        print(f"{mutant.group}: {mutant.name}: {verdict} ({time.monotonic() - began:.0f} s)", flush=True)
    print(f"simulate.sh: {len(mutants) - len(missed)} of {len(mutants)} mistakes were found")
    sys.exit(1 if missed else 0)


try:
    main()
except KeyboardInterrupt:
    sys.exit(130)
