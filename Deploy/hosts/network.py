#!/usr/bin/env python3
"""Hosts of their own on one machine: a network namespace for each, and between them a network that this process is.

    network.py FOLDER PREFIX NAME...    as root, until a signal

A host is the namespace PREFIX-NAME. Its only way out is a TUN device, whose packets this process reads, keeps for as
long as their way takes, and writes to the device of the host that they are for. That delays single packets, as the
kernel's netem does where there is one, and can lose, hold or refuse them in one direction alone. Hosts are 10.77.0.1,
10.77.0.2, … in the order of their names; FOLDER/hosts has them for /etc/hosts. FOLDER/ready is there when all are up.

A rule is a datagram of JSON to the socket FOLDER/network, about the ways from some hosts to others:

    {"from": ["worker1"], "to": ["broker"], "delay": 0.001, "loss": 0.01, "mode": "pass"}

What it does not name stays. `delay` is in seconds, one way. The modes are

    pass     packets take their delay
    drop     packets are lost
    hold     packets are kept until the next mode, and come in their order then
    reset    each packet of a TCP connection is replaced by its end (RST); connections can be made
"""
import heapq
import fcntl
import itertools
import json
import os
import pathlib
import random
import select
import signal
import socket
import struct
import subprocess
import sys
import time

TUNSETIFF = 0x400454CA
IFF_TUN, IFF_NO_PI = 0x0001, 0x1000
# Larger than Ethernet's, so that fewer packets go through Python.
MTU = 9000
# Bytes that a way keeps at most; beyond that packets are lost, as in any router.
KEPT_MAX = 16 << 20
SYN, RST, ACK = 0x02, 0x04, 0x10


class Way:
    """What becomes of packets from one host to another."""

    def __init__(self):
        self.delay, self.loss, self.mode = 0.0, 0.0, "pass"
        # When the packet before is there: none overtakes another.
        self.last = 0.0
        self.held, self.kept = [], 0


def run(*command):
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


def open_device(name):
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
    return device


def make_host(namespace, name, address):
    """Returns the device of a new namespace."""
    device = open_device(name)
    run("ip", "netns", "add", namespace)
    run("ip", "link", "set", name, "netns", namespace)
    run("ip", "-n", namespace, "link", "set", "lo", "up")
    run("ip", "-n", namespace, "address", "add", f"{address}/24", "dev", name)
    run("ip", "-n", namespace, "link", "set", name, "mtu", str(MTU), "up")
    return device


def checksum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def end_of_connection(packet):
    """Returns the RST that stands for a packet of a connection, with its number: what comes next is refused."""
    length = (packet[0] & 0x0F) * 4
    if packet[9] != socket.IPPROTO_TCP or len(packet) < length + 20 or packet[length + 13] & (SYN | RST):
        return packet
    addresses = packet[12:20]
    tcp = bytearray(packet[length : length + 20])
    tcp[12:18] = struct.pack("!BBHH", 5 << 4, RST | ACK, 0, 0)
    pseudo = addresses + struct.pack("!HH", socket.IPPROTO_TCP, len(tcp))
    tcp[16:18] = struct.pack("!H", checksum(pseudo + bytes(tcp)))
    ip = bytearray(packet[:20])
    ip[0], ip[2:4], ip[10:12] = 0x45, struct.pack("!H", 40), b"\0\0"
    ip[10:12] = struct.pack("!H", checksum(bytes(ip)))
    return bytes(ip + tcp)


class Network:
    def __init__(self, names, devices):
        self.names, self.devices = names, devices
        count = range(len(names))
        self.ways = {(a, b): Way() for a in count for b in count if a != b}
        self.due, self.order = [], itertools.count()

    def change(self, rule):
        for sender in rule["from"]:
            for receiver in rule["to"]:
                if sender == receiver:
                    continue
                way = self.ways[self.names.index(sender), self.names.index(receiver)]
                way.delay, way.loss = rule.get("delay", way.delay), rule.get("loss", way.loss)
                way.mode = rule.get("mode", way.mode)
                if way.mode != "hold":
                    held, way.held, way.kept = way.held, [], 0
                    for packet in held:
                        self.send(way, self.names.index(receiver), packet)

    def take(self, sender, packet):
        # Hosts talk IPv4 to each other; what a host says to all of them is for nobody.
        if packet[0] >> 4 != 4 or packet[16:19] != b"\x0a\x4d\x00":
            return
        receiver = packet[19] - 1
        way = self.ways.get((sender, receiver))
        if way is None or way.mode == "drop" or (way.loss and random.random() < way.loss):
            return
        if way.mode == "hold":
            if way.kept + len(packet) <= KEPT_MAX:
                way.held.append(packet)
                way.kept += len(packet)
            return
        self.send(way, receiver, end_of_connection(packet) if way.mode == "reset" else packet)

    def send(self, way, receiver, packet):
        way.last = max(way.last, time.monotonic() + way.delay)
        heapq.heappush(self.due, (way.last, next(self.order), receiver, packet))

    def deliver(self):
        now = time.monotonic()
        while self.due and self.due[0][0] <= now:
            _, _, receiver, packet = heapq.heappop(self.due)
            try:
                os.write(self.devices[receiver], packet)
            except OSError:
                pass  # a queue that is full loses packets

    def run(self, control):
        poller = select.epoll()
        poller.register(control, select.EPOLLIN)
        senders = {device: index for index, device in enumerate(self.devices)}
        for device in self.devices:
            poller.register(device, select.EPOLLIN)
        while True:
            wait = max(0.0, self.due[0][0] - time.monotonic()) if self.due else -1
            for file, _ in poller.poll(wait):
                if file == control.fileno():
                    self.change(json.loads(control.recv(65536)))
                    continue
                for _ in range(64):
                    try:
                        packet = os.read(file, 65536)
                    except BlockingIOError:
                        break
                    self.take(senders[file], packet)
            self.deliver()


def main():
    folder, prefix, names = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
    addresses = [f"10.77.0.{number}" for number in range(1, len(names) + 1)]
    lines = ["127.0.0.1 localhost"] + [f"{address} {name}" for address, name in zip(addresses, names)]
    (folder / "hosts").write_text("\n".join(lines) + "\n")
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(0))
    made = []
    try:
        devices = []
        for number, (name, address) in enumerate(zip(names, addresses)):
            made.append(f"{prefix}-{name}")
            devices.append(make_host(made[-1], f"{prefix[-12:]}.{number}", address))
        control = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        control.bind(str(folder / "network"))
        (folder / "ready").touch()
        Network(names, devices).run(control)
    finally:
        for namespace in made:
            subprocess.run(["ip", "netns", "delete", namespace], stderr=subprocess.DEVNULL)


main()
