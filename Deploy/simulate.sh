#!/usr/bin/env bash
# Runs seeded campaigns on the real state machines, with a crash at every arrow of the protocol.
#
#   Deploy/simulate.sh [SEEDS]             so many campaigns, seeds 0, 1, … (default 100000)
#   FANFARE_SEED=n Deploy/simulate.sh      that one again
#
# A campaign that loses a device, counts one twice or sends without need ends the run with its seed.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
. Deploy/lib/install.sh

require_swift
install_packages
export FANFARE_SEEDS=${1:-100000}
export SWIFT_BACKTRACE=interactive=no
log=.build/simulate.log
mkdir -p .build
swift test --explicit-target-dependency-import-check error --filter 'D2: no campaign loses a device' 2>&1 | tee "$log" \
    || fail "a campaign went wrong; its seed is in $log"
grep -aq 'Test run with 1 test' "$log" || fail "no campaign was run; the whole output is in $log"
