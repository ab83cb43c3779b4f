#!/usr/bin/env python3
"""Publishes a job and waits for its verdict and its outcome: consumer.py JOB.json JOURNAL. Needs pika.

The broker is named by FANFARE_AMQP_URL, the queue by FANFARE_QUEUE. JOURNAL gets every event of the job's app, one a
line; a second run with the same journal goes on where the first one ended. Exits with 0 when the campaign is completed.
"""
import json, os, sys, pika


class Journal:
    """A file of events. A line that a crash cut short is removed: its event was not acknowledged and comes again."""

    def __init__(self, path):
        self.file = open(path, "a+b")
        self.file.seek(0)
        text = self.file.read()
        whole = text[: text.rfind(b"\n") + 1]
        self.file.truncate(len(whole))
        self.events = [json.loads(line) for line in whole.splitlines()]
        self.keys = {(event["source"], event["id"]) for event in self.events}

    def write(self, event):
        """Returns False for a repeat. Afterwards the event is on the disk."""
        key = (event["source"], event["id"])
        if key in self.keys:
            return False
        self.file.write(json.dumps(event).encode() + b"\n")
        self.file.flush()
        os.fsync(self.file.fileno())
        self.keys.add(key)
        return True


def exit_code(event):
    """Tells an event of the campaign; returns the exit code when nothing more is to be waited for."""
    kind, data = event["type"], event["data"]
    if kind == "campaign.refused":
        for error in data["errors"]:
            print(f"refused: {error['pointer']}: {error['detail']}")
        return 1
    if kind == "campaign.accepted":
        print("accepted, expires at", data.get("expires_at"))
        # The job came again after the end of its campaign, of which this queue was not told.
        if data.get("repeat") and data["state"] in ("completed", "cancelled", "failed"):
            print("it was", data["state"], "before: fanfare campaign status", data["campaign"])
            return 0 if data["state"] == "completed" else 1
    if kind in ("campaign.completed", "campaign.cancelled"):
        counts = ("audience", "accepted", "invalid", "failed", "expired", "superseded", "cancelled", "skipped")
        print(kind.removeprefix("campaign."), *(f"{name}={data[name]}" for name in counts))
        return 0 if kind == "campaign.completed" else 1
    return None


def main():
    with open(sys.argv[1]) as file:
        job = json.load(file)
    journal = Journal(sys.argv[2])

    def is_ours(event):
        return event["source"] == "/fanfare/apps/" + job["app"] and event.get("subject") == job["id"]

    known = [event for event in journal.events if is_ours(event) and event["type"] != "campaign.refused"]
    for event in known:
        if (code := exit_code(event)) is not None:
            return code

    connection = pika.BlockingConnection(pika.URLParameters(os.environ["FANFARE_AMQP_URL"]))
    channel = connection.channel()
    queue = os.environ.get("FANFARE_QUEUE", "answers.fanfare-producer.example")
    # Bound before the job is published, so that no answer is missed; durable, so that none is lost while we are away.
    channel.queue_declare(queue, durable=True, arguments={"x-queue-type": "quorum"})
    channel.queue_bind(queue, "fanfare.events", job["app"] + ".campaign.*")
    if not known:
        channel.confirm_delivery()  # basic_publish returns when the broker has the job, and raises when nobody takes it
        channel.basic_publish(
            exchange="fanfare.campaigns", routing_key=job["app"], body=json.dumps(job), mandatory=True,
            properties=pika.BasicProperties(content_type="application/json", type="fanfare.campaign.v1",
                                            message_id=job["id"], delivery_mode=2))
        print("published", job["id"], flush=True)
    channel.basic_qos(prefetch_count=100)
    for delivery, _, body in channel.consume(queue):
        event = json.loads(body)
        is_new = journal.write(event)
        channel.basic_ack(delivery.delivery_tag)  # only now: what is not on the disk comes again
        code = exit_code(event) if is_new and is_ours(event) else None
        if code is not None:
            connection.close()
            return code


sys.exit(main())
