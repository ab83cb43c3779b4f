# A private broker with the shipped definitions, and on it a simulator, a worker as the shipped user under the unit's
# restrictions, producers of each language, and a scrape. Sourced by check.sh.
# shellcheck shell=bash disable=SC1091

fleet=$(mktemp -d)
children=()
node=$fleet/examples-in-node

end_fleet() {
    local status=$? child
    trap - EXIT
    # A child that ends by the signal is waited for with a status that would end this, too.
    for child in "${children[@]}"; do
        kill "$child" 2>/dev/null || continue
        wait "$child" 2>/dev/null || true
    done
    [ ! -d "$fleet/node" ] || (. Deploy/lib/rabbitmq-node.sh && stop_node "$fleet/node") || true
    rm -rf "$fleet"
    exit "$status"
}
trap end_fleet EXIT

# As Security.md says: import, then a password for each user.
import_definitions() (
    { read -r amqp && read -r management; } <"$fleet/urls"
    curl -sSf -u guest:guest -H 'content-type: application/json' -d @Deploy/rabbitmq/definitions.json "$management/api/definitions"
    for user in admin edge producer server worker observer; do
        tags=$(curl -sSf -u guest:guest "$management/api/users/fanfare-$user" | python -c 'import json, sys; print(",".join(json.load(sys.stdin)["tags"]))')
        curl -sSf -u guest:guest -X PUT -H 'content-type: application/json' \
            -d "{\"password\": \"$secret\", \"tags\": \"$tags\"}" "$management/api/users/fanfare-$user"
        printf '%s\n' "${amqp/guest:guest/fanfare-$user:$secret}" >"$fleet/$user.url"
    done
    FANFARE_AMQP_URL_FILE=$fleet/admin.url FANFARE_AMQP_MANAGEMENT_URL=$management "$fanfare" topology diff
)

waits_for() {
    local waited=0
    until "$@" 2>/dev/null; do
        waited=$((waited + 1))
        [ "$waited" -lt 300 ] || { echo "not within 30 s: $*"; return 1; }
        sleep 0.1
    done
}

is_ready() { curl -sf -o "$fleet/probe" "http://$listen/readyz"; }

starts_up() (
    waits_for is_ready || { cat "$fleet/worker.log"; exit 1; }
    Deploy/lib/probe.sh "${listen#*:}" /livez
    Deploy/lib/probe.sh "${listen#*:}" /readyz
    ! Deploy/lib/probe.sh "${listen#*:}" /elsewhere
)

# produces NAME COMMAND…: the job that the command publishes is completed.
produces() (
    name=$1
    shift
    sed "s/\"hello-1\"/\"by-$name\"/" Deploy/examples/jobs/minimal.json >"$fleet/$name.json"
    FANFARE_AMQP_URL=$(cat "$fleet/producer.url") "$@" "$fleet/$name.json"
    # The broker has the job; the ledger has it when intake has judged it.
    waits_for commanding 10 campaign status "by-$name"
    commanding 60 campaign watch "by-$name" >"$fleet/$name.log" || { cat "$fleet/$name.log" "$fleet/worker.log"; exit 1; }
)

commanding() {
    FANFARE_AMQP_URL_FILE=$fleet/state/amqp-url FANFARE_STORE_URL=sqlite:$fleet/state/fanfare.db \
        FANFARE_APPS_FILE=$fleet/state/apps.yaml timeout "$1" "$fanfare" "${@:2}"
}

in_go() {
    GOPATH=/usr/share/gocode GO111MODULE=off GOCACHE=$PWD/.build/go GOFLAGS=-mod=mod go run Deploy/examples/producer.go "$@"
}

