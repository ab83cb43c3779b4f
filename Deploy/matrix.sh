#!/usr/bin/env bash
# Runs the end-to-end tests on other brokers and databases, and prints what passed as a table.
#
#   Deploy/matrix.sh                 runs the cells below that have not passed yet, one after another
#   Deploy/matrix.sh CELL…           runs these, whatever they did before; any BROKER+LEDGER is a cell
#   Deploy/matrix.sh --table         prints the results so far, as Markdown
#
# BROKER is rabbitmq3 (this Debian 12's) or rabbitmq4 (Debian 13's), alone, with -three (a cluster of three nodes) or,
# of rabbitmq4, with -strict (everything deprecated is refused). LEDGER is sqlite, postgresql15 or postgresql17, the
# latter two also with -standby (a synchronous one, which receives each commit before it is reported).
#
# Debian 13 is made by debootstrap in .build/matrix (FANFARE_MATRIX_FOLDER names another place), whose servers run by
# chroot: this needs root. The built tests are copied there, so that a later build disturbs nothing; FANFARE_BUILT=yes
# copies what is built, and builds nothing. A test that fails gets a second try, alone.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
. Deploy/lib/install.sh
. Deploy/lib/bare-debian.sh

folder=${FANFARE_MATRIX_FOLDER:-$PWD/.build/matrix}
debian13=$folder/debian13
built=$folder/built
results=$folder/results
mkdir -p "$results"

cells=(
    rabbitmq3+sqlite rabbitmq3-three+sqlite rabbitmq4+sqlite rabbitmq4-three+sqlite rabbitmq4-strict+sqlite
    rabbitmq3+postgresql15 rabbitmq3+postgresql15-standby rabbitmq4+postgresql17 rabbitmq4+postgresql17-standby
    rabbitmq3-three+postgresql17 rabbitmq4-three+postgresql17-standby
)

# The suites whose subject is the broker or the ledger: what is published, confirmed, redelivered, dead-lettered,
# parked, claimed, settled and failed over.
suites='Sending|Crash|BrokerFault|Parked|Malformed|Life|Rate|Hold|Operating|Doctor|Permission|Counting|Outage|Mixed'
suites+='|TakeOver|Collapse|KnownJob|PostgreSQL'
tests="^EndToEndTests\\..*/($suites)Tests\\.swift:|^TransportAMQPTests\\."

# version PACKAGE [ROOT]: a package's version as its authors number it.
version() {
    dpkg-query --admindir="${2-}/var/lib/dpkg" -W -f='${Version}' "$1" 2>/dev/null | sed -E 's/^[0-9]+://; s/[-+].*//'
}

# Sets what the tests' servers take from the environment.
choose() {
    local broker=${1%%+*} ledger=${1#*+}
    variables=()
    case $broker in
        rabbitmq4*) variables+=("FANFARE_TEST_RABBITMQ=$debian13") ;;
        rabbitmq3 | rabbitmq3-three) ;;
        *) fail "no broker $broker: see the first lines of $0" 64 ;;
    esac
    case $broker in
        *-three) variables+=(FANFARE_TEST_NODES=3) ;;
        rabbitmq4-strict) variables+=("FANFARE_TEST_RABBITMQ_SETTINGS=$PWD/Deploy/matrix/nothing-deprecated.conf") ;;
        rabbitmq3 | rabbitmq4) ;;
        *) fail "no broker $broker: see the first lines of $0" 64 ;;
    esac
    case $ledger in
        sqlite | postgresql15 | postgresql15-standby) ;;
        postgresql17 | postgresql17-standby) variables+=("FANFARE_TEST_POSTGRESQL=$debian13") ;;
        *) fail "no ledger $ledger: see the first lines of $0" 64 ;;
    esac
    case $ledger in
        *-standby) variables+=(FANFARE_TEST_LEDGER=standby) ;;
        postgresql*) variables+=(FANFARE_TEST_LEDGER=postgresql) ;;
    esac
}

