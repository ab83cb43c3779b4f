#!/usr/bin/env bash
# One command on a fresh Debian 12 with a Swift toolchain: installs what is missing, builds, starts a private RabbitMQ
# node, runs `fanfare bench` on it, and writes the table of results with machine, versions and date to .build/bench.md
# and to standard output. Arguments go to the bench (sending, --scale 0.1, --pairs 3 …). FANFARE_AMQP_URL names a
# broker that is there instead. Besides packages nothing outside .build and a temporary folder is touched.
set -euo pipefail
cd "$(dirname "$0")/.."
. Deploy/lib/private-run.sh

build_release
table=$PWD/.build/bench.md
rm -f "$table"
# The sender has the last core for itself.
cores=$(nproc)
provide_broker "${TMPDIR:-/tmp}/fanfare-node-$$" "$([ "$cores" -lt 2 ] || printf '0-%s' $((cores - 2)))"
started=$SECONDS
status=0
run_to_its_end "$fanfare" bench --table "$table" "$@" >&2 || status=$?
# A scenario that could not be measured is a row that says so.
[ -f "$table" ] || exit "$status"

model=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
memory=$(($(sed -n 's/^MemTotal: *\([0-9]*\).*/\1/p' /proc/meminfo) / 1024))
system=$(. /etc/os-release && printf '%s' "$PRETTY_NAME")
broker=$(dpkg-query -W -f='${Version}' rabbitmq-server 2>/dev/null || true)
[ -n "$node" ] || broker="of FANFARE_AMQP_URL"
printf '\n%s, in %d min: %s × %s, %s MB; %s, Linux %s; %s; h2load %s, RabbitMQ %s, OpenSSL %s, commit %s.\n' \
    "$(date -u +%F)" $(((SECONDS - started + 59) / 60)) \
    "$cores" "${model:-unknown processor}" "$memory" "$system" "$(uname -r)" \
    "$(swift --version 2>/dev/null | sed -n 's/.*\(Swift version [0-9.]*\).*/\1/p' | head -n 1)" \
    "$(h2load --version | sed 's/.*\///')" "$broker" "$(openssl version | cut -d' ' -f2)" \
    "$(git rev-parse --short HEAD 2>/dev/null || echo unknown)" >>"$table"
cat "$table"
exit "$status"
