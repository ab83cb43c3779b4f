# A client that openapi-python-client makes of the server's document plays the tour, on the broker of 70-running.sh with
# a simulator, a worker and a server of its own. Sourced by check.sh.
# shellcheck shell=bash disable=SC2154 # what is not set here is 70-running.sh's

tour=$fleet/tour
mkdir -p "$tour/simulator"

# Writes the client; a word of the generator about what it left out is a failure.
generates() (
    cd "$tour" || exit
    "$fanfare" schema openapi >openapi.json
    PATH=$generator/bin:$PATH openapi-python-client generate --fail-on-warning --path openapi.json --meta none \
        --output-path fanfare_client
)

# What runs a command of this installation; a function would have a shell between its pid and us.
of_tour=(env "FANFARE_STORE_URL=sqlite:$tour/fanfare.db" "FANFARE_APPS_FILE=$tour/simulator/apps.yaml"
    "FANFARE_SERVER_TOKENS_FILE=$tour/tokens.yaml")

is_serving() { curl -sf -o "$tour/probe" "$url/readyz"; }

serves() (
    waits_for is_serving || { cat "$tour/server.log"; exit 1; }
    curl -sSf -H "authorization: Bearer $(cat "$tour/token")" "$url/openapi.json" -o "$tour/served.json"
    python - "$tour/openapi.json" "$tour/served.json" <<'PYTHON'
import json, sys

printed, served = (json.load(open(path)) for path in sys.argv[1:])
assert printed == served, "the server's document is not the command's"
PYTHON
)

plays_the_tour() (
    cd "$tour" || exit
    FANFARE_TOKEN=$(cat token) PYTHONPATH=$tour "$generator/bin/python" "$checks/client.py" openapi.json "$url" \
        "$(sed -n 's/.*control at //p' simulator.log)" || { tail -n 5 server.log worker.log; exit 1; }
)

checks=$PWD/Deploy/check
url=http://127.0.0.1:$(free_port)
check "a client is generated whole" generates
"$fanfare" simulator --folder "$tour/simulator" --fault dead=0.02 --fault once_503=0.05 >"$tour/simulator.log" 2>&1 &
children+=($!)
waits_for test -s "$tour/simulator/apps.yaml"
"${of_tour[@]}" "$fanfare" server token create --name tour --role admin >"$tour/token" 2>"$tour/token.log"
FANFARE_AMQP_URL_FILE=$fleet/worker.url FANFARE_WORKER_LISTEN=127.0.0.1:$(free_port) \
    "${of_tour[@]}" "$fanfare" worker >"$tour/worker.log" 2>&1 &
children+=($!)
FANFARE_AMQP_URL_FILE=$fleet/server.url \
    "${of_tour[@]}" "$fanfare" server --listen "${url#http://}" >"$tour/server.log" 2>&1 &
children+=($!)
check "a server with the command's document" serves
printf 'no job' | amqp-publish --url "$(cat "$fleet/producer.url")" --exchange fanfare.campaigns --routing-key news
check "the generated client plays the tour" plays_the_tour
