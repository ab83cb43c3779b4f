# Runs named checks one after the other and remembers which failed. Sourced by check.sh.
# shellcheck shell=bash

failed_checks=()

# check NAME COMMAND…: one line with the result; what a failed command said stands below it. A command that ends with 77
# could not look at all: its last line says why.
check() {
    local name=$1 output status=0
    shift
    output=$(mktemp)
    # In the background, so that `set -e` holds within a function: in a condition it would not.
    ("$@") >"$output" 2>&1 &
    wait $! || status=$?
    if [ "$status" = 0 ]; then
        printf 'ok    %s\n' "$name"
    elif [ "$status" = 77 ]; then
        skip "$name" "$(tail -n 1 "$output")"
    else
        printf 'FAIL  %s\n' "$name"
        sed 's/^/      /' "$output"
        failed_checks+=("$name")
    fi
    rm -f "$output"
}

# skip NAME WHY: what was not looked at is said as well.
skip() {
    printf 'skip  %s: %s\n' "$1" "$2"
}

# Exits with 1 and the names of what failed.
end_of_checks() {
    [ "${#failed_checks[@]}" = 0 ] && return
    local IFS=,
    fail "failed:${failed_checks[*]/#/ }"
}