# Debian 13 with a newer broker and database. Its user postgres has this machine's number, whose folders the tests make.
make_debian13() {
    local log=$folder/debian13.log
    [ ! -x "$debian13/usr/lib/postgresql/17/bin/postgres" ] || return 0
    command -v debootstrap >/dev/null || install_debian_packages debootstrap
    step "making a Debian 13 in $debian13"
    rm -rf "$debian13"
    {
        unshare --mount --pid --fork --kill-child --mount-proc \
            debootstrap --variant=minbase trixie "$debian13" "$(debian_mirror)"
        # Its own mirrors stay: this machine's are those of another Debian.
        printf '%s\n' '127.0.0.1 localhost' '::1 localhost' >"$debian13/etc/hosts"
        printf '#!/bin/sh\nexit 101\n' >"$debian13/usr/sbin/policy-rc.d"
        chmod 755 "$debian13" "$debian13/usr/sbin/policy-rc.d"
        in_debian "$debian13" groupadd --gid "$(id -g postgres)" postgres
        in_debian "$debian13" useradd --uid "$(id -u postgres)" --gid postgres --home-dir /var/lib/postgresql postgres
        in_debian "$debian13" apt-get install -y -qq --no-install-recommends rabbitmq-server openssl postgresql
    } >"$log" 2>&1 || { tail -n 20 "$log" >&2; rm -rf "$debian13"; fail "no Debian 13 was made; see $log"; }
}

# run_tests PATTERN LOG: the chosen servers' programs see the same /tmp, /proc and /dev as the tests.
run_tests() {
    # shellcheck disable=SC2016 # for the inner shell
    env -u TMPDIR "${variables[@]}" SWIFT_BACKTRACE=interactive=no \
        SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH="${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-8}" \
        unshare --mount bash -euc '
            debian=$1 && shift
            if [ -d "$debian" ]; then
                mount --bind /tmp "$debian/tmp"
                mount -t proc proc "$debian/proc"
                mount --rbind /dev "$debian/dev"
            fi
            exec "$@"' matrix "$debian13" \
        "$built/fanfarePackageTests.xctest" --testing-library swift-testing --filter "$1" >"$2" 2>&1
}

# failed_tests LOG: the names of what failed, a name a line.
failed_tests() {
    sed -n 's/^✘ Test "\(.*\)" \(with .* \)\{0,1\}failed after .*/\1/p' "$1" | sort -u
}

# The results of a cell are lines `key value`; a cell that is running has none.
run_cell() {
    local cell=$1 log=$results/$1.log result=$results/$1 began=$SECONDS
    local verdict=passed unsteady='' count pattern broker ledger said
    choose "$cell"
    rm -f "$result"
    step "$cell"
    run_tests "$tests" "$log" || verdict=failed
    count=$(sed -nE 's/^[^ ]+ Test run with ([0-9]+) tests?.*/\1/p' "$log" | tail -n 1)
    [ "${count:-0}" -gt 0 ] || verdict=crashed
    if [ "$verdict" = failed ]; then
        unsteady=$(failed_tests "$log")
        pattern=$(tr -cs '[:alnum:] \n' '.' <<<"$unsteady" | sed 's/\./.+/g' | paste -sd '|')
        if [ -n "$unsteady" ] && [ "$(wc -l <<<"$unsteady")" -le 5 ] && run_tests "($pattern)" "$log.again"; then
            verdict=passed
        fi
    fi
    case $cell in
        rabbitmq4*) broker=$(version rabbitmq-server "$debian13") ;;
        *) broker=$(version rabbitmq-server) ;;
    esac
    case $cell in
        *postgresql17*) ledger=$(version postgresql-17 "$debian13") ;;
        *postgresql15*) ledger=$(version postgresql-15) ;;
        *) ledger= ;;
    esac
    {
        printf 'verdict %s\ndate %s\ncommit %s\n' "$verdict" "$(date -u +%F)" "$(<"$built/commit")"
        printf 'tests %s\nseconds %s\n' "${count:-0}" "$((SECONDS - began))"
        printf 'broker %s\nledger %s\n' "$broker" "$ledger"
        [ -z "$unsteady" ] || printf 'failed %s\n' "${unsteady//$'\n'/$'\n'failed }"
    } >"$result.new"
    mv "$result.new" "$result"
    said="$cell $verdict: ${count:-0} tests in $((SECONDS - began)) s"
    step "$said${unsteady:+; failed at first: ${unsteady//$'\n'/; }}"
    [ "$verdict" = passed ]
}

