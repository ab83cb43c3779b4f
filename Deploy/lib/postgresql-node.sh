# shellcheck shell=bash disable=SC1091
# A private PostgreSQL server in its own folder, on its own port, on loopback only. It does not run as root: for root it
# is the user postgres of Debian's package.
#
#   . Deploy/lib/postgresql-node.sh
#   start_database DIR PORT      # prints the URL of its superuser fanfare, who needs the password in DIR/password
#   start_database DIR PORT ADDRESS NETWORK    # the same, and hosts of the network reach it at the address
#   stop_database DIR            # stops it, by pid
# shellcheck source=Deploy/lib/rabbitmq-node.sh
. Deploy/lib/rabbitmq-node.sh

as_its_user() {
    if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi
}

start_database() {
    local dir=$1 port=$2 address=${3:-} network=${4:-} programs waited=0
    programs=$(find /usr/lib/postgresql -maxdepth 2 -name bin | sort -V | tail -n 1)
    mkdir -p "$dir"
    openssl rand -hex 16 >"$dir/password"
    [ "$(id -u)" != 0 ] || chown -R postgres "$dir"
    (
        cd "$dir" || exit 1
        as_its_user "$programs/initdb" --pgdata="$dir/data" --username=fanfare --pwfile="$dir/password" \
            --auth=scram-sha-256 --encoding=UTF8 --no-sync >"$dir/start" 2>&1
        [ -z "$network" ] || echo "host all all $network scram-sha-256" >>"$dir/data/pg_hba.conf"
        as_its_user "$programs/postgres" -D "$dir/data" -p "$port" -c fsync=off -c unix_socket_directories='' \
            -c listen_addresses="127.0.0.1${address:+,$address}" </dev/null >>"$dir/start" 2>&1 &
    )
    while ! answers_on "$port"; do
        waited=$((waited + 1))
        [ $waited -le 300 ] || { cat "$dir/start" >&2; return 1; }
        sleep 0.1
    done
    printf 'postgresql://fanfare@127.0.0.1:%s/postgres\n' "$port"
}

stop_database() {
    [ ! -f "$1/data/postmaster.pid" ] || head -n 1 "$1/data/postmaster.pid" >"$1/pid"
    stop_pid_file "$1/pid"
}
