#!/usr/bin/env python3
"""Publishes a job: producer.py JOB.json; the broker is named by FANFARE_AMQP_URL. Needs pika."""
import json, os, sys, pika

job = json.load(open(sys.argv[1]))
connection = pika.BlockingConnection(pika.URLParameters(os.environ["FANFARE_AMQP_URL"]))
channel = connection.channel()
channel.confirm_delivery()  # basic_publish returns when the broker has the job, and raises when nobody takes it
channel.basic_publish(
    exchange="fanfare.campaigns", routing_key=job["app"], body=json.dumps(job), mandatory=True,
    properties=pika.BasicProperties(content_type="application/json", type="fanfare.campaign.v1",
                                    message_id=job["id"], delivery_mode=2))
connection.close()
print("published", job["id"])
