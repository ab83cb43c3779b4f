#!/usr/bin/env bash
# Backs up either ledger, keeps the newest backups, and tries a restore. In packages it is /usr/lib/fanfare/backup.
#
#   backup.sh make FOLDER [KEEP]    a new backup in FOLDER; of those of this kind the newest KEEP stay (14)
#   backup.sh fill FOLDER           PostgreSQL: the newest backup into the trial database, with pg_restore
#   backup.sh try FOLDER            restores the newest backup elsewhere and reads it with this version of the program
#
# FANFARE_STORE_URL_FILE (or FANFARE_STORE_URL) names the ledger. A file is copied by `fanfare store backup`, a database
# by pg_dump, whose version is at least the server's. `try` restores a file into a folder of its own, and a database into
# the one that BACKUP_TRIAL_URL_FILE names (an empty one, which is overwritten each time); without that it says so and
# leaves the dump's table of contents as the only trial. Exit 1: no backup was made, or it does not restore.
#
# `try` writes when the backup that restored was made into BACKUP_METRICS_FILE, if that is set: a file that node_exporter's
# textfile collector reads (its name ends with .prom), for the alert BackupTooOld.
set -euo pipefail
umask 077

fail() {
    printf 'backup: %s\n' "$1" >&2
    exit 1
}

