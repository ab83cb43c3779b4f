# Units: what systemd says of them, and how open it finds them. Sourced by check.sh.
# shellcheck shell=bash

# The units as they would stand, with the executable that is here. Messages of units that this machine lacks are no fault.
verify_units() (
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    cp -r Deploy/systemd/. "$folder"
    sed -i --follow-symlinks -E 's#^(Exec[A-Za-z]+=)/usr/(bin|lib)/fanfare[^ ]*#\1/bin/true#' "$folder"/*.service
    # A template is verified as an instance of it.
    units=("$folder"/*.{service,timer,slice})
    units=("${units[@]/@.service/@10.service}")
    said=$(SYSTEMD_LOG_LEVEL=warning systemd-analyze verify --man=no --recursive-errors=no "${units[@]}" 2>&1) || {
        printf '%s\n' "$said"
        exit 1
    }
    printf '%s\n' "$said"
    # An option that this systemd does not know is a warning to it and a hole to us.
    ! grep -qE 'fanfare.*(Unknown|Failed to parse|ignoring|Invalid)' <<<"$said"
)

# A worker by either name is one unit, with what all units are alike in.
worker_has_two_names() (
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    cp -r Deploy/systemd/. "$folder"
    for name in fanfare@10 fanfare-worker@10; do
        told=$(SYSTEMD_LOG_LEVEL=debug systemd-analyze verify --man=no --recursive-errors=no "$folder/$name.service" 2>&1 || true)
        for line in '-> Unit fanfare@10.service:' 'Alias: fanfare-worker@10.service' 'Description: Fanfare worker 10' \
            "DropIn Path: $folder/fanfare@.service.d/fanfare.conf"; do
            grep -qF -- "$line" <<<"$told" || { echo "$name: no $line"; exit 1; }
        done
    done
)

# systemd's own score, from 0 (closed) to 10: at most 2.0.
exposure() {
    local score
    score=$(systemd-analyze security --offline=yes --no-pager "Deploy/systemd/$1" \
        | sed -n 's/.*Overall exposure level for.*: \([0-9.]*\) .*/\1/p')
    echo "$1: $score"
    awk -v score="$score" 'BEGIN {exit !(score != "" && score + 0 <= 2.0)}'
}

if command -v systemd-analyze >/dev/null; then
    check "systemd units" verify_units
    check "fanfare@10 and fanfare-worker@10" worker_has_two_names
    for unit in Deploy/systemd/*.service; do
        [ ! -L "$unit" ] || continue
        check "the sandbox of ${unit##*/}" exposure "${unit##*/}"
    done
else
    skip "systemd units" "no systemd-analyze here"
fi
