#!/usr/bin/env bash
# One command on a fresh Debian 12 with a Swift toolchain: installs what is missing, checks the format,
# builds, and runs all tests. Servers are private ones on free ports; nothing system-wide is started.
# --full also runs the tests that take minutes, fuzzes every decoder for 20 s and runs the sanitizers (sanitize.sh);
# whatever else stands behind goes to `swift test` (--filter Settle).
#
# The last lines say how many tests passed and how long each part of the run took; after them stands `UNSTEADY: TEST` for
# each test that failed among the others and passed alone: its cause is to be found.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
. Deploy/lib/install.sh

if [ "${1-}" = --full ]; then
    export FANFARE_FULL=1
    shift
fi

# begin_part NAME: begins a part of the run, whose time is told at the end.
parts=()
begin_part() {
    end_part
    part=$1 part_began=$SECONDS
}
end_part() {
    [ -z "${part-}" ] || parts+=("$part $((SECONDS - part_began)) s")
    part=
}

begin_part packages
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
mkdir -p .build

begin_part format
step "checking the format"
swift format lint --strict --parallel --configuration .swift-format --recursive Package.swift Sources Tests \
    || fail "the format differs; mend with: swift format -i -p --configuration .swift-format -r Package.swift Sources Tests"

begin_part build
step "building"
swift build --build-tests "${flags[@]}" || fail "the build failed"

# The fleets of EndToEndTests wait more than they work, everything else works more than it waits, and what talks to no
# server works for minutes without giving its thread to anybody: three processes, so that none keeps another's threads. The
# fleets take longest and have leases to keep, so they come first: the others have what they leave. Those that only compute
# begin beside the checks, which leave a processor idle, and have what all the others leave. What is asked for by arguments
# is one process.
fleets='^EndToEndTests\.'
pure='^(Campaigns|Delivery|DeliveryPool|DeliveryPublishing|FanfareKit|FleetSimulation|Fuzz|HTTP2|PushProviders|Simulation|TLS|Tidy)Tests\.'
processes=(fleets pure others)
asked=("$@")
[ $# = 0 ] || processes=(asked)
logs=("${processes[@]/#/.build/test-}")
logs=("${logs[@]/%/.log}")
rm -f "${logs[@]}"
running=()
# Each has a process group of its own: a shell's background jobs hear no interrupt from the terminal.
stop_processes() {
    local process
    for process in "${running[@]}"; do kill -- "-$process" 2>/dev/null || true; done
    [ -z "${showing-}" ] || kill "$showing" 2>/dev/null || true
}
trap stop_processes EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
# The processes are the built tests themselves: two of `swift test` want one build's database at the same moment, and the
# one that is later ends with an error.
built=$(swift build --build-tests "${flags[@]}" --show-bin-path)/fanfarePackageTests.xctest

# begin_tests NAME: begins one of the processes.
begin_tests() {
    local nice=0 command
    case $1 in
        fleets) command=("$built" --testing-library swift-testing --filter "$fleets") ;;
        pure) nice=10 command=("$built" --testing-library swift-testing --filter "$pure") ;;
        others) nice=5 command=("$built" --testing-library swift-testing --skip "$fleets|$pure") ;;
        asked) command=(swift test --skip-build "${flags[@]}" "${asked[@]}") ;;
    esac
    # Where the kernel shares the processors between sessions, a process's own priority counts within its session only.
    # shellcheck disable=SC2016 # for the session's shell
    setsid bash -c '{ echo "$0" >/proc/self/autogroup; } 2>/dev/null || true; exec nice -n "$0" "$@"' \
        "$nice" "${command[@]}" >".build/test-$1.log" 2>&1 &
    running+=($!)
}

begin_part checks
[ $# -gt 0 ] || begin_tests pure
step "checking what is shipped in Deploy"
# Programs take FANFARE_… for their settings and refuse one that they do not know.
env -u FANFARE_FULL Deploy/check.sh ${FANFARE_FULL:+--full}

if [ "${FANFARE_FULL-}" = 1 ] && [ -z "${FANFARE_PREVIOUS-}" ]; then
    begin_part "the version before"
    FANFARE_PREVIOUS=$(env -u FANFARE_FULL Deploy/previous.sh "$(<Deploy/previous-commit)")
    export FANFARE_PREVIOUS
fi

begin_part tests
log=.build/test.log
again=.build/again.log
unsteady=

# Runs tests by their names, a name a line; fails unless every one of them was run and passed.
try_again() {
    local pattern
    pattern=$(tr -cs '[:alnum:] \n' '.' <<<"$1" | sed 's/\./.+/g' | paste -sd '|')
    step "testing again, by themselves"
    swift test --skip-build "${flags[@]}" --filter "($pattern)" 2>&1 | tee "$again" || return 1
    [ "$(grep -acE '^✔ Test ".*" (with .* )?passed after' "$again")" -ge "$(wc -l <<<"$1")" ]
}

# Fails with what went wrong, unless few tests failed and pass by themselves.
judge_failures() {
    local failures
    failures=$(grep -aE '^✘ Test .*(recorded an issue|failed)|(^|: )([Ff]atal )?error:' "$log" | cut -c-400 | head -n 40 || true)
    # Two busy cores fail a test now and then that is green by itself. Up to three get a second try, alone; what they
    # said at first is told at the end, for somebody to look into.
    unsteady=$(sed -n 's/^✘ Test "\(.*\)" \(with .* \)\{0,1\}failed after .*/\1/p' "$log" | sort -u)
    if [ "$1" = crashed ] || [ -z "$unsteady" ] || [ "$(wc -l <<<"$unsteady")" -gt 3 ] || ! try_again "$unsteady"; then
        printf '%s\n' "$failures"
        fail "tests failed after $((SECONDS - part_began)) s; the whole output is in $log"
    fi
    printf '%s\n' "$failures"
}

step "testing"
for name in "${processes[@]}"; do
    [ "$name" = pure ] || begin_tests "$name"
done
tail -q -n +1 -F "${logs[@]}" 2>/dev/null &
showing=$!
verdict=passed
for process in "${running[@]}"; do wait "$process" || verdict=failed; done
running=()
cat "${logs[@]}" >"$log"
for file in "${logs[@]}"; do
    # A run that did not come to its end.
    grep -aqE '^[^ ]+ Test run with [0-9]+ tests?' "$file" || verdict=crashed
done
kill "$showing"
wait "$showing" 2>/dev/null || true
showing=
[ "$verdict" = passed ] || judge_failures "$verdict"
tests=$(sed -nE 's/^[^ ]+ Test run with ([0-9]+) tests?.*/\1/p' "$log" | paste -sd +)
suites=$(sed -nE 's/^[^ ]+ Test run with .* in ([0-9]+) suites?.*/\1/p' "$log" | paste -sd +)
[ "$((tests))" -gt 0 ] || fail "no test was run; the whole output is in $log"
if [ "${FANFARE_FULL-}" = 1 ]; then
    begin_part "fuzzing and sanitizers"
    Deploy/fuzz.sh 20
    # By itself: what takes minutes anyway would take hours there.
    env -u FANFARE_FULL Deploy/sanitize.sh
fi
end_part

printf 'test.sh: %d tests in %d suites passed in %d s\n' "$((tests))" "$((suites))" "$SECONDS"
printf 'test.sh: %s\n' "$(printf ', %s' "${parts[@]}" | cut -c3-)"
[ -z "$unsteady" ] || printf 'UNSTEADY: %s\n' "${unsteady//$'\n'/$'\n'UNSTEADY: }"
