"""Plants mistakes in a copy of the sources, one by one, and tells at which seed a simulation finds each.

Mistakes are in Tests/Mutants/*.mutants. Each begins with `## NAME` and has, once or for several places, in this order:

    # FILE          a source file, from the repository's root
    - OLD           a line of it, which must be there once, without its indentation
    + NEW           what stands there instead; nothing: the line is gone

`machine_mutants.py` and `driver_mutants.py` say which simulation is to find them, and how. Only the copy is changed,
and it has its right text again when this ends, by a signal, too.
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

# What a row says of itself fills a screen.
WORDS_MAX = 160


class Undecided(Exception):
    """A look that took too long to say whether a mistake is found: the machine is busy, or something has no end."""


class Place:
    def __init__(self, file, old, new):
        self.file, self.old, self.new = file, old, new

    def planted(self, text):
        """The file's text with the mistake; None when its line is not there, or more than once."""
        lines = text.split("\n")
        found = [number for number, line in enumerate(lines) if line.strip() == self.old]
        if len(found) != 1:
            return None
        line = lines[found[0]]
        lines[found[0]] = line[: len(line) - len(line.lstrip())] + self.new if self.new else ""
        return "\n".join(lines)


class Mutant:
    def __init__(self, group, name, places):
        self.group, self.name, self.places = group, name, places

    def is_called(self, word):
        return self.group == word or self.name.startswith(word)

    def is_in(self, folder):
        return any(place.file.startswith(folder) for place in self.places)


class Simulation:
    """What finds mistakes; a subclass says how."""

    # The script that people call.
    script = ""
    # The folders in whose files it looks for mistakes.
    folders = ()

    def __init__(self, package):
        self.package = package

    def prepare(self):
        """Does what is done once, with the right sources."""

    def build(self):
        """Builds the copy; what went wrong, or None."""
        raise NotImplementedError

    def finding(self, mutant):
        """How the simulation finds what is planted; None when it does not. Raises Undecided."""
        raise NotImplementedError

    def run(self, command, limit, **settings):
        """Runs a command in the package; its exit code, None when it took too long, and what it printed."""
        # A session of its own: what the command starts ends with it.
        process = subprocess.Popen(
            command, cwd=self.package, text=True, errors="replace", stdin=subprocess.DEVNULL,
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

    def build_with(self, command, limit):
        status, output = self.run(command, limit)
        if status == 0:
            return None
        errors = re.findall(r"error: (.*)", output)
        return errors[0] if errors else "no end" if status is None else output[-WORDS_MAX:]


def shortened(words):
    return words if len(words) <= WORDS_MAX else words[:WORDS_MAX].rsplit(" ", 1)[0] + " …"


def read(folder):
    mutants = []
    for path in sorted(folder.glob("*.mutants")):
        for block in re.split(r"^## ", path.read_text(), flags=re.M)[1:]:
            lines = [line for line in block.splitlines() if line.strip()]
            name = lines[0].strip()
            rows = [line for line in lines[1:] if line[0] in "#-+"]
            if not rows or "".join(row[0] for row in rows) != "#-+" * (len(rows) // 3):
                sys.exit(f"mutants.py: {path.name}: {name}: lines of #, - and + are wanted, in this order")
            rows = [row[1:].strip() for row in rows]
            places = [Place(*rows[first : first + 3]) for first in range(0, len(rows), 3)]
            mutants.append(Mutant(path.stem, name, places))
    return mutants


def plant(simulation, mutant):
    """Plants one mistake, and tells what came of it and whether it was found."""
    right = {}
    try:
        for place in mutant.places:
            path = simulation.package / place.file
            text = path.read_text()
            right.setdefault(path, text)
            wrong = place.planted(text)
            if wrong is None:
                return f"NOT PLANTED: {place.file} does not have its line once", False
            path.write_text(wrong)
        error = simulation.build()
        if error:
            return f"NOT BUILT: {error}", False
        found = simulation.finding(mutant)
        return found or "NOT FOUND", found is not None
    except Undecided as reason:
        return f"UNDECIDED: {reason}", False
    finally:
        for path, text in right.items():
            path.write_text(text)


def main(simulation_type):
    """TREE, the repository; PACKAGE, the copy; and names of files or of mistakes, without any all are planted."""
    # Ended like this, it ends what it has begun.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    tree, simulation, names = pathlib.Path(sys.argv[1]), simulation_type(pathlib.Path(sys.argv[2])), sys.argv[3:]
    mutants = [
        mutant for mutant in read(tree / "Tests/Mutants") if any(map(mutant.is_in, simulation.folders))
    ]
    for name in names:
        if not any(mutant.is_called(name) for mutant in mutants):
            sys.exit(f"{simulation.script}: no file is called {name}, and no mistake's name begins with it")
    mutants = [mutant for mutant in mutants if not names or any(map(mutant.is_called, names))]
    simulation.prepare()
    missed = []
    for mutant in mutants:
        began = time.monotonic()
        verdict, is_found = plant(simulation, mutant)
        if not is_found:
            missed.append(mutant.name)
        print(f"{mutant.group}: {mutant.name}: {verdict} ({time.monotonic() - began:.0f} s)", flush=True)
    print(f"{simulation.script}: {len(mutants) - len(missed)} of {len(mutants)} mistakes were found")
    sys.exit(1 if missed else 0)


def start(simulation_type):
    try:
        main(simulation_type)
    except KeyboardInterrupt:
        sys.exit(130)
