"""The processes of a fleet on hosts of their own (network.py), and what can be asked of them. Used by rounds.py and
measure.py, which run on the host `operator`, as root.
"""
import json
import os
import pathlib
import re
import signal
import socket
import struct
import subprocess
import sys
import time
import urllib.request

WORKERS = [f"worker{number}" for number in range(1, 5)]
APP = "news"
# Seconds, one way: between hosts 1 ms, to the provider 30 ms (60 ms until an answer).
NEAR, FAR = 0.001, 0.030
SERVED = "http://127.0.0.1:8080"


class Trouble(Exception):
    """Something that should have happened has not."""


def await_that(what, test, within=60, every=0.1):
    """Returns the test's first result that is true; OSError counts as false."""
    deadline = time.monotonic() + within
    while True:
        try:
            result = test()
        except OSError:
            result = None
        if result:
            return result
        if time.monotonic() > deadline:
            raise Trouble(f"not within {within} s: {what}")
        time.sleep(every)


def fetch(url):
    with urllib.request.urlopen(url, timeout=5) as answer:
        return answer.read().decode()


class Metrics:
    """A worker's metrics, as Prometheus reads them."""

    def __init__(self, text):
        self.samples = []
        for line in text.splitlines():
            if line and not line.startswith("#"):
                series, _, value = line.rpartition(" ")
                self.samples.append((series, float(value)))

    def sum(self, name, label=""):
        return sum(value for series, value in self.samples if re.split("[{ ]", series)[0] == name and label in series)


