#!/usr/bin/env python3
"""Receives a webhook's events: webhook.py SECRETS JOURNAL [PORT]. Needs nothing but Python.

SECRETS is the file that apps.yaml names: a secret a line, two during a rotation. JOURNAL gets each event once, one a
line; the work is done by who reads it, since the sender waits 10 s at most. Listens on this machine only: let a proxy
with a certificate stand before it.
"""
import base64, hmac, http.server, json, os, sys, threading, time


class Journal:
    """A file of events. A line that a crash cut short is removed: it was not answered, so its event comes again."""

    def __init__(self, path):
        self.lock = threading.Lock()
        self.file = open(path, "a+b")
        self.file.seek(0)
        text = self.file.read()
        whole = text[: text.rfind(b"\n") + 1]
        self.file.truncate(len(whole))
        self.ids = {json.loads(line)["webhook_id"] for line in whole.splitlines()}

    def write(self, id, event):
        """Drops a repeat. Afterwards the event is on the disk."""
        with self.lock:
            if id in self.ids:
                return
            self.file.write(json.dumps({"webhook_id": id, "event": event}).encode() + b"\n")
            self.file.flush()
            os.fsync(self.file.fileno())
            self.ids.add(id)


def is_signed(secrets, headers, body):
    """Is true for a request that a holder of a secret has made within the last five minutes."""
    id, time_text = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not id or not time_text.isdecimal() or len(time_text) > 12 or abs(time.time() - int(time_text)) > 300:
        return False
    signed = f"{id}.{time_text}.".encode() + body  # the bytes as they came, before anything reads them
    wanted = [base64.b64encode(hmac.digest(secret, signed, "sha256")) for secret in secrets]
    given = headers.get("webhook-signature", "").split(" ")
    codes = [text.removeprefix("v1,").encode() for text in given if text.startswith("v1,")]
    return any(hmac.compare_digest(code, one) for code in codes for one in wanted)


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30  # of a sender that says nothing more

    def do_POST(self):
        length = self.headers.get("content-length", "")
        if not length.isdecimal() or len(length) > 7 or int(length) > 1 << 20:
            self.close_connection = True
            return self.answer(413)
        body = self.rfile.read(int(length))
        if not is_signed(self.server.secrets, self.headers, body):
            return self.answer(401)
        try:
            self.server.journal.write(self.headers["webhook-id"], json.loads(body))
        except OSError:
            os._exit(1)  # without an answer: it comes again, and the next start removes half a line
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        if status != 204:
            self.send_header("content-length", "0")
        self.end_headers()


secrets_file, journal_file, port = (sys.argv[1:] + ["9000"])[:3]
server = http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Receiver)
with open(secrets_file) as file:
    lines = [line.strip() for line in file]
server.secrets = [base64.b64decode(line.removeprefix("whsec_")) for line in lines if line.startswith("whsec_")]
server.journal = Journal(journal_file)
server.serve_forever()
