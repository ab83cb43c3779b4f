"""Puts an example of Deploy/examples through what it must stand: examples.py consumer|receiver NAME COMMAND….

It has a folder of its own below EXAMPLES_FOLDER. What a worker posts to a receiver is in 80-examples.sh.
"""
import atexit, base64, hmac, http.client, json, os, resource, signal, subprocess, sys, time

KIND, NAME, COMMAND = sys.argv[1], sys.argv[2], sys.argv[3:]
FOLDER = os.path.join(os.environ["EXAMPLES_FOLDER"], NAME, KIND)
os.makedirs(FOLDER, exist_ok=True)
JOURNAL = os.path.join(FOLDER, "journal")


def full_disk():
    """No byte fits into a file; pipes go on."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def start(*arguments, is_disk_full=False, **environment):
    process = subprocess.Popen(
        [*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env=os.environ | environment, preexec_fn=full_disk if is_disk_full else None)
    atexit.register(process.kill)  # whatever fails; one that has ended and was waited for is left alone
    return process


def end(process, within=60):
    try:
        output, _ = process.communicate(timeout=within)
    except subprocess.TimeoutExpired:
        process.kill()
        raise SystemExit(f"not over within {within} s: {process.communicate()[0]}")
    return process.returncode, output


def journal():
    if not os.path.exists(JOURNAL):
        return []
    with open(JOURNAL) as file:
        return [json.loads(line) for line in file if line.endswith("\n")]


def wait_for(what, is_so, within=30):
    over = time.monotonic() + within
    while not is_so():
        if time.monotonic() > over:
            raise SystemExit(f"not within {within} s: {what}; the journal has {journal()}")
        time.sleep(0.05)


def expect(is_so, what, *found):
    if not is_so:
        raise SystemExit(f"{what}: {' '.join(map(str, found))}")


class Consumer:
    """A consumer sees a campaign through: its queue is bound first, no repeat counts, nothing is lost in a failure."""

    def __init__(self):
        import pika

        self.pika = pika
        self.queue = f"answers.fanfare-producer.{NAME}"
        with open(os.environ["ADMIN_URL_FILE"]) as file:
            self.events = pika.BlockingConnection(pika.URLParameters(file.read().strip())).channel()
        self.answers = pika.BlockingConnection(pika.URLParameters(os.environ["FANFARE_AMQP_URL"])).channel()

    def job(self, id, app="news", hold=False, **others):
        path = os.path.join(FOLDER, id + ".json")
        devices = [{"token": f"{NAME}{place}".encode().hex().ljust(64, "0")} for place in range(3)]
        job = {"id": id, "app": app, "audience": {"devices": devices}, "content": {"title": "Hello"},
               "delivery": {"hold": hold}} | others
        with open(path, "w") as file:
            json.dump(job, file)
        return path

    def fanfare(self, *arguments):
        environment = {name: value for name, value in os.environ.items() if name != "FANFARE_AMQP_URL"}
        return subprocess.run(
            [os.environ["FANFARE"], *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env=environment | {"FANFARE_AMQP_URL_FILE": os.environ["ADMIN_URL_FILE"]})

    def tell(self, event):
        self.events.basic_publish("fanfare.events", "news." + event["type"], json.dumps(event),
                                  self.pika.BasicProperties(content_type="application/cloudevents+json"))

    def waiting(self):
        return self.answers.queue_declare(self.queue, passive=True).method.message_count

    def run(self):
        # A queue that its user may not make: then nothing is published either.
        code, output = end(start(self.job(f"unbound-{NAME}"), JOURNAL, FANFARE_QUEUE="elsewhere"))
        expect(code != 0, "it went on without a queue", output)
        time.sleep(1)
        status = self.fanfare("campaign", "status", f"unbound-{NAME}")
        expect("has no campaign" in status.stdout, "it published before its queue was bound", status.stdout)

        # What cannot be written down is not acknowledged.
        held = self.job(f"held-{NAME}", hold=True)
        code, output = end(start(held, JOURNAL, is_disk_full=True, FANFARE_QUEUE=self.queue))
        expect(code != 0, "it went on with a full disk", output)
        expect(journal() == [], "the disk was not full", journal())
        wait_for("the verdict is back in the queue", lambda: self.waiting() >= 1)

        # The second run hears the first verdict, and its own job's: a repeat. Half a line of a crash is no event.
        with open(JOURNAL, "w") as file:
            file.write('{"specversion": "1.0", "id": "ha')
        consumer = start(held, JOURNAL, FANFARE_QUEUE=self.queue)
        wait_for("the verdict is written down", lambda: len(journal()) >= 1)
        verdict = journal()[0]
        stranger = verdict | {"source": "/fanfare/apps/stranger"}
        end_of_stranger = stranger | {"type": "campaign.completed", "id": f"held-{NAME}/campaign.completed/0"}
        for event in (verdict, stranger, end_of_stranger, verdict, stranger):
            self.tell(event)
        wait_for("both apps' events are written down", lambda: len(journal()) >= 3)
        expect(consumer.poll() is None, "another app's end was taken for the campaign's", journal())
        fired = self.fanfare("campaign", "fire", f"held-{NAME}")
        expect(fired.returncode == 0, "fire", fired.stdout)
        code, output = end(consumer)
        expect(code == 0 and "accepted=3" in output, "the outcome was missed", code, output)
        keys = [(event["source"], event["id"]) for event in journal()]
        expect(len(keys) == len(set(keys)), "a repeat was counted twice", keys)
        expect(stranger in journal() and end_of_stranger in journal(), "what is alike by id alone was dropped", keys)
        expect(self.waiting() == 0, "not everything was acknowledged", self.waiting())

        # The journal knows how it ended: nothing is published, nothing is waited for.
        code, output = end(start(held, JOURNAL, FANFARE_AMQP_URL="amqp://127.0.0.1:1"), within=20)
        expect(code == 0 and "accepted=3" in output, "the journal was not read", code, output)

        # A job that comes again after its end, to a queue that was not told of it.
        code, output = end(start(held, JOURNAL + "-new", FANFARE_QUEUE=self.queue + ".new"))
        expect(code == 0 and "it was completed before" in output, "the known end was missed", code, output)

        code, output = end(start(self.job(f"refused-{NAME}", content={}), JOURNAL, FANFARE_QUEUE=self.queue))
        expect(code == 1 and "refused: " in output, "a refusal was missed", code, output)


class Receiver:
    """A receiver takes what is signed, once, and nothing else."""

    def __init__(self):
        self.secrets = [os.urandom(32), os.urandom(32)]
        self.secrets_file = os.path.join(FOLDER, "secrets")
        with open(self.secrets_file, "w") as file:
            file.writelines(f"whsec_{base64.b64encode(secret).decode()}\n" for secret in self.secrets)
        self.port = int(os.environ["RECEIVER_PORT"])

    def start(self, **options):
        process = start(self.secrets_file, JOURNAL, str(self.port), **options)
        wait_for("it listens", self.answers)
        return process

    def answers(self):
        try:
            http.client.HTTPConnection("127.0.0.1", self.port, timeout=1).connect()
            return True
        except OSError:
            return False

    def signature(self, secret, id, at, body):
        return "v1," + base64.b64encode(hmac.digest(secret, f"{id}.{at}.".encode() + body, "sha256")).decode()

    def post(self, id, body, at=None, sent=None, signatures=None, without=()):
        """Posts a body under an id, signed with the first secret unless another is given; None without an answer."""
        at = int(time.time()) if at is None else at
        if signatures is None:
            signatures = self.signature(self.secrets[0], id, at, body)
        fields = {"webhook-id": id, "webhook-timestamp": str(at), "webhook-signature": signatures,
                  "content-type": "application/cloudevents+json"}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        began = time.monotonic()
        try:
            connection.request("POST", "/fanfare", sent or body, {n: v for n, v in fields.items() if n not in without})
            status = connection.getresponse().status
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()
        expect(time.monotonic() - began < 5, "the sender waits ten seconds for an answer; it took five")
        return status

    def run(self):
        body = json.dumps({"specversion": "1.0", "id": "a/campaign.completed/0", "type": "campaign.completed"}).encode()
        now = int(time.time())
        right = lambda id, at=now: self.signature(self.secrets[0], id, at, body)
        receiver = self.start()
        refused = {
            "another's secret": self.post("evt_1", body, signatures=self.signature(os.urandom(32), "evt_1", now, body)),
            "an empty secret": self.post("evt_1", body, signatures=self.signature(b"", "evt_1", now, body)),
            "another body": self.post("evt_1", body, sent=body.replace(b"completed", b"cancelled")),
            "another id": self.post("evt_1", body, at=now, signatures=right("evt_2")),
            "another time": self.post("evt_1", body, at=now, signatures=right("evt_1", now - 1)),
            "a time six minutes ago": self.post("evt_1", body, at=now - 360),
            "a time in six minutes": self.post("evt_1", body, at=now + 360),
            "a time that is none": self.post("evt_1", body, at="soon"),
            "another scheme": self.post("evt_1", body, at=now, signatures=right("evt_1").replace("v1,", "v1a,")),
            "no scheme": self.post("evt_1", body, at=now, signatures=right("evt_1").removeprefix("v1,")),
            "half a signature": self.post("evt_1", body, at=now, signatures=right("evt_1")[:20]),
            "nothing after the scheme": self.post("evt_1", body, signatures="v1,"),
            "no base64": self.post("evt_1", body, signatures="v1,ü%%".encode().decode("latin-1")),
            **{f"no {name}": self.post("evt_1", body, without=[name])
               for name in ("webhook-id", "webhook-timestamp", "webhook-signature")},
        }
        for what, status in refused.items():
            expect(status == 401, f"{what} was not refused", status)
        expect(self.post("evt_1", b'"' + b" " * (2 << 20) + b'"') in (413, None), "two MiB were taken")
        expect(journal() == [], "what was refused was written down", journal())

        other, second = (self.signature(secret, "evt_1", now, body) for secret in (os.urandom(32), self.secrets[1]))
        taken = [self.post("evt_1", body), self.post("evt_2", body, at=now - 240), self.post("evt_1", body),
                 self.post("evt_1", body, at=now, signatures=f"{other} {second}")]
        expect(taken == [204] * 4, "what is signed was refused", taken)
        receiver.kill()
        end(receiver)

        # A crash in the middle of a line; its event and one from before the crash come again.
        with open(JOURNAL, "a") as file:
            file.write('{"webhook_id": "evt_3", "ev')
        receiver = self.start()
        taken = [self.post("evt_2", body), self.post("evt_3", body), self.post("evt_3", body)]
        expect(taken == [204] * 3, "what is signed was refused after a crash", taken)
        ids = [line["webhook_id"] for line in journal()]
        expect(ids == ["evt_1", "evt_2", "evt_3"], "not each event once", ids)
        expect(all(line["event"] == json.loads(body) for line in journal()), "not the event", journal())
        receiver.kill()
        end(receiver)

        # What cannot be written down is not answered with yes.
        receiver = self.start(is_disk_full=True)
        status = self.post("evt_4", body)
        expect(status is None or status >= 500, "it said yes with a full disk", status)
        receiver.send_signal(signal.SIGKILL)
        end(receiver)
        expect(len(journal()) == 3, "the disk was not full", journal())


{"consumer": Consumer, "receiver": Receiver}[KIND]().run()
