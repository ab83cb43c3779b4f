#!/usr/bin/env bash
# Runs the tests of the pure tier, the wrappers and Transport under the sanitizers.
#
#   Deploy/sanitize.sh [thread|address ...]    default: both, one after the other
#
# `address` has the undefined-behaviour sanitizer on our C too: it ends the program there. Swift itself has none on
# Linux (swiftc refuses it) and traps on overflow by itself. Each is a build of its own (.build/SANITIZER), minutes when
# it is cold. Seeded tests do fewer rounds there (Tests/Sanitizers).
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
. Deploy/lib/install.sh

require_swift
install_packages
tests='CampaignsTests|PushProvidersTests|DeliveryTests|DeliveryPoolTests|DeliveryPublishingTests|SimulationTests'
tests="$tests|AMQPTests|HTTP2Tests|TLSTests|FuzzTests|TransportAMQPTests|TransportHTTP2Tests"
[ $# -gt 0 ] || set -- thread address
# The sanitizers have a trace of their own; that of Swift never ends in a process with the shadow memory of `address`.
export SWIFT_BACKTRACE=enable=no
# The runtime of Swift and OpenSSL keep what they made until the process ends.
export ASAN_OPTIONS=detect_leaks=0
for sanitizer; do
    flags=(--sanitize "$sanitizer" --scratch-path ".build/$sanitizer")
    [ "$sanitizer" = address ] && flags+=(-Xcc -fsanitize=undefined -Xcc -fsanitize-trap=undefined)
    step "building with the $sanitizer sanitizer"
    swift build "${flags[@]}" --build-tests || fail "the build with the $sanitizer sanitizer failed"
    step "testing with the $sanitizer sanitizer"
    started=$SECONDS
    log=.build/$sanitizer.log
    swift test "${flags[@]}" --skip-build --filter "^($tests)\." >"$log" 2>&1 || {
        grep -aE '^✘|error:|Sanitizer' "$log" | head -n 20 || true
        fail "tests failed under the $sanitizer sanitizer; the whole output is in $log"
    }
    ! grep -aqE 'WARNING: ThreadSanitizer|ERROR: AddressSanitizer' "$log" \
        || fail "the $sanitizer sanitizer has something to say; see $log"
    summary=$(grep -aoE 'Test run with [0-9]+ tests?( in [0-9]+ suites?)? passed' "$log" | tail -n 1 || true)
    [ -n "$summary" ] || fail "no test was run; the whole output is in $log"
    printf 'sanitize.sh: %s: silent, %s in %d s\n' "$sanitizer" "${summary#Test run with }" "$((SECONDS - started))"
done
