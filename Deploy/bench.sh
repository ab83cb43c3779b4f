#!/usr/bin/env bash
# One command on a fresh Debian 12 with a Swift toolchain: installs what is missing, builds, starts a private RabbitMQ
# node, runs `fanfare bench --transport` and `fanfare bench`, and writes a Markdown table with machine and versions to
# standard output. Arguments go to both (--pairs 3); DEVICES and REQUESTS set the sizes. FANFARE_AMQP_URL names a
# broker that is there instead. Besides packages nothing outside .build and a temporary folder is touched.
set -euo pipefail
cd "$(dirname "$0")/.."
. Deploy/lib/install.sh
. Deploy/lib/rabbitmq-node.sh

# What is told on the way goes to standard error, so that standard output is the table alone.
tell() {
    step "$1" >&2
}

require_swift
install_packages >&2

tell "building (release)"
swift build -c release --explicit-target-dependency-import-check error --product fanfare </dev/null >&2 \
    || fail "the build failed"
fanfare=$(swift build -c release --show-bin-path </dev/null)/fanfare

folder=$(mktemp -d "${TMPDIR:-/tmp}/fanfare-bench-XXXXXX")
node=
bench=
# shellcheck disable=SC2317,SC2329 # called by the trap
stop() {
    local status=$?
    trap '' INT TERM
    if [ -n "$bench" ]; then
        kill "$bench" 2>/dev/null || true
        wait "$bench" 2>/dev/null || true
    fi
    if [ -n "$node" ]; then
        tell "stopping the RabbitMQ node"
        (stop_node "$node") >&2 || true
    fi
    if [ "$status" = 0 ]; then rm -rf "$folder"; else tell "logs are in $folder"; fi
    exit "$status"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Runs the bench in the background, so that a signal to this script is handled at once.
run_bench() {
    local into=$1 status=0
    shift
    "$fanfare" bench --json "$@" >"$into" &
    bench=$!
    wait "$bench" || status=$?
    bench=
    [ "$status" = 0 ] || exit "$status"
}

tell "measuring the transport"
run_bench "$folder/transport.json" --transport --requests "${REQUESTS:-1000000}" "$@"

broker=$(dpkg-query -W -f='${Version}' rabbitmq-server 2>/dev/null || true)
if [ -z "${FANFARE_AMQP_URL:-}${FANFARE_AMQP_URL_FILE:-}" ]; then
    node=$folder/node
    tell "starting a private RabbitMQ node in $node"
    # In a shell of its own: it sets variables of the node, HOME among them. Into a file: the node keeps a pipe open.
    # The sender has the last core for itself.
    (
        cores=$(nproc)
        if [ "$cores" -gt 1 ]; then taskset -pc "0-$((cores - 2))" "$BASHPID" >&2 || true; fi
        start_node "$node"
    ) >"$folder/urls" || fail "RabbitMQ did not start; its logs are in $node/log" 69
    { read -r FANFARE_AMQP_URL && read -r FANFARE_AMQP_MANAGEMENT_URL; } <"$folder/urls"
    export FANFARE_AMQP_URL FANFARE_AMQP_MANAGEMENT_URL
fi

tell "measuring a whole worker"
run_bench "$folder/sending.json" --devices "${DEVICES:-2000000}" "$@"

python3 - "$folder" <<'PYTHON'
import json, sys
rows = [("transport alone", "transport.json"), ("worker with all roles", "sending.json")]
print("| | µs of CPU a push | h2load | ratio | target | h2load, 500 paths | pushes/s | h2load/s | resident peak |")
print("|---|---|---|---|---|---|---|---|---|")
for name, file in rows:
    report = json.load(open(f"{sys.argv[1]}/{file}"))
    median, peak = report["median"], report.get("resident_peak_kib")
    cells = [f'{median[key]:.2f}' for key in ("cpu_us", "h2load_cpu_us", "ratio")] + [f'{report["target"]:.2f}']
    cells += [f'{median["h2load_500_paths_cpu_us"]:.2f}', f'{median["rate"]:,.0f}', f'{median["h2load_rate"]:,.0f}']
    print(f'| {name} | ' + " | ".join(cells) + f' | {"" if peak is None else f"{peak // 1024} MB"} |')
PYTHON
model=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
memory=$(($(sed -n 's/^MemTotal: *\([0-9]*\).*/\1/p' /proc/meminfo) / 1024))
system=$(. /etc/os-release && printf '%s' "$PRETTY_NAME")
printf '\nMedians. %s × %s, %s MB; %s, Linux %s; %s; h2load %s, RabbitMQ %s, OpenSSL %s, commit %s.\n' \
    "$(nproc)" "${model:-unknown processor}" "$memory" "$system" "$(uname -r)" \
    "$(swift --version 2>/dev/null | sed -n 's/.*\(Swift version [0-9.]*\).*/\1/p' | head -n 1)" \
    "$(h2load --version | sed 's/.*\///')" "${broker:-of FANFARE_AMQP_URL}" "$(openssl version | cut -d' ' -f2)" \
    "$(git rev-parse --short HEAD 2>/dev/null || echo unknown)"
