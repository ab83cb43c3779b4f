# shellcheck shell=bash disable=SC1091
# A private RabbitMQ node without root, in its own folder, on its own ports, on loopback only.
#
#   . Deploy/lib/rabbitmq-node.sh
#   start_node DIR        # starts a node (or starts it again after a stop) and prints its AMQP and management URLs
#   stop_node DIR         # stops the node and its epmd, by pid
#
# The package's own start is blocked in containers by policy-rc.d and wants root; this needs neither. Tests/Servers
# has the same settings for tests.

# Below the ports that Linux gives to outgoing connections, which would take a port from a node that is started again.
free_port() {
    python3 -c '
import random, socket
while True:
    port = random.randrange(10000, 32000)
    try:
        socket.socket().bind(("127.0.0.1", port))
    except OSError:
        continue
    print(port)
    break
'
}

answers_on() {
    (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# A process that ended but was not reaped still takes signals; only its command line is empty. Without a pid the path
# would be the kernel's own command line.
is_running() {
    [ -n "$1" ] && [ -n "$(tr -d '\0' 2>/dev/null <"/proc/$1/cmdline")" ]
} 2>/dev/null

# Writes DIR/env once, so that a restart keeps ports and data. A node of a cluster (rabbitmq-cluster.sh) is given the
# cluster's home, where the cookie is that all of its nodes share, and the port of their common epmd.
prepare_node() {
    local dir=$1 home=${2:-$1/home} epmd=${3:-}
    mkdir -p "$home" "$dir/log" "$dir/mnesia"
    [ -f "$dir/env" ] && return
    local amqp dist management
    amqp=$(free_port) dist=$(free_port) management=$(free_port)
    [ -n "$epmd" ] || epmd=$(free_port)
    cat >"$dir/rabbitmq.conf" <<CONF
listeners.tcp.1 = 127.0.0.1:$amqp
management.tcp.ip = 127.0.0.1
management.tcp.port = $management
log.console = false
log.file.level = warning
CONF
    echo '[rabbitmq_management].' >"$dir/enabled_plugins"
    cat >"$dir/env" <<ENV
AMQP_PORT=$amqp
MANAGEMENT_PORT=$management
export HOME=$home
export RABBITMQ_NODENAME=fanfare-$amqp@localhost
export RABBITMQ_NODE_PORT=$amqp
export RABBITMQ_DIST_PORT=$dist
export ERL_EPMD_PORT=$epmd
export ERL_EPMD_ADDRESS=127.0.0.1
export RABBITMQ_CONFIG_FILE=$dir/rabbitmq
export RABBITMQ_CONF_ENV_FILE=$dir/none
export RABBITMQ_ADVANCED_CONFIG_FILE=$dir/none
export RABBITMQ_ENABLED_PLUGINS_FILE=$dir/enabled_plugins
export RABBITMQ_MNESIA_BASE=$dir/mnesia
export RABBITMQ_LOG_BASE=$dir/log
export RABBITMQ_PID_FILE=$dir/node.pid
export RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS='-kernel inet_dist_use_interface {127,0,0,1}'
ENV
}

# Starts an epmd of our own in the foreground, so that its pid is known; a node would start one that outlives it.
start_epmd() {
    local dir=$1 port=$2
    answers_on "$port" && return
    ERL_EPMD_ADDRESS=127.0.0.1 epmd -port "$port" </dev/null >"$dir/log/epmd" 2>&1 &
    echo $! >"$dir/epmd.pid"
    # A node that finds none starts one of its own.
    while is_running "$(cat "$dir/epmd.pid")" && ! answers_on "$port"; do sleep 0.02; done
}

# Starts a prepared node without waiting for it.
launch_node() {
    local dir=$1
    (
        . "$dir/env"
        cd "$dir" || exit 1
        start_epmd "$dir" "$ERL_EPMD_PORT"
        rm -f "$dir/node.pid"
        exec /usr/lib/rabbitmq/bin/rabbitmq-server </dev/null >"$dir/log/start" 2>&1
    ) &
    echo $! >"$dir/server.pid"
}

start_node() {
    prepare_node "$1"
    launch_node "$1"
    await_node "$1"
}

await_node() {
    local dir=$1 waited=0
    . "$dir/env"
    while ! { answers_on "$AMQP_PORT" && answers_on "$MANAGEMENT_PORT"; }; do
        waited=$((waited + 1))
        if [ $waited -gt 600 ] || ! is_running "$(cat "$dir/server.pid")"; then
            echo "RabbitMQ did not start, see $dir/log" >&2
            return 1
        fi
        sleep 0.1
    done
    echo "amqp://guest:guest@127.0.0.1:$AMQP_PORT"
    echo "http://127.0.0.1:$MANAGEMENT_PORT"
}

stop_pid_file() {
    local file=$1 waited=0 pid
    [ -f "$file" ] || return 0
    pid=$(cat "$file")
    kill "$pid" 2>/dev/null
    while is_running "$pid" && [ $waited -lt 200 ]; do
        waited=$((waited + 1))
        sleep 0.1
    done
    kill -9 "$pid" 2>/dev/null
    rm -f "$file"
}

stop_node() {
    # rabbitmq-server waits for the Erlang machine, whose pid is in the node's own file, and ends with it.
    stop_pid_file "$1/node.pid"
    stop_pid_file "$1/server.pid"
    stop_pid_file "$1/epmd.pid"
}
