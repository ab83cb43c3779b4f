"""Debian's Firefox without a window, driven by its own protocol (Marionette): geckodriver is no package of Debian's."""
import json
import os
import signal
import socket
import subprocess
import time

PATIENCE = 60


class Firefox:
    """A process with a profile, and a session that runs scripts in its page or, with `is_chrome`, in the browser."""

    def __init__(self, profile, preferences):
        os.makedirs(profile, exist_ok=True)
        all_preferences = {"marionette.port": 0, **preferences}
        with open(f"{profile}/user.js", "w") as file:
            file.writelines(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n"
                            for name, value in all_preferences.items())
        port_file = f"{profile}/MarionetteActivePort"
        if os.path.exists(port_file):
            os.remove(port_file)  # of the process before
        with open(f"{profile}/log", "ab") as log:
            self.process = subprocess.Popen(
                ["/usr/bin/firefox-esr", "--headless", "--marionette", "--remote-allow-system-access", "--no-remote",
                 "--profile", profile],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        try:
            self.peer = self._connected(port_file)
            self.peer.settimeout(PATIENCE)
            self.file = self.peer.makefile("rb")
            self.count = 0
            self._read()  # its greeting
            self.ask("WebDriver:NewSession", {})
            self.ask("WebDriver:SetTimeouts", {"script": PATIENCE * 1000})
        except BaseException:
            self.quit()
            raise

    def _connected(self, port_file):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.process.poll() is None:
            try:
                with open(port_file) as file:
                    return socket.create_connection(("127.0.0.1", int(file.read())))
            except (OSError, ValueError):
                time.sleep(0.05)
        raise RuntimeError(f"Firefox does not start: {self.process.poll()}")

    def _read(self):
        length = b""
        while (byte := self.file.read(1)) != b":":
            if not byte:
                raise RuntimeError("Firefox has closed the connection")
            length += byte
        return json.loads(self.file.read(int(length)))

    def ask(self, command, parameters):
        """Runs a command and returns its value."""
        self.count += 1
        data = json.dumps([0, self.count, command, parameters]).encode()
        self.peer.sendall(b"%d:%s" % (len(data), data))
        _, _, error, value = self._read()
        if error:
            raise RuntimeError(f"{command}: {error['error']}: {error['message']}")
        return value

    def get(self, url):
        self.ask("WebDriver:Navigate", {"url": url})

    def run(self, script, *values, is_chrome=False):
        """Runs the body of an asynchronous function and returns what it returns."""
        whole = ("const done = arguments[arguments.length - 1];\n"
                 f"(async (...given) => {{ {script} }})(...[...arguments].slice(0, -1)).then("
                 "(value) => done({ value: value ?? null }), (error) => done({ error: String(error) }));")
        self.ask("Marionette:SetContext", {"value": "chrome" if is_chrome else "content"})
        try:
            answer = self.ask("WebDriver:ExecuteAsyncScript", {"script": whole, "args": values, "sandbox": None})["value"]
        finally:
            self.ask("Marionette:SetContext", {"value": "content"})
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["value"]

    def quit(self):
        """Ends the process as a person does, so that its profile is whole; kills what is left."""
        try:
            self.ask("Marionette:Quit", {"flags": ["eForceQuit"]})
            self.process.wait(20)
        except (AttributeError, OSError, RuntimeError, subprocess.TimeoutExpired):
            pass
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
