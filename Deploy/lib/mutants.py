#!/usr/bin/env python3
"""Plants mistakes in the pure targets, one by one, and tells at which seed the simulation finds each.

    mutants.py TREE PACKAGE NAMES...    TREE: the repository; PACKAGE: where its pure targets are copied to and built

Mistakes are in TREE/Tests/Mutants/*.mutants. Each begins with `## NAME` and has, in this order:

    # FILE          a source file, from the repository's root
    - OLD           a line of it, which must be there once, without its indentation
    + NEW           what stands there instead; nothing: the line is gone

NAMES are words that a mistake's name begins with; without any all are planted. Called by simulate.sh --mutants, which
makes the package. Ends with 1 when a mistake is not found, or when its line is not there any more.
"""
import os
import pathlib
import re
import subprocess
import sys
import time

# Campaigns of the first look; what it does not see, all mixes of faults are asked for.
SEEDS = os.environ.get("FANFARE_SEEDS", "1000")
# A mistake that makes a campaign go on without end is found as well.
LIMIT = 180


class Mutant:
    def __init__(self, name, file, old, new):
        self.name, self.file, self.old, self.new = name, file, old, new


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
            mutants.append(Mutant(name, file[1:].strip(), old[1:].strip(), new[1:].strip()))
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


def run(package, arguments, **settings):
    """Runs `swift` in the package; its exit code and what it printed."""
    try:
        done = subprocess.run(
            ["swift", *arguments], cwd=package, text=True, errors="replace", timeout=LIMIT, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, **settings},
        )
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired as late:
        output = late.stdout or b""
        return None, output.decode(errors="replace") if isinstance(output, bytes) else output


def finding(package):
    """How the simulation finds what is planted; None when it does not."""
    test = ["test", "--skip-build", "--filter"]
    status, output = run(package, [*test, "D2: no campaign"], FANFARE_SEEDS=SEEDS, FANFARE_TELL_SEEDS="1")
    if status != 0:
        told = re.findall(r"^seed (\d+)$", output, flags=re.M)
        seed = int(told[-1]) if told else 0
        said = re.search(r"Caught error: (?:seed \d+, )?(.*)", output) or re.search(r"Fatal error: (.*)", output)
        what = said.group(1) if said else "no end" if status is None else "a crash"
        return f"seed {seed}, {seed + 1} campaigns: {what}"
    status, output = run(package, [*test, "CampaignSimulationTests"], FANFARE_SEEDS=SEEDS)
    if status != 0:
        failed = re.search(r'^✘ Test "([^"]*)"', output, flags=re.M)
        said = re.search(r"Caught error: (.*)", output) or re.search(r"Fatal error: (.*)", output)
        return f"only by “{failed.group(1) if failed else 'a crash'}”: {said.group(1) if said else 'see there'}"
    return None


def main():
    tree, package, names = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
    mutants = [m for m in read(tree / "Tests/Mutants") if not names or any(m.name.startswith(n) for n in names)]
    if not mutants:
        sys.exit("mutants.py: no mistake has such a name")
    missed = []
    for mutant in mutants:
        path = package / mutant.file
        right = path.read_text()
        wrong = planted(right, mutant)
        began = time.monotonic()
        if wrong is None:
            found = None
            verdict = f"NOT PLANTED: {mutant.file} does not have its line once"
        else:
            path.write_text(wrong)
            try:
                status, output = run(package, ["build", "--build-tests"])
                found = finding(package) if status == 0 else None
            finally:
                path.write_text(right)
            if status != 0:
                errors = re.findall(r"error: (.*)", output)
                verdict = f"NOT BUILT: {errors[0] if errors else 'no end'}"
            else:
                verdict = found or f"NOT FOUND by {SEEDS} campaigns"
        if not found:
            missed.append(mutant.name)
        print(f"{mutant.name}: {verdict} ({time.monotonic() - began:.0f} s)", flush=True)
    print(f"simulate.sh: {len(mutants) - len(missed)} of {len(mutants)} mistakes were found")
    sys.exit(1 if missed else 0)


main()
