#!/usr/bin/env bash
# One command on a fresh Debian 12 with a Swift toolchain: installs what is missing, builds, starts a private RabbitMQ
# node and runs `fanfare demo` on it; arguments go to the demo (--devices 1000, --keep, --json …). FANFARE_AMQP_URL
# names a broker that is there instead. Besides packages nothing outside .build and a temporary folder is touched.
set -euo pipefail
cd "$(dirname "$0")/.."
. Deploy/lib/private-run.sh

build_release
provide_broker "${TMPDIR:-/tmp}/fanfare-node-$$"
status=0
run_to_its_end "$fanfare" demo "$@" || status=$?
exit "$status"
