# shellcheck shell=bash disable=SC1091
# What demo.sh and bench.sh share: installs what is missing, builds a release, runs a private RabbitMQ node and one
# command in the background, and ends both whatever happens. Sourced in the repository's folder.
. Deploy/lib/install.sh
. Deploy/lib/rabbitmq-node.sh

# The private node's folder; empty without one.
node=
# The command that runs in the background; empty without one.
running=

# What is told on the way goes to standard error, so that standard output is the command's alone.
tell() {
    step "$1" >&2
}

# Sets `fanfare` to the executable.
# shellcheck disable=SC2034 # for who sources this
build_release() {
    require_swift
    install_packages >&2
    tell "building (release)"
    swift build -c release --explicit-target-dependency-import-check error --product fanfare </dev/null >&2 \
        || fail "the build failed"
    fanfare=$(swift build -c release --show-bin-path </dev/null)/fanfare
}

# Exports the URLs of a broker: the one that is there (FANFARE_AMQP_URL), or a private node in a folder that is given,
# on the cores that are given (all without).
provide_broker() {
    local folder=$1 cores=${2:-}
    [ -z "${FANFARE_AMQP_URL:-}${FANFARE_AMQP_URL_FILE:-}" ] || return 0
    node=$folder
    mkdir -p "$node"
    tell "starting a private RabbitMQ node in $node"
    # In a shell of its own: it sets variables of the node, HOME among them. Into a file: the node keeps a pipe open.
    (
        [ -z "$cores" ] || taskset -pc "$cores" "$BASHPID" >&2 || true
        start_node "$node"
    ) >"$node/urls" || fail "RabbitMQ did not start; its logs are in $node/log" 69
    { read -r FANFARE_AMQP_URL && read -r FANFARE_AMQP_MANAGEMENT_URL; } <"$node/urls"
    export FANFARE_AMQP_URL FANFARE_AMQP_MANAGEMENT_URL
    tell "RabbitMQ at $FANFARE_AMQP_URL, its pages at $FANFARE_AMQP_MANAGEMENT_URL"
}

# Runs a command in the background and answers its exit code. It ends what it started by itself when it is told to, and
# says with which result; that is waited for.
run_to_its_end() {
    local status interrupted=no
    "$@" &
    running=$!
    trap 'interrupted=yes; kill "$running" 2>/dev/null || true' INT TERM
    while :; do
        status=0
        wait "$running" || status=$?
        [ "$interrupted" = yes ] || break
        interrupted=no
    done
    running=
    trap 'exit 130' INT
    trap 'exit 143' TERM
    return "$status"
}

# shellcheck disable=SC2317,SC2329 # called by the trap
end_private_run() {
    local status=$?
    trap '' INT TERM
    if [ -n "$running" ]; then
        kill "$running" 2>/dev/null || true
        wait "$running" 2>/dev/null || true
    fi
    if [ -n "$node" ]; then
        tell "stopping the RabbitMQ node"
        (stop_node "$node") >&2 || true
        if [ "$status" = 0 ]; then rm -rf "$node"; else tell "the node's logs are in $node/log"; fi
    fi
    exit "$status"
}
trap end_private_run EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
