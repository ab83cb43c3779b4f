#!/usr/bin/env bash
# Runs a whole fleet from seeds: workers as they ship, on one thread and a manual clock, with disk, network, broker and
# push service in memory.
#
#   Deploy/fleet-simulate.sh [COUNT] [--couriers]                so many fresh seeds (default 1000)
#   Deploy/fleet-simulate.sh --seed SEED [--couriers] [--trace]  that one, with --trace everything that happens in it
#   Deploy/fleet-simulate.sh --mutants [NAME…]                   plants mistakes in drivers and SQL one by one and tells
#                                                                at which seed each is found (Tests/Mutants; NAME: a
#                                                                file's without .mutants, or how a mistake's begins)
#
# --couriers: workers without a ledger, on the drivers of Transport alone, which are faster and see more of the wire.
# The same seed gives the same run, byte for byte. One that breaks a law is made smaller and printed, and the exit code
# is 1.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
. Deploy/lib/install.sh

require_swift
install_packages
if [ "${1-}" = --mutants ]; then
    shift
    install_debian_packages python3
    # A copy, built for debugging: a mistake costs the files that it is in, and the release's optimiser would cost all.
    package=$PWD/.build/fleet-mutants
    mkdir -p "$package"
    rm -rf "$package/Sources" "$package/Tests"
    cp -a Package.swift Sources Tests "$package"
    cp Package.resolved "$package" 2>/dev/null || true
    exec python3 Deploy/lib/driver_mutants.py "$PWD" "$package" "$@"
fi
# The drivers alone, in release: a failing seed is searched for and not debugged.
log=.build/fleet-simulate.log
mkdir -p .build
swift build -c release --product fleet-simulate --explicit-target-dependency-import-check error >"$log" 2>&1 \
    || fail "the simulation does not build; see $log"
simulate=$(swift build -c release --show-bin-path)/fleet-simulate
export SWIFT_BACKTRACE=enable=no
if [ "${1-}" = --seed ]; then
    shift
    exec "$simulate" "$@"
fi
count=1000
if [[ ${1-} =~ ^[0-9]+$ ]]; then
    count=$1
    shift
fi
exec "$simulate" "$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')" "$count" "$@"
