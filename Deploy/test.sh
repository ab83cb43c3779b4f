#!/usr/bin/env bash
# One command on a fresh Debian 12 with a Swift toolchain: installs what is missing, checks the format,
# builds, and runs all tests. Servers are private ones on free ports; nothing system-wide is started.
# --full also runs the tests that take minutes, fuzzes every decoder for 20 s and runs the sanitizers (sanitize.sh); whatever else stands behind goes to `swift test` (--filter Settle).
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
. Deploy/lib/install.sh

if [ "${1-}" = --full ]; then
    export FANFARE_FULL=1
    shift
fi

require_swift
install_packages
install_debian_packages "${browser_packages[@]}"
install_python_producer "$PWD/.build/python"
install_python_judges "$PWD/.build/python"

# Imports that a target does not declare are errors; a crash prints its trace and ends instead of asking.
flags=(--explicit-target-dependency-import-check error)
export SWIFT_BACKTRACE=interactive=no
# All tests at once would wait for each other's turns on two cores, and those that talk to a server of this process most.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH="${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-8}"
started=$SECONDS
mkdir -p .build

step "checking the format"
swift format lint --strict --parallel --configuration .swift-format --recursive Package.swift Sources Tests \
    || fail "the format differs; mend with: swift format -i -p --configuration .swift-format -r Package.swift Sources Tests"

step "building"
swift build --build-tests "${flags[@]}" || fail "the build failed"

step "checking what is shipped in Deploy"
Deploy/check.sh ${FANFARE_FULL:+--full}

step "testing"
log=.build/test.log
if ! swift test --skip-build "${flags[@]}" "$@" 2>&1 | tee "$log"; then
    grep -aE '^✘ Test .*(recorded an issue|failed)|error:' "$log" | head -n 40 || true
    fail "tests failed after $((SECONDS - started)) s; the whole output is in $log"
fi
summary=$(grep -aoE 'Test run with [0-9]+ tests?( in [0-9]+ suites?)? passed' "$log" | tail -n 1 || true)
[ -n "$summary" ] || fail "no test was run; the whole output is in $log"
printf 'test.sh: %s in %d s\n' "${summary#Test run with }" "$((SECONDS - started))"

if [ "${FANFARE_FULL-}" = 1 ]; then
    Deploy/fuzz.sh 20
    # By itself: what takes minutes anyway would take hours there.
    env -u FANFARE_FULL Deploy/sanitize.sh
fi
