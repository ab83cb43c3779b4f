# The consumers and webhook receivers of each language on the broker and the simulator of 70-running.sh, with a worker of
# their own that posts to the receivers. Sourced by check.sh.
# shellcheck shell=bash disable=SC2154 # what is not set here is 70-running.sh's

examples=$fleet/examples
mkdir -p "$examples"

builds_go() (
    for example in consumer webhook; do
        GOPATH=/usr/share/gocode GO111MODULE=off GOCACHE=$PWD/.build/go GOFLAGS=-mod=mod \
            go build -o "$examples/$example-go" "Deploy/examples/$example.go"
    done
)

# in_language consumer|webhook LANGUAGE: sets `command`.
in_language() {
    case $2 in
        python) command=("$PRODUCER_PYTHON" "Deploy/examples/$1.py") ;;
        go) command=("$examples/$1-go") ;;
        node) command=(node "$node/$1.mjs") ;;
    esac
}

stands() (
    FANFARE=$fanfare EXAMPLES_FOLDER=$examples ADMIN_URL_FILE=$fleet/admin.url RECEIVER_PORT=$(free_port) \
        FANFARE_AMQP_URL=$(cat "$fleet/producer.url") FANFARE_STORE_URL=sqlite:$examples/fanfare.db \
        FANFARE_APPS_FILE=$fleet/state/apps-webhooks.yaml "$PRODUCER_PYTHON" Deploy/check/examples.py "$@"
)

free_port() (. Deploy/lib/rabbitmq-node.sh && free_port)

# The simulator's app with a webhook for each language. Relative names in apps.yaml are those of its folder.
writes_webhooks() (
    cd "$fleet/state" || exit
    for place in 0 1 2; do
        printf 'whsec_%s\n' "$(openssl rand -base64 32)" >"${languages[place]}.secret"
        printf '      - {url: "http://127.0.0.1:%s/fanfare", secret_file: %s.secret}\n' \
            "${ports[place]}" "${languages[place]}"
    done >webhooks
    { printf 'apps:\n  news:\n    webhooks:\n' && cat webhooks && sed 1,2d apps.yaml; } >apps-webhooks.yaml
    FANFARE_EVENTS_WEBHOOK_HOSTS=$hosts "$fanfare" app check --offline --apps apps-webhooks.yaml
)

# The receiver has what a worker posted: the three events of the campaigns of each consumer, once.
has_been_told() (
    journal=$examples/$1.journal
    told() {
        python - "$journal" <<'PYTHON'
import json, sys

with open(sys.argv[1]) as file:
    lines = [json.loads(line) for line in file]
ids = [line["webhook_id"] for line in lines]
kinds = {(line["event"].get("subject"), line["event"]["type"]) for line in lines}
wanted = {(f"held-{language}", f"campaign.{kind}")
          for language in ("python", "go", "node") for kind in ("accepted", "started", "completed")}
assert len(ids) == len(set(ids)), "a repeat was counted twice"
assert wanted <= kinds, f"missing: {wanted - kinds}"
PYTHON
    }
    waits_for told || { told; exit 1; }
)

check "examples in Go are built" builds_go
languages=(python go node)
ports=("$(free_port)" "$(free_port)" "$(free_port)")
hosts=$(printf '127.0.0.1:%s,' "${ports[@]}" | sed 's/,$//')
check "webhooks in apps.yaml" writes_webhooks
for place in 0 1 2; do
    language=${languages[place]}
    in_language webhook "$language"
    "${command[@]}" "$fleet/state/$language.secret" "$examples/$language.journal" "${ports[place]}" \
        >"$examples/$language.log" 2>&1 &
    children+=($!)
done
FANFARE_AMQP_URL_FILE=$fleet/worker.url FANFARE_STORE_URL=sqlite:$examples/fanfare.db \
    FANFARE_APPS_FILE=$fleet/state/apps-webhooks.yaml FANFARE_WORKER_LISTEN=$listen \
    FANFARE_EVENTS_WEBHOOK_HOSTS=$hosts \
    "$fanfare" worker >"$fleet/worker.log" 2>&1 &
worker=$!
children+=("$worker")
check "a worker with webhooks is ready" starts_up
for language in "${languages[@]}"; do
    in_language consumer "$language"
    check "a consumer in $language" stands consumer "$language" "${command[@]}"
done
for language in "${languages[@]}"; do
    in_language webhook "$language"
    check "a webhook receiver in $language" stands receiver "$language" "${command[@]}"
    check "a worker's events at the receiver in $language" has_been_told "$language"
done
# The next worker on this broker has another ledger.
check "the worker with webhooks drains" drains
check "the events that they wrote down, against AsyncAPI" \
    python Deploy/check/asyncapi.py Deploy/schema/asyncapi.json "$examples"/*.journal