[ $# -ge 2 ] || { sed -n '4,6s/^# *//p' "$0" >&2; exit 64; }
order=$1 folder=$2 keep=${3-14}
[[ $keep =~ ^[1-9][0-9]*$ ]] || fail "KEEP is how many backups stay, one at least: $keep"
fanfare=${FANFARE:-fanfare}
mkdir -p "$folder"
# Beside the backups, where there is room for another one. What a kill left is of no use.
find "$folder" -maxdepth 1 -name '.work-*' -mmin +1440 -exec rm -rf {} +
scratch=$(mktemp -d "$folder/.work-XXXXXX")
trap 'rm -rf "$scratch"' EXIT

# The URL, as the program itself finds it.
ledger_url() {
    if [ -n "${FANFARE_STORE_URL_FILE-}" ]; then head -n 1 "$FANFARE_STORE_URL_FILE"; else printf '%s\n' "${FANFARE_STORE_URL-}"; fi
}

# Text of a URL without its percents.
decoded() {
    local text=${1//\\/\\\\}
    printf '%b' "${text//%/\\x}"
}

# Sets `database` to a URL without its password, which others of this host would see in a list of processes: libpq takes it
# from a file. Another machine proves its name, as it does to the program (Security.md).
take_database() {
    local scheme=${1%%://*} rest=${1#*://} authority parameters='' user password hosts
    [[ $rest != *[?\&]password=* ]] || fail "the URL's password stands before its @, not among the parameters"
    [[ $rest != *\?* ]] || parameters=${rest#*\?}
    authority=${rest%%\?*}
    authority=${authority%%/*}
    hosts=${authority##*@}
    database=$1
    if [[ $authority == *@* ]]; then
        user=${authority%@*}
        if [[ $user == *:* ]]; then
            password=$(decoded "${user#*:}")
            # A file of passwords has : and \ of its own.
            password=${password//\\/\\\\}
            printf '*:*:*:*:%s\n' "${password//:/\\:}" >"$scratch/password"
            export PGPASSFILE=$scratch/password
            database=$scheme://${user%%:*}@$hosts${rest#"$authority"}
        fi
    fi
    export PGAPPNAME=fanfare-backup PGCONNECT_TIMEOUT=30
    case "$hosts&$parameters" in
        *[?\&]sslmode=*) ;;
        '&'* | localhost[:\&]* | 127.*[:\&]* | '[::1]'[:\&]*) ;;
        *) export PGSSLMODE="${PGSSLMODE:-verify-full}" ;;
    esac
    [[ $parameters == *sslrootcert=* ]] || export PGSSLROOTCERT="${PGSSLROOTCERT:-/etc/ssl/certs/ca-certificates.crt}"
}

newest() {
    # The names are instants, so that their order is that of time.
    find "$folder" -maxdepth 1 -name "fanfare-*.$1" | sort | tail -n 1
}

url=$(ledger_url)
case $url in
    sqlite:*) kind=db ;;
    postgres://* | postgresql://*) kind=dump ;;
    *) fail "FANFARE_STORE_URL_FILE names no ledger: sqlite:PATH or postgresql://…" ;;
esac

make() {
    local file old
    file=$folder/fanfare-$(date -u +%Y-%m-%dT%H%M%SZ).$kind
    if [ "$kind" = db ]; then
        "$fanfare" store backup "$file"
    else
        [ ! -e "$file" ] || fail "$file exists"
        take_database "$url"
        # What was begun and not ended never has the name of a backup.
        pg_dump --format=custom --no-password --file="$scratch/dump" --dbname="$database"
        mv "$scratch/dump" "$file"
        printf '%s\n' "the ledger is backed up to $file ($(stat -c %s "$file") bytes)"
    fi
    sync "$file"
    # Only after a new one is there.
    find "$folder" -maxdepth 1 -name "fanfare-*.$kind" | sort | head -n "-$keep" | while read -r old; do
        rm "$old"
        printf '%s\n' "removed $old"
    done
}

fill() {
    local file trial
    file=$(newest dump)
    [ -n "$file" ] || fail "there is no backup in $folder"
    trial=$(head -n 1 "$BACKUP_TRIAL_URL_FILE")
    [ "${trial%%\?*}" != "${url%%\?*}" ] || fail "the trial's database is the ledger's own"
    take_database "$trial"
    pg_restore --clean --if-exists --single-transaction --no-owner --no-password --dbname="$database" "$file"
    printf '%s\n' "$file is restored into the trial's database"
}

try() {
    local file
    file=$(newest "$kind")
    [ -n "$file" ] || fail "there is no backup in $folder"
    if [ "$kind" = db ]; then
        url=sqlite:$scratch/fanfare.db
        restore=("$file")
    elif [ -n "${BACKUP_TRIAL_URL_FILE-}" ]; then
        fill
        url=$(head -n 1 "$BACKUP_TRIAL_URL_FILE")
        restore=(--in-place)
    else
        pg_restore --list "$file" >"$scratch/contents"
        grep -q 'TABLE DATA' "$scratch/contents" || fail "$file has no tables"
        printf '%s\n' "$file can be read; BACKUP_TRIAL_URL_FILE names no database to restore it into"
        return
    fi
    printf '%s\n' "$url" >"$scratch/url"
    unset FANFARE_STORE_URL
    export FANFARE_STORE_URL_FILE=$scratch/url
    "$fanfare" store restore "${restore[@]}" --yes
    # Read by the program, and not only by its database.
    "$fanfare" list ls >"$scratch/lists"
    "$fanfare" campaign list >"$scratch/campaigns"
    printf '%s\n' "$file restores: $(($(wc -l <"$scratch/lists"))) lines of lists, $(($(wc -l <"$scratch/campaigns"))) of campaigns"
}

# Whoever collects it sees the whole file or the one before it, and only files that end with .prom.
note_success() {
    local file=${BACKUP_METRICS_FILE-} made
    [ -n "$file" ] || return 0
    made=$(stat -c %Y "$(newest "$kind")")
    cat >"$scratch/metrics" <<METRICS
# HELP fanfare_backup_success_timestamp_seconds Time of the newest backup that was restored on trial.
# TYPE fanfare_backup_success_timestamp_seconds gauge
fanfare_backup_success_timestamp_seconds $made
METRICS
    install -m 644 "$scratch/metrics" "$file.new"
    mv "$file.new" "$file"
}

case $order in
    make | fill) "$order" ;;
    try)
        # One after the other, not with &&, in which a failure inside would be passed over.
        try
        note_success
        ;;
    *) fail "make, fill or try, not $order" ;;
esac