class Fleet:
    """Broker, database and network are there already; folder has their addresses."""

    def __init__(self, folder, prefix, program):
        self.folder, self.prefix, self.program = pathlib.Path(folder), prefix, program
        self.heed_signals()
        self.running, self.logs = {}, 0
        self.store = (self.folder / "store.url").read_text().strip()
        self.is_sqlite = self.store.startswith("sqlite:")
        self.control = ""
        (self.folder / "fanfare.yaml").write_text(
            f"amqp:\n  url: {(self.folder / 'amqp.url').read_text().strip()}\nstore:\n  url: {self.store}\n"
            "apps:\n  file: apps.yaml\n"
        )
        for worker in WORKERS:
            self.set_clock(worker, 0)

    # Processes

    def command(self, host, *command):
        """Returns the command that runs on a host, where all hosts have their names."""
        inside = 'mount --bind "$0" /etc/hosts && exec "$@"'
        hosts = str(self.folder / "hosts")
        return ["ip", "netns", "exec", f"{self.prefix}-{host}", "sh", "-c", inside, hosts, *command]

    def start(self, host, *arguments, environment=None):
        self.logs += 1
        name = f"{host}-{self.logs}"
        with open(self.folder / f"{name}.out", "wb") as output, open(self.folder / f"{name}.err", "wb") as errors:
            process = subprocess.Popen(
                self.command(host, self.program, *arguments),
                cwd=self.folder,
                env={**os.environ, **(environment or {})},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
            )
        self.running[name] = process
        return name

    def errors(self, name):
        return (self.folder / f"{name}.err").read_text(errors="replace")

    def output(self, name):
        return (self.folder / f"{name}.out").read_text(errors="replace")

    def is_running(self, name):
        return self.running[name].poll() is None

    def stop(self, name):
        process = self.running.pop(name)
        process.terminate()
        try:
            process.wait(40)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    @staticmethod
    def heed_signals():
        """Lets a signal end the program as an error does: what it has started ends, too."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda number, _: sys.exit(128 + number))

    def stop_all(self):
        for process in self.running.values():
            process.terminate()
        for name in list(self.running):
            self.stop(name)

    def run(self, *arguments, host="operator", limit=120, environment=None):
        """Returns what a command says, and fails with it."""
        done = subprocess.run(
            self.command(host, self.program, *arguments, "--config", "fanfare.yaml"),
            cwd=self.folder,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=limit,
            check=False,
        )
        if done.returncode != 0:
            raise Trouble(f"{arguments} ended with {done.returncode}: {(done.stdout + done.stderr).decode()[-2000:]}")
        return done.stdout.decode()

    def start_provider(self, *flags):
        port = 8443
        name = self.start(
            "provider", "simulator", "--host", "0.0.0.0", "--name", "provider", "--port", str(port), "--folder", ".",
            "--json", *flags,
        )
        said = await_that("the provider is up", lambda: self.is_running(name) and self.output(name).strip())
        self.control = json.loads(said.splitlines()[0]).get("control") or ""
        return name

    def start_broker_side(self):
        """Makes the topology, from the broker's own host: its management answers nobody else."""
        self.run(
            "topology", "apply", host="broker",
            environment={"FANFARE_AMQP_MANAGEMENT_URL": (self.folder / "management.url").read_text().strip()},
        )

    def start_server(self):
        name = self.start("operator", "server", "--config", "fanfare.yaml")
        await_that("the server answers", lambda: fetch(f"{SERVED}/livez"))
        return name

    def start_worker(self, host, has_own_clock=False, **settings):
        environment = {"FANFARE_WORKER_LISTEN": "0.0.0.0:9464", **settings}
        if has_own_clock:
            # clock.c: each reading of the clock is a call of the kernel then.
            environment["LD_PRELOAD"] = str(self.folder / "clock.so")
            environment["SHIFTED_CLOCK"] = str(self.folder / f"{host}.clock")
        name = self.start(host, "worker", "--config", "fanfare.yaml", environment=environment)
        await_that(f"{host} is ready", lambda: fetch(f"http://{host}:9464/readyz"))
        return name

    # The world around them

    def set_clock(self, host, ahead):
        with open(self.folder / f"{host}.clock", "r+b" if (self.folder / f"{host}.clock").exists() else "wb") as file:
            file.write(struct.pack("q", ahead))

    def network(self, senders, receivers, **rule):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as control:
            rule.update({"from": senders, "to": receivers})
            control.sendto(json.dumps(rule).encode(), str(self.folder / "network"))

    def heal(self):
        """Gives all ways the delay that they have without a fault."""
        hosts = [line.split()[1] for line in (self.folder / "hosts").read_text().splitlines()[1:]]
        near = [host for host in hosts if host != "provider"]
        self.network(near, near, delay=NEAR, loss=0, mode="pass")
        self.network(near, ["provider"], delay=FAR, loss=0, mode="pass")
        self.network(["provider"], near, delay=FAR, loss=0, mode="pass")

    def metrics(self, host):
        return Metrics(await_that(f"{host} tells its metrics", lambda: fetch(f"http://{host}:9464/metrics")))

    def curl(self, host, *arguments):
        """Returns what answers on a host's loopback."""
        command = self.command(host, "curl", "-sSf", *arguments)
        return subprocess.run(command, capture_output=True, check=True, timeout=60).stdout.decode()

    def provider(self, path, method="GET"):
        """Returns the provider's own account."""
        return self.curl("provider", "-X", method, self.control + path)

    # Campaigns

    def send(self, name, tokens):
        devices = self.folder / "devices.csv"
        devices.write_text("token\n" + "\n".join(tokens) + "\n")
        job = self.folder / "job.json"
        job.write_text(json.dumps({"id": name, "app": APP, "content": {"title": "Kick-off!"}}))
        self.run("campaign", "send", "job.json", "--audience", "devices.csv", "--json")

    def status(self, name):
        address = f"{SERVED}/v1/campaigns/{APP}/{name}"
        return json.loads(await_that("the server tells the status", lambda: fetch(address)))

    def outcomes(self, name):
        lines = self.run("campaign", "outcomes", f"{APP}/{name}", "--ndjson").splitlines()
        return {device["token"]: device for device in map(json.loads, lines)}
