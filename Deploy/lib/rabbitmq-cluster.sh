# shellcheck shell=bash disable=SC1090,SC1091
# A private RabbitMQ cluster of three nodes on one machine, without root: DIR/1, DIR/2 and DIR/3 are nodes as
# rabbitmq-node.sh makes them, with one cookie (DIR/home) and one epmd (DIR/epmd.pid), on loopback only.
#
#   . Deploy/lib/rabbitmq-cluster.sh
#   start_cluster DIR            # starts all nodes (or starts them again) and prints amqp.url and the management URLs
#   stop_cluster DIR             # stops the nodes and their epmd, by pid
#   kill_node DIR/2              # kills one node (SIGKILL); start_node DIR/2 brings it back with its data
#   pause_node DIR/2             # lets a node hang (SIGSTOP), resume_node goes on
#   node_ctl DIR/2 COMMAND…      # rabbitmqctl against one node

. "$(dirname "${BASH_SOURCE[0]}")/rabbitmq-node.sh"

CLUSTER_NODES="1 2 3"

# The nodes find each other by their configuration when they start for the first time.
prepare_cluster() {
    local dir=$1 epmd node names=""
    [ -f "$dir/3/env" ] && return
    mkdir -p "$dir/home" "$dir/log"
    epmd=$(free_port)
    head -c 24 /dev/urandom | base64 | tr -dc 'A-Za-z0-9' >"$dir/home/.erlang.cookie"
    chmod 600 "$dir/home/.erlang.cookie"
    for node in $CLUSTER_NODES; do
        prepare_node "$dir/$node" "$dir/home" "$epmd"
        names="$names
cluster_formation.classic_config.nodes.$node = $(node_name "$dir/$node")"
    done
    for node in $CLUSTER_NODES; do
        cat >>"$dir/$node/rabbitmq.conf" <<CONF
cluster_formation.peer_discovery_backend = classic_config$names
cluster_partition_handling = pause_minority
CONF
    done
}

node_name() {
    (. "$1/env" && echo "$RABBITMQ_NODENAME")
}

node_ctl() {
    local dir=$1
    shift
    (. "$dir/env" && /usr/lib/rabbitmq/bin/rabbitmqctl "$@")
}

start_cluster() {
    local dir=$1 node hosts=""
    prepare_cluster "$dir"
    start_epmd "$dir" "$(. "$dir/1/env" && echo "$ERL_EPMD_PORT")"
    for node in $CLUSTER_NODES; do
        is_running "$(cat "$dir/$node/node.pid" 2>/dev/null)" || launch_node "$dir/$node"
    done
    for node in $CLUSTER_NODES; do
        await_node "$dir/$node" >/dev/null || return 1
        hosts="$hosts,127.0.0.1:$(. "$dir/$node/env" && echo "$AMQP_PORT")"
    done
    # A node that has just joined may not have started yet for the others.
    for node in $CLUSTER_NODES; do node_ctl "$dir/$node" await_online_nodes 3 >/dev/null || return 1; done
    echo "amqp://guest:guest@${hosts#,}"
    for node in $CLUSTER_NODES; do echo "http://127.0.0.1:$(. "$dir/$node/env" && echo "$MANAGEMENT_PORT")"; done
}

stop_cluster() {
    local dir=$1 node
    for node in $CLUSTER_NODES; do
        resume_node "$dir/$node"
        stop_node "$dir/$node"
    done
    stop_pid_file "$dir/epmd.pid"
}

signal_node() {
    [ -f "$2/node.pid" ] && kill "-$1" "$(cat "$2/node.pid")" 2>/dev/null
    return 0
}

kill_node() {
    signal_node KILL "$1"
    rm -f "$1/node.pid"
    stop_pid_file "$1/server.pid"
}

pause_node() { signal_node STOP "$1"; }

resume_node() { signal_node CONT "$1"; }
