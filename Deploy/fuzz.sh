#!/usr/bin/env bash
# Fuzzes every decoder of strangers' bytes with libFuzzer and the address sanitizer.
#
#   Deploy/fuzz.sh [SECONDS]        so long for each target (default 60)
#   Deploy/fuzz.sh --runs N         so many inputs for each target instead
#   FANFARE_FUZZ_TARGETS="job amqp" only these
#
# A crashing input is left in Tests/Fuzz/Corpus/TARGET: mend the cause and commit the input with it.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
. Deploy/lib/install.sh

bound=(-max_total_time="${1:-60}")
[ "${1-}" = --runs ] && bound=(-runs="$2")
targets=${FANFARE_FUZZ_TARGETS:-job shard amqp http2-client http2-server answer csv ndjson template segment subscription tracking tracking-batch proxy-header forwarded}

require_swift
install_packages
build=$PWD/.build/fuzz
mkdir -p "$build"
# The same versions of dependencies as the program's.
cp Package.resolved Tests/Fuzz/Package.resolved 2>/dev/null || true
step "building the fuzzer"
swift build -c release --package-path Tests/Fuzz --scratch-path "$build" --product FanfareFuzz \
    -Xswiftc -sanitize=fuzzer,address -Xswiftc -use-ld=lld || fail "the fuzzer does not build"
rm -f Tests/Fuzz/Package.resolved
program=$(swift build -c release --package-path Tests/Fuzz --scratch-path "$build" --show-bin-path)/FanfareFuzz

# A backtrace takes seconds and looks like a hang to libFuzzer.
export SWIFT_BACKTRACE=enable=no
found=0 total=0
for target in $targets; do
    kept=Tests/Fuzz/Corpus/$target grown=$build/corpus/$target log=$build/$target.log
    mkdir -p "$kept" "$grown"
    step "fuzzing $target"
    # New inputs go to the first folder; what is kept in the repository is only read.
    if ! FANFARE_FUZZ_TARGET=$target "$program" "${bound[@]}" -max_len=4096 -timeout=10 -rss_limit_mb=2048 \
        -print_final_stats=1 -artifact_prefix="$kept/" "$grown" "$kept" >"$log" 2>&1; then
        found=$((found + 1))
        grep -aE 'ERROR|SUMMARY|Test unit written|Fatal error' "$log" | head -n 5
    fi
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    rate=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")
    total=$((total + ${runs:-0}))
    printf 'fuzz.sh: %-13s %12s inputs, %8s a second\n' "$target" "${runs:-none}" "${rate:-?}"
done
printf 'fuzz.sh: %d inputs in total, %d targets with a finding\n' "$total" "$found"
[ "$found" = 0 ] || fail "an input ends the program; it is in Tests/Fuzz/Corpus"