# value CELL KEY: a result's value, empty without one.
value() {
    [ ! -f "$results/$1" ] || sed -n "s/^$2 //p" "$results/$1" | head -n 1
}

print_table() {
    local cell broker ledger words listed
    mapfile -t listed < <(printf '%s\n' "${cells[@]}" && find "$results" -name '*+*' ! -name '*.*' -printf '%f\n')
    printf '| broker | ledger | result | tests | date | commit |\n|---|---|---|---|---|---|\n'
    printf '%s\n' "${listed[@]}" | awk '!seen[$0]++' | while read -r cell; do
        case $cell in
            rabbitmq3*) broker="RabbitMQ 3.10" ;;
            *) broker="RabbitMQ 4.0" ;;
        esac
        [ -z "$(value "$cell" broker)" ] || broker="RabbitMQ $(value "$cell" broker)"
        case ${cell%%+*} in
            *-three) broker+=", three nodes" ;;
            *-strict) broker+=", everything deprecated refused" ;;
        esac
        case ${cell#*+} in
            sqlite) ledger=SQLite ;;
            postgresql15*) ledger="PostgreSQL 15" ;;
            *) ledger="PostgreSQL 17" ;;
        esac
        [ -z "$(value "$cell" ledger)" ] || ledger="PostgreSQL $(value "$cell" ledger)"
        [[ $cell != *-standby ]] || ledger+=", synchronous standby"
        words=$(value "$cell" verdict)
        if [ -n "$words" ] && grep -q '^failed ' "$results/$cell"; then
            words+=", $(grep -c '^failed ' "$results/$cell") at the second try"
            [ "$(value "$cell" verdict)" = passed ] || words="$(grep -c '^failed ' "$results/$cell") failed"
        fi
        printf '| %s | %s | %s | %s | %s | %s |\n' "$broker" "$ledger" "${words:-not run}" "$(value "$cell" tests)" \
            "$(value "$cell" date)" "$(value "$cell" commit)"
    done
}

if [ "${1-}" = --table ]; then
    print_table
    exit
fi

for cell in "$@"; do choose "$cell"; done
[ "$(id -u)" = 0 ] || fail "root is needed, to run servers of another Debian by chroot" 77
require_swift
install_packages
install_python_producer "$PWD/.build/python"
install_python_judges "$PWD/.build/python"
make_debian13
flags=(--explicit-target-dependency-import-check error)
if [ "${FANFARE_BUILT-}" != yes ]; then
    step "building"
    swift build --build-tests "${flags[@]}" || fail "the build failed"
fi
mkdir -p "$built"
programs=$PWD/.build/debug
for program in fanfarePackageTests.xctest fanfare; do
    # What was copied before keeps the commit that it was built from.
    ! cmp -s "$programs/$program" "$built/$program" || continue
    # By another name first: a program that runs keeps its file.
    cp "$programs/$program" "$built/$program.new"
    mv "$built/$program.new" "$built/$program"
    git describe --always --dirty --abbrev=8 --exclude '*' >"$built/commit"
done

status=0
if [ $# -gt 0 ]; then
    for cell in "$@"; do run_cell "$cell" || status=1; done
else
    for cell in "${cells[@]}"; do
        [ "$(value "$cell" verdict)" = passed ] || run_cell "$cell" || status=1
    done
fi
print_table
exit "$status"
