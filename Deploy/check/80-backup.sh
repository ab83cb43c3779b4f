# Backups of either ledger: made, rotated, and restored by another process than the one that wrote them. Sourced by
# check.sh, behind 70-running.sh, whose folder and program it uses.
# shellcheck shell=bash disable=SC1091,SC2154

# ledger_with_a_list URL_FILE: a server makes the ledger, and a command puts a list of two devices there.
ledger_with_a_list() {
    local port server
    port=$(. Deploy/lib/rabbitmq-node.sh && free_port)
    FANFARE_STORE_URL_FILE=$1 FANFARE_SERVER_LISTEN=127.0.0.1:$port "$fanfare" server >"$fleet/ledger.log" 2>&1 &
    server=$!
    waits_for curl -sf -o "$fleet/probe" "http://127.0.0.1:$port/livez" || { cat "$fleet/ledger.log"; return 1; }
    printf 'token,provider\n%064d,apns\n%064d,apns\n' 1 2 >"$fleet/devices.csv"
    FANFARE_STORE_URL_FILE=$1 "$fanfare" list put kept "$fleet/devices.csv" --app news
    kill "$server"
    wait "$server" || true
}

backup() { FANFARE=$fanfare FANFARE_STORE_URL_FILE=$url BACKUP_TRIAL_URL_FILE=${trial-} BACKUP_METRICS_FILE=$folder.prom Deploy/lib/backup.sh "$@"; }

# is_kept KIND: three backups, of which two stay; the newest restores, is as it was, and its time is told.
is_kept() {
    local newest before told
    for _ in 1 2 3; do
        backup make "$folder" 2
        sleep 1.1
    done
    [ "$(find "$folder" -name "fanfare-*.$1" | wc -l)" = 2 ]
    newest=$(find "$folder" -name "fanfare-*.$1" | sort | tail -n 1)
    before=$(sha256sum "$newest")
    backup try "$folder" | tee "$fleet/tried"
    grep -q 'restores: 2 lines of lists' "$fleet/tried"
    [ "$(sha256sum "$newest")" = "$before" ]
    promtool check metrics <"$folder.prom"
    [ "$(stat -c %a "$folder.prom")" = 644 ]
    told=$(tail -n 1 "$folder.prom")
    [ "$told" = "fanfare_backup_success_timestamp_seconds $(stat -c %Y "$newest")" ]
    # One that is damaged is not called a backup that restores, and nothing is left lying about.
    truncate -s 4096 "$newest"
    ! backup try "$folder" || exit 1
    [ "$(tail -n 1 "$folder.prom")" = "$told" ]
    [ -z "$(find "$folder" -name '.work-*')" ]
}

file_is_backed_up() (
    folder=$fleet/backups-file url=$fleet/file.url
    printf 'sqlite:%s/kept.db\n' "$fleet" >"$url"
    ledger_with_a_list "$url"
    is_kept db
)

database_is_backed_up() (
    . Deploy/lib/postgresql-node.sh
    node=$fleet/database folder=$fleet/backups-database url=$fleet/database.url trial=$fleet/trial.url
    chmod 755 "$fleet"
    trap 'stop_database "$node" || true' EXIT
    port=$(free_port)
    start_database "$node" "$port"
    # A password that a URL has to spell and a file of passwords too.
    PGPASSWORD=$(cat "$node/password") psql -qX -h 127.0.0.1 -p "$port" -U fanfare postgres \
        -c "ALTER ROLE fanfare PASSWORD 'a:b\\c/d@e%'" -c 'CREATE DATABASE ledger' -c 'CREATE DATABASE trial'
    printf 'postgresql://fanfare:a%%3Ab%%5Cc%%2Fd%%40e%%25@127.0.0.1:%s/ledger\n' "$port" >"$url"
    ledger_with_a_list "$url"
    printf 'postgresql://fanfare:a%%3Ab%%5Cc%%2Fd%%40e%%25@127.0.0.1:%s/trial\n' "$port" >"$trial"
    is_kept dump
    # The ledger's own database is nobody's trial.
    cp "$url" "$trial"
    ! backup fill "$folder" || exit 1
)

check "backups of a ledger in a file" file_is_backed_up
check "backups of a ledger in PostgreSQL" database_is_backed_up
