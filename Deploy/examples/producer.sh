#!/usr/bin/env bash
# Publishes a job: producer.sh JOB.json; the broker is named by FANFARE_AMQP_URL. Needs amqp-publish (Debian: amqp-tools).
#
# amqp-publish knows neither confirms nor mandatory, and exits with 0 for a job that nobody takes. Where that matters use
# `fanfare campaign send`, which waits for both and for the verdict, or ask `fanfare campaign status ID` afterwards.
set -euo pipefail
read -r app id < <(python3 -c 'import json, sys; job = json.load(open(sys.argv[1])); print(job["app"], job["id"])' "$1")
amqp-publish --url "$FANFARE_AMQP_URL" --exchange fanfare.campaigns --routing-key "$app" \
    --persistent --content-type application/json <"$1"
echo "published $id"
