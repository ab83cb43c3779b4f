"""Runs a command as a unit file would have systemd run it, as far as that goes without systemd:

    under_unit.py UNIT NOTES STATE COMMAND…      NOTES gets the notices, STATE is what may be written to

Taken from the unit: SystemCallFilter (its sets as systemd-analyze expands them) with SystemCallErrorNumber,
RestrictAddressFamilies, MemoryDenyWriteExecute, RestrictNamespaces, NoNewPrivileges, CapabilityBoundingSet, LimitNOFILE,
LimitCORE, UMask, WatchdogSec; and by bubblewrap's namespaces ProtectSystem=strict, ProtectHome, PrivateTmp, PrivateDevices,
PrivateUsers, PrivateIPC, ProtectHostname. Left out: everything of control groups (MemoryMax, TasksMax, DevicePolicy, slices),
ProtectProc, ProtectKernel*, LoadCredential, and whatever only a booted systemd does.

Plays the service manager besides: a watchdog that is not fed in time ends the command, and HUP and TERM are passed on.
"""
import fcntl
import glob
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time

import seccomp

unit_path, notes_path, state, *command = sys.argv[1:]
# What our units are alike in stands beside them, where systemd looks for it too.
shared = sorted(glob.glob(os.path.join(os.path.dirname(unit_path), "fanfare-.service.d", "*.conf")))
unit = {}
for line in (line for path in [unit_path, *shared] for line in open(path)):
    key, equals, value = line.strip().partition("=")
    if equals and not line.startswith("#"):
        unit.setdefault(key, []).append(value)


def expanded(word):
    """The system calls of a set, or the one that it is."""
    if not word.startswith("@"):
        return {word}
    text = subprocess.run(["systemd-analyze", "--no-pager", "syscall-filter", word], capture_output=True, text=True, check=True)
    words = [line.strip() for line in text.stdout.splitlines()[1:] if line.strip() and not line.strip().startswith("#")]
    return set().union(*(expanded(inner) for inner in words))


def system_calls():
    allowed = set()
    for value in unit["SystemCallFilter"]:
        words = set().union(*(expanded(word) for word in value.lstrip("~").split()))
        allowed = allowed - words if value.startswith("~") else allowed | words
    return allowed | expanded("@default")


def make_filter():
    refused = seccomp.ERRNO(1)
    assert unit["SystemCallErrorNumber"] == ["EPERM"]
    rules = seccomp.SyscallFilter(defaction=refused)
    families = {"AF_UNIX": 1, "AF_INET": 2, "AF_INET6": 10}
    write_exec, exec_ = 0x2 | 0x4, 0x4
    namespaces = 0x7E020000 | 0x80
    special = {"socket", "mmap", "mprotect", "pkey_mprotect", "clone", "clone3", "unshare", "setns"}
    for name in sorted(system_calls() - special):
        try:
            rules.add_rule(seccomp.ALLOW, name)
        except RuntimeError:
            pass  # not a call of this machine
    for family in unit["RestrictAddressFamilies"][0].split():
        rules.add_rule(seccomp.ALLOW, "socket", seccomp.Arg(0, seccomp.EQ, families[family]))
    assert unit["MemoryDenyWriteExecute"] == ["yes"] and unit["RestrictNamespaces"] == ["yes"]
    for protection in (0x0, 0x2):
        rules.add_rule(seccomp.ALLOW, "mmap", seccomp.Arg(2, seccomp.MASKED_EQ, write_exec, protection))
    rules.add_rule(seccomp.ALLOW, "mmap", seccomp.Arg(2, seccomp.MASKED_EQ, write_exec, exec_))
    rules.add_rule(seccomp.ALLOW, "mprotect", seccomp.Arg(2, seccomp.MASKED_EQ, exec_, 0))
    rules.add_rule(seccomp.ALLOW, "clone", seccomp.Arg(0, seccomp.MASKED_EQ, namespaces, 0))
    # As systemd does it: the C library takes clone instead, whose flags a filter can see.
    rules.add_rule(seccomp.ERRNO(38), "clone3")
    return rules


def seconds(key):
    return float(unit[key][0].removesuffix("s"))


assert unit["NoNewPrivileges"] == ["yes"] and unit["CapabilityBoundingSet"] == [""] and unit["ProtectSystem"] == ["strict"]
address = os.path.join(state, "notify")
ear = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
ear.bind(address)
bpf = open(os.path.join(state, "filter.bpf"), "w+b")
make_filter().export_bpf(bpf)
bpf.seek(0)
info_read, info_write = os.pipe()
for number in (bpf.fileno(), info_write):
    fcntl.fcntl(number, fcntl.F_SETFD, 0)
own = os.path.dirname(os.path.realpath(command[0]))
sandbox = [
    "bwrap", "--unshare-user", "--unshare-ipc", "--unshare-uts", "--uid", "10001", "--gid", "10001", "--cap-drop", "ALL",
    "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc",
    "--tmpfs", "/tmp", "--tmpfs", "/var/tmp", "--tmpfs", "/home", "--tmpfs", "/root", "--tmpfs", "/run",
    "--ro-bind", own, own, "--bind", state, state, "--chdir", state, "--new-session", "--die-with-parent",
    "--info-fd", str(info_write), "--seccomp", str(bpf.fileno()),
]


def limits():
    files = min(int(unit["LimitNOFILE"][0]), resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.umask(int(unit["UMask"][0], 8))


watchdog = seconds("WatchdogSec")
environment = dict(os.environ, NOTIFY_SOCKET=address, WATCHDOG_USEC=str(int(watchdog * 1_000_000)))
child = subprocess.Popen(sandbox + command, env=environment, preexec_fn=limits, pass_fds=(bpf.fileno(), info_write))
os.close(info_write)
info = b""
while not info.rstrip().endswith(b"}"):
    piece = os.read(info_read, 4096)
    if not piece:
        sys.exit("under_unit.py: bubblewrap has not started")
    info += piece
worker = json.loads(info)["child-pid"]
for number in (signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, lambda number, _: os.kill(worker, number))
fed = None
ear.settimeout(0.2)
with open(notes_path, "w", buffering=1) as notes:
    while child.poll() is None:
        try:
            for line in ear.recv(4096).decode().split("\n"):
                notes.write(line + "\n")
                if line in ("READY=1", "WATCHDOG=1"):
                    fed = time.monotonic()
        except (TimeoutError, InterruptedError):
            pass
        if fed and time.monotonic() - fed > watchdog:
            notes.write("the watchdog was not fed\n")
            os.kill(worker, signal.SIGABRT)
            fed = None
sys.exit(child.returncode if child.returncode >= 0 else 128 - child.returncode)
