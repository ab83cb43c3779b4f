#!/usr/bin/env bash
# One command on a fresh Debian 12 with a Swift toolchain: installs what is missing, builds, starts a private RabbitMQ
# node and runs `fanfare demo` on it; arguments go to the demo (--devices 1000, --keep, --json …). FANFARE_AMQP_URL
# names a broker that is there instead. Besides packages nothing outside .build and a temporary folder is touched.
set -euo pipefail
cd "$(dirname "$0")/.."
. Deploy/lib/install.sh
. Deploy/lib/rabbitmq-node.sh

# What is told on the way goes to standard error, so that standard output is the demo's alone (--json).
tell() {
    step "$1" >&2
}

require_swift
install_packages >&2

tell "building (release)"
swift build -c release --explicit-target-dependency-import-check error --product fanfare </dev/null >&2 \
    || fail "the build failed"
fanfare=$(swift build -c release --show-bin-path </dev/null)/fanfare

node=
# shellcheck disable=SC2317,SC2329 # called by the trap
stop() {
    local status=$?
    trap '' INT TERM
    if [ -n "$node" ]; then
        tell "stopping the RabbitMQ node"
        (stop_node "$node") >&2 || true
        if [ "$status" = 0 ]; then rm -rf "$node"; else tell "the node's logs are in $node/log"; fi
    fi
    exit "$status"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

if [ -z "${FANFARE_AMQP_URL:-}${FANFARE_AMQP_URL_FILE:-}" ]; then
    node=$(mktemp -d "${TMPDIR:-/tmp}/fanfare-node-XXXXXX")
    tell "starting a private RabbitMQ node in $node"
    # In a shell of its own: it sets variables of the node, HOME among them. Into a file: the node keeps a pipe open.
    (start_node "$node") >"$node/urls" || fail "RabbitMQ did not start; its logs are in $node/log" 69
    { read -r FANFARE_AMQP_URL && read -r FANFARE_AMQP_MANAGEMENT_URL; } <"$node/urls"
    export FANFARE_AMQP_URL FANFARE_AMQP_MANAGEMENT_URL
    tell "RabbitMQ at $FANFARE_AMQP_URL, its pages at $FANFARE_AMQP_MANAGEMENT_URL"
fi

"$fanfare" demo "$@" &
demo=$!
# It ends what it started by itself, and says with which result; that is waited for.
interrupted=no
trap 'interrupted=yes; kill "$demo" 2>/dev/null || true' INT TERM
while :; do
    status=0
    wait "$demo" || status=$?
    [ "$interrupted" = yes ] || break
    interrupted=no
done
exit "$status"
