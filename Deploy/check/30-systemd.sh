# Units: what systemd says of them, and how open it finds them. Sourced by check.sh.
# shellcheck shell=bash

# The units as they would stand, with the executable that is here. Messages of units that this machine lacks are no fault.
verify_units() (
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    cp -r Deploy/systemd/. "$folder"
    sed -i -E 's#^(Exec[A-Za-z]+=)/usr/(bin|lib)/fanfare[^ ]*#\1/bin/true#' "$folder"/*.service
    mv "$folder/fanfare-worker@.service" "$folder/fanfare-worker@10.service"
    said=$(SYSTEMD_LOG_LEVEL=warning systemd-analyze verify --man=no --recursive-errors=no "$folder"/*.{service,timer,slice} 2>&1) || {
        printf '%s\n' "$said"
        exit 1
    }
    printf '%s\n' "$said"
    # An option that this systemd does not know is a warning to it and a hole to us.
    ! grep -qE 'fanfare.*(Unknown|Failed to parse|ignoring|Invalid)' <<<"$said"
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
    for unit in Deploy/systemd/*.service; do
        check "the sandbox of ${unit##*/}" exposure "${unit##*/}"
    done
else
    skip "systemd units" "no systemd-analyze here"
fi
