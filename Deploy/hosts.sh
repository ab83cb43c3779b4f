#!/usr/bin/env bash
# Runs a fleet on hosts of its own, as root on one machine: broker, database, provider (our simulator) and four workers
# are network namespaces, with 1 ms one way between them and 60 ms to the provider and back (hosts/network.py).
#
#   Deploy/hosts.sh rounds [COUNT] [--postgresql]    50 rounds of faults of the network and of clocks, drawn by a seed
#   Deploy/hosts.sh measure [DEVICES] [--postgresql] rate, CPU, commits and messages of one worker and of four
#
# A line for each round, and their total. Results are kept in .build/hosts/DATABASE: a run that ended early goes on
# where it was, with its seed; FANFARE_SEED=n draws others. A round that failed leaves the workers' logs there. Besides
# packages and namespaces nothing outside .build and a temporary folder is touched. FANFARE_PROGRAM names an executable
# that is built already; without it a release is built.
set -euo pipefail
cd "$(dirname "$0")/.."
. Deploy/lib/install.sh
. Deploy/lib/rabbitmq-node.sh
. Deploy/lib/postgresql-node.sh

usage() {
    sed -n '5,6s/^#   //p' "$0" >&2
    exit 64
}

[ $# -gt 0 ] || usage
action=$1 database=sqlite count=
shift
for argument in "$@"; do
    case $argument in
        --postgresql) database=postgresql ;;
        *[!0-9]* | '') usage ;;
        *) count=$argument ;;
    esac
done
case $action in rounds | measure) ;; *) usage ;; esac
[ "$(id -u)" = 0 ] || fail "network namespaces need root" 77
[ -c /dev/net/tun ] || fail "there is no /dev/net/tun here" 69

install_debian_packages iproute2 "${fanfare_packages[@]}" >&2
program=${FANFARE_PROGRAM:-}
unset FANFARE_PROGRAM
if [ -z "$program" ]; then
    require_swift
    step "building (release)" >&2
    swift build -c release --explicit-target-dependency-import-check error --product fanfare </dev/null >&2 \
        || fail "the build failed"
    program=$(swift build -c release --show-bin-path </dev/null)/fanfare
fi
program=$(realpath "$program")
results=$PWD/.build/hosts/$database
mkdir -p "$results"

prefix=fan$$
folder=$(mktemp -d)
chmod 755 "$folder"
network=
playing=
# shellcheck disable=SC2317,SC2329 # called by the trap
end_hosts() {
    local status=$?
    trap '' INT TERM
    if [ -n "$playing" ]; then
        kill "$playing" 2>/dev/null || true
        wait "$playing" || true
    fi
    stop_node "$folder/broker" >&2 || true
    [ "$database" = sqlite ] || stop_database "$folder/database" >&2 || true
    if [ -n "$network" ]; then
        kill "$network" 2>/dev/null || true
        wait "$network" || true
    fi
    rm -rf "$folder"
    exit "$status"
}
trap end_hosts EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

step "making hosts" >&2
python3 Deploy/hosts/network.py "$folder" "$prefix" broker database provider operator worker1 worker2 worker3 worker4 &
network=$!
waited=0
while [ ! -e "$folder/ready" ]; do
    waited=$((waited + 1))
    [ $waited -le 200 ] || fail "the network did not start" 69
    sleep 0.1
done

# on HOST COMMAND…: runs it there. Only its own host reaches what listens on loopback.
on() {
    local host=$1
    shift
    ip netns exec "$prefix-$host" "$@"
}

# shellcheck disable=SC2317,SC2329 # called in another shell
start_broker() {
    prepare_node "$1"
    sed -i 's/^\(listeners.tcp.1 = \)127.0.0.1/\10.0.0.0/' "$1/rabbitmq.conf"
    # The user guest is let in from other hosts; a silent worker is noticed within ten seconds.
    printf 'loopback_users = none\nheartbeat = 5\n' >>"$1/rabbitmq.conf"
    start_node "$1"
}

# shellcheck disable=SC2317,SC2329 # called in another shell
start_ledger() {
    start_database "$1" 5432 "$2" 10.77.0.0/24
}
export -f start_broker start_ledger

step "starting RabbitMQ" >&2
# shellcheck disable=SC2016 # for the shell there
on broker bash -c '. Deploy/lib/rabbitmq-node.sh; start_broker "$1"' - "$folder/broker" >"$folder/urls" \
    || fail "RabbitMQ did not start" 69
{ read -r amqp && read -r management; } <"$folder/urls"
printf '%s\n' "${amqp/127.0.0.1/broker}" >"$folder/amqp.url"
printf '%s\n' "$management" >"$folder/management.url"
if [ "$database" = postgresql ]; then
    step "starting PostgreSQL" >&2
    # shellcheck disable=SC2016 # for the shell there
    on database bash -c '. Deploy/lib/postgresql-node.sh; start_ledger "$1" 10.77.0.2' - "$folder/database" \
        >"$folder/urls" || fail "PostgreSQL did not start" 69
    url=$(cat "$folder/urls") password=$(cat "$folder/database/password")
    url=${url/fanfare@127.0.0.1/fanfare:$password@database}
    printf '%s?sslmode=disable\n' "$url" >"$folder/store.url"
else
    # Its workers share a file, as those of one machine do; they reach broker and provider over the network.
    printf 'sqlite:%s/fanfare.db\n' "$folder" >"$folder/store.url"
fi
clang -O1 -shared -fPIC -o "$folder/clock.so" Deploy/hosts/clock.c

step "playing" >&2
# With the hosts' names, as everything has them there.
# shellcheck disable=SC2016 # for the host's shell
ip netns exec "$prefix-operator" sh -c 'mount --bind "$0" /etc/hosts && exec "$@"' "$folder/hosts" \
    python3 "Deploy/hosts/$action.py" "$folder" "$prefix" "$program" "$results" ${count:+"$count"} &
playing=$!
status=0
wait "$playing" || status=$?
playing=
exit "$status"