# A folder from which the examples in Node find amqplib: itself where somebody has installed it.
prepare_node_examples() {
    local amqplib=$PWD/.build/node/node_modules/amqplib
    if [ ! -d "$amqplib" ]; then
        skip "amqplib itself" "Debian has none; Deploy/check/amqplib plays it (npm install --prefix .build/node amqplib)"
        amqplib=$PWD/Deploy/check/amqplib
    fi
    mkdir -p "$node/node_modules"
    cp Deploy/examples/*.mjs "$node"
    ln -s "$amqplib" "$node/node_modules/amqplib"
}

scrape_is_sound() (
    curl -sSf "http://$listen/metrics" -o "$fleet/scrape"
    promtool check metrics <"$fleet/scrape"
)

names_are_told() { python Deploy/check/observing.py names "$fleet/scrape" "$fleet/server-scrape"; }

# API and edge as Kubernetes and systemd run them: processes of their own, each with its broker user, TLS, and probes and
# metrics beside the edge's own address; a scrape shows a viewer's token.
servers_are_apart() (
    . Deploy/lib/rabbitmq-node.sh
    cd "$fleet" || exit 1
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
        -addext subjectAltName=DNS:localhost -keyout tls.key -out tls.crt 2>/dev/null
    printf 'apps:\n  news:\n    apns: {topic: com.example.news, team_id: ABCDE12345, key_id: ABC123DEFG, key_file: nowhere.p8}\n' >edge-apps.yaml
    token=$(FANFARE_SERVER_TOKENS_FILE=$fleet/tokens "$fanfare" server token create --name scrape --role viewer --json \
        | python -c 'import json, sys; print(json.load(sys.stdin)["token"])')
    api=$(free_port) api_metrics=$(free_port) edge=$(free_port) metrics=$(free_port)
    export FANFARE_STORE_URL=sqlite:$fleet/state/fanfare.db FANFARE_SERVER_TOKENS_FILE=$fleet/tokens
    export FANFARE_SERVER_CERTIFICATE_FILE=$fleet/tls.crt FANFARE_SERVER_PRIVATE_KEY_FILE=$fleet/tls.key
    FANFARE_AMQP_URL_FILE=$fleet/server.url FANFARE_APPS_FILE=$fleet/state/apps.yaml FANFARE_SERVER_ROLES=api \
        FANFARE_SERVER_LISTEN=0.0.0.0:$api FANFARE_SERVER_METRICS_LISTEN=0.0.0.0:$api_metrics "$fanfare" server >api.log 2>&1 &
    running=($!)
    FANFARE_AMQP_URL_FILE=$fleet/edge.url FANFARE_APPS_FILE=$fleet/edge-apps.yaml FANFARE_SERVER_ROLES=edge \
        FANFARE_SERVER_LISTEN=0.0.0.0:$metrics FANFARE_SERVER_EDGE_LISTEN=0.0.0.0:$edge "$fanfare" server >edge.log 2>&1 &
    running+=($!)
    trap 'kill "${running[@]}"; wait "${running[@]}"' EXIT
    ask() { curl -sS --cacert tls.crt -o probe -w '%{http_code}' "${@:2}" "https://localhost:$1"; }
    is() { [ "$(ask "${@:2}")" = "$1" ]; }
    waits_for is 200 "$api/readyz" || { cat api.log; exit 1; }
    waits_for is 200 "$metrics/readyz" || { cat edge.log; exit 1; }
    is 200 "$edge/livez"
    for address in "$api" "$api_metrics" "$metrics"; do
        is 401 "$address/metrics"
        is 200 "$address/metrics" -H "Authorization: Bearer $token"
        promtool check metrics <probe
        cp probe server-scrape
    done
    is 200 "$api/v1/campaigns" -H "Authorization: Bearer $token"
    for address in "$edge/v1/campaigns" "$edge/metrics" "$metrics/v1/campaigns" "$api_metrics/v1/campaigns"; do
        is 404 "$address" -H "Authorization: Bearer $token" || { echo "$address is answered"; exit 1; }
    done
)

has_read_again() { [ "$(grep -c '^READY=1$' "$fleet/notices")" = 2 ]; }

# In the order of their first time: ready, fed, reading again, ready again.
notices() (
    grep -q '^WATCHDOG=1$' "$fleet/notices"
    kill -HUP "$worker"
    waits_for grep -q '^RELOADING=1$' "$fleet/notices"
    waits_for has_read_again || { cat "$fleet/notices"; exit 1; }
    ! grep -q 'not fed' "$fleet/notices"
)

drains() (
    kill -TERM "$worker"
    waits_for ended "$worker"
    grep -q 'worker has stopped' "$fleet/worker.log" || { tail -n 5 "$fleet/worker.log"; exit 1; }
    [ ! -f "$fleet/notices" ] || grep -q '^STOPPING=1$' "$fleet/notices"
)
ended() { ! kill -0 "$1"; }

fanfare=$(swift build --show-bin-path)/fanfare
[ -x "$fanfare" ] || swift build --explicit-target-dependency-import-check error --product fanfare
secret=$(openssl rand -hex 16)
(. Deploy/lib/rabbitmq-node.sh && start_node "$fleet/node") >"$fleet/urls"
mkdir "$fleet/state"
listen=127.0.0.1:$(. Deploy/lib/rabbitmq-node.sh && free_port)
check "RabbitMQ's definitions" import_definitions
"$fanfare" simulator --folder "$fleet/state" >"$fleet/simulator.log" 2>&1 &
children+=($!)
if bwrap --unshare-user --ro-bind / / true 2>/dev/null; then
    under=(/usr/bin/python3 Deploy/check/under_unit.py "Deploy/systemd/fanfare@.service" "$fleet/notices" "$fleet/state")
    what="a worker in the unit's sandbox"
else
    skip "the unit's sandbox around a worker" "bubblewrap may not make namespaces here"
    under=()
    what="a worker"
fi
waits_for test -s "$fleet/state/apps.yaml"
cp "$fleet/worker.url" "$fleet/state/amqp-url"
FANFARE_AMQP_URL_FILE=$fleet/state/amqp-url FANFARE_STORE_URL=sqlite:$fleet/state/fanfare.db \
    FANFARE_APPS_FILE=$fleet/state/apps.yaml FANFARE_WORKER_LISTEN=$listen FANFARE_LOG_FORMAT=json \
    "${under[@]}" "$fanfare" worker >"$fleet/worker.log" 2>&1 &
worker=$!
children+=("$worker")
check "$what is ready" starts_up
prepare_node_examples
check "a producer in Python" produces python "$PRODUCER_PYTHON" Deploy/examples/producer.py
check "a producer in Go" produces go in_go
check "a producer in shell" produces shell Deploy/examples/producer.sh
check "a producer in Node" produces node node "$node/producer.mjs"
# It is played against the edge by the tests (EndToEndTests/Android).
check "the Android client in Java" javac -encoding UTF-8 -Xlint:all -Werror -d "$fleet/java" Deploy/examples/android/*.java
check "a worker's metrics" scrape_is_sound
check "API and edge apart, each over TLS" servers_are_apart
check "every name that rules and dashboard ask for" names_are_told
[ "${#under[@]}" = 0 ] || check "a service manager hears of it" notices
check "$what drains" drains
