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

log=.build/test.log
again=.build/again.log

# How the run in the log ended, when it came to its end: 12 tests in 3 suites passed.
ending() { grep -aoE 'Test run with [0-9]+ tests?( in [0-9]+ suites?)? (passed|failed)' "$log" | tail -n 1; }

# Runs tests by their names, a name a line; fails unless every one of them was run and passed.
try_again() {
    local pattern
    pattern=$(tr -cs '[:alnum:] \n' '.' <<<"$1" | sed 's/\./.+/g' | paste -sd '|')
    step "testing again, by themselves"
    swift test --skip-build "${flags[@]}" --filter "($pattern)" 2>&1 | tee "$again" || return 1
    [ "$(grep -acE '^✔ Test ".*" (with .* )?passed after' "$again")" -ge "$(wc -l <<<"$1")" ]
}

step "testing"
unsteady=
if ! swift test --skip-build "${flags[@]}" "$@" 2>&1 | tee "$log"; then
    failures=$(grep -aE '^✘ Test .*(recorded an issue|failed)|error:' "$log" | head -n 40 || true)
    # Two busy cores fail a test now and then that is green by itself. Up to three get a second try, alone; what they
    # said at first is told again at the end, for somebody to look into.
    unsteady=$(sed -n 's/^✘ Test "\(.*\)" \(with .* \)\{0,1\}failed after .*/\1/p' "$log" | sort -u)
    if [ -z "$(ending)" ] || [ -z "$unsteady" ] || [ "$(wc -l <<<"$unsteady")" -gt 3 ] || ! try_again "$unsteady"; then
        printf '%s\n' "$failures"
        fail "tests failed after $((SECONDS - started)) s; the whole output is in $log"
    fi
fi
summary=$(ending || true)
[ -n "$summary" ] || fail "no test was run; the whole output is in $log"
if [ -n "$unsteady" ]; then
    printf '%s\n' "$failures"
    printf 'test.sh: failed among the others, passed alone: %s\n' "${unsteady//$'\n'/; }"
fi
summary=${summary#Test run with }
printf 'test.sh: %s passed in %d s\n' "${summary% *}" "$((SECONDS - started))"

if [ "${FANFARE_FULL-}" = 1 ]; then
    Deploy/fuzz.sh 20
    # By itself: what takes minutes anyway would take hours there.
    env -u FANFARE_FULL Deploy/sanitize.sh
fi
