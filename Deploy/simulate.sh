#!/usr/bin/env bash
# Runs seeded campaigns on the real state machines, with a crash at every arrow of the protocol.
#
#   Deploy/simulate.sh [SEEDS]             so many campaigns, seeds 0, 1, … (default 100000), and planners for a tenth
#   FANFARE_SEED=n Deploy/simulate.sh      that one again
#   Deploy/simulate.sh --mutants [NAME…]   plants mistakes one by one and tells at which seed each is found, in a minute
#                                          (Tests/Mutants; NAME: a file's without .mutants, or how a mistake's begins)
#   Deploy/simulate.sh --mutants-of-ci     three of them, one of each kind, in less than three minutes with the build
#
# A campaign that loses a device, counts one twice or sends without need ends the run with its seed.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
. Deploy/lib/install.sh

require_swift
install_packages
if [ "${1-}" = --mutants-of-ci ]; then
    set -- --mutants 'a run goes on with streams' 'a put-off device is dropped' 'an epoch is not compared'
fi
# pure FOLDER OPTIONS…: builds the pure targets by themselves, with the dependencies' versions of the program.
pure() {
    package=$PWD/.build/$1
    shift
    mkdir -p "$package/Sources" "$package/Tests"
    rm -rf "$package/Sources/"* "$package/Tests/"*
    cp Tests/Mutants/Package.swift "$package"
    cp Package.resolved "$package" 2>/dev/null || true
    cp -a Sources/{Campaigns,PushProviders,Delivery} "$package/Sources"
    cp -a Tests/{Seeds,Sanitizers,SimulationTests} "$package/Tests"
    # From there, as for each mistake: with another path the whole package would be built once more.
    (cd "$package" && swift build --build-tests "$@") >"$package/build.log" 2>&1 \
        || fail "the pure targets do not build by themselves; see $package/build.log"
}
if [ "${1-}" = --mutants ]; then
    shift
    export SWIFT_BACKTRACE=enable=no
    install_debian_packages python3
    pure mutants
    exec python3 Deploy/lib/machine_mutants.py "$PWD" "$package" "$@"
fi
export FANFARE_SEEDS=${1:-100000}
export SWIFT_BACKTRACE=interactive=no
pure simulate -c release
log=.build/simulate.log
(cd "$package" && exec swift test -c release --skip-build --filter 'D2: no campaign loses a device|planners that come and go') \
    2>&1 | tee "$log" || fail "a campaign went wrong; its seed is in $log"
grep -aq 'Test run with 2 tests' "$log" || fail "no campaign was run; the whole output is in $log"
