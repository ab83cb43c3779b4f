"""A push service for Firefox, as small as Mozilla's autopush is large: what the browser and the sender see of it.

The browser holds a WebSocket and speaks autopush's protocol (hello, register, notification, ack); the sender posts to
the endpoints over HTTP/2 with TLS (RFC 8030) and is checked as autopush does (RFC 8292). The body goes on as it came:
only the browser has the keys.
"""
import base64
import contextlib
import json
import re
import socket
import ssl
import threading
import time
import uuid

import websockets.sync.server
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP256R1, EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, RequestReceived, StreamEnded
from websockets.exceptions import ConnectionClosed

URGENCIES = (None, "very-low", "low", "normal", "high")
DAY = 86_400
# What the browser says of a message in its ack.
ACKS = {100: "delivered", 101: "undecipherable", 102: "failed in the worker"}


def bytes_of(base64url):
    return base64.urlsafe_b64decode(base64url + "=" * (-len(base64url) % 4))


class Refused(Exception):
    """A request that a push service does not take, with its status."""


class PushService:
    """Listens on two ports of 127.0.0.1 until the process ends; `url` is the browser's, `origin` the sender's."""

    def __init__(self, certificate, key):
        # By channel: the key that may send, the messages that wait for the browser. By version: the browser's ack.
        self.keys, self.waiting, self.acks, self.refused = {}, {}, {}, []
        self.browser = self.uaid = None
        self.lock = threading.Lock()
        server = websockets.sync.server.serve(self._browser, "127.0.0.1", 0, subprotocols=["push-notification"], close_timeout=0.2)
        self.url = f"ws://127.0.0.1:{server.socket.getsockname()[1]}/"
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        context.set_alpn_protocols(["h2"])
        listener = context.wrap_socket(socket.create_server(("127.0.0.1", 0)), server_side=True)
        self.origin = f"https://127.0.0.1:{listener.getsockname()[1]}"
        for work in (server.serve_forever, lambda: self._accept(listener)):
            threading.Thread(target=work, daemon=True).start()

    def forget(self):
        """Forgets the browser, and closes its connection; it comes back and learns of it."""
        with self.lock:
            self.uaid, browser, self.browser = None, self.browser, None
        browser.close()

    # The browser

    def _browser(self, connection):
        while True:
            try:
                message = json.loads(connection.recv())
            except ConnectionClosed:
                with self.lock:
                    self.browser = None if self.browser is connection else self.browser
                return
            with self.lock:
                answer = self._answer(connection, message)
                if answer is not None:
                    connection.send(json.dumps(answer))
                if message.get("messageType") == "hello":
                    for one in [one for waiting in self.waiting.values() for one in waiting.values()]:
                        connection.send(json.dumps(one))

    def _answer(self, connection, message):
        kind, channel = message.get("messageType"), message.get("channelID")
        if kind is None:
            return {}  # a ping
        if kind == "hello":
            self.browser = connection
            if not self.uaid or message.get("uaid") != self.uaid:
                # One that is not known any more gets a new id, and the browser subscribes anew.
                self.uaid, self.keys, self.waiting = uuid.uuid4().hex, {}, {}
            return {"messageType": kind, "status": 200, "uaid": self.uaid, "use_webpush": True, "broadcasts": {}}
        if kind == "register":
            self.keys[channel], self.waiting[channel] = bytes_of(message["key"].rstrip("=")), {}
            return {"messageType": kind, "status": 200, "channelID": channel,
                    "pushEndpoint": f"{self.origin}/push/{channel}"}
        if kind == "unregister":
            self.keys.pop(channel, None), self.waiting.pop(channel, None)
            return {"messageType": kind, "status": 200, "channelID": channel}
        if kind == "ack":
            for update in message["updates"]:
                self.acks[update["version"]] = ACKS.get(update.get("code"), update)
                self.waiting.get(update["channelID"], {}).pop(update["version"], None)
        return None

    # The sender

    def _accept(self, listener):
        while True:
            try:
                peer, _ = listener.accept()
            except OSError:
                continue  # a handshake that failed
            threading.Thread(target=self._sender, args=(peer,), daemon=True).start()

    def _sender(self, peer):
        connection = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
        connection.initiate_connection()
        peer.sendall(connection.data_to_send())
        requests = {}
        while data := peer.recv(65_536):
            for event in connection.receive_data(data):
                if isinstance(event, RequestReceived):
                    requests[event.stream_id] = (dict(event.headers), bytearray())
                elif isinstance(event, DataReceived):
                    requests[event.stream_id][1].extend(event.data)
                    connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                elif isinstance(event, StreamEnded):
                    headers = self._taken(*requests.pop(event.stream_id))
                    connection.send_headers(event.stream_id, headers, end_stream=True)
            peer.sendall(connection.data_to_send())

    def _taken(self, headers, body):
        """Takes a message for the browser; returns the head of the answer."""
        try:
            with self.lock:
                channel = headers[":path"].removeprefix("/push/")
                self._check(headers, body, channel)
                version = uuid.uuid4().hex
                data = base64.urlsafe_b64encode(body).rstrip(b"=").decode()
                message = {"messageType": "notification", "channelID": channel, "version": version, "data": data,
                           "headers": {"encoding": headers["content-encoding"]}}
                self.waiting[channel][version] = message
                if self.browser:
                    with contextlib.suppress(ConnectionClosed):
                        self.browser.send(json.dumps(message))
            return [(":status", "201"), ("ttl", headers["ttl"]), ("location", f"{self.origin}/m/{version}")]
        except Exception as error:
            status = error.args[0] if isinstance(error, Refused) else 400
            self.refused.append(repr(error))
            return [(":status", str(status))]

    def _check(self, headers, body, channel):
        if headers[":method"] != "POST":
            raise Refused(405, headers[":method"])
        if channel not in self.keys:
            raise Refused(410, channel)
        if not re.fullmatch("[0-9]+", headers.get("ttl", "")):
            raise Refused(400, f"TTL: {headers.get('ttl')}")
        if headers.get("urgency") not in URGENCIES or not re.fullmatch(r"[\w-]{1,32}", headers.get("topic", "none")):
            raise Refused(400, f"urgency or topic: {headers}")
        if headers.get("content-encoding") != "aes128gcm":
            raise Refused(400, f"encoding: {headers.get('content-encoding')}")
        if not 0 < len(body) <= 4096:
            raise Refused(413, f"{len(body)} bytes")
        token, key = re.fullmatch(r"vapid t=([\w.-]+), ?k=([\w-]+)", headers["authorization"]).groups()
        signed, _, signature = token.rpartition(".")
        header, claims = (json.loads(bytes_of(part)) for part in signed.split("."))
        left = claims["exp"] - time.time()
        if header["alg"] != "ES256" or claims["aud"] != self.origin or not 0 < left <= DAY or "sub" not in claims:
            raise Refused(401, f"{header} {claims}")
        if bytes_of(key) != self.keys[channel]:
            raise Refused(403, "another key than the browser subscribed with")
        numbers = [int.from_bytes(half, "big") for half in (bytes_of(signature)[:32], bytes_of(signature)[32:])]
        public = EllipticCurvePublicKey.from_encoded_point(SECP256R1(), bytes_of(key))
        public.verify(encode_dss_signature(*numbers), signed.encode(), ECDSA(SHA256()))
