#!/usr/bin/env bash
# Builds the program of a named earlier commit once, keeps it, and prints where it is: what tests of N-1 beside N use.
#
#   Deploy/previous.sh COMMIT
#
# It lies in .build/previous/COMMIT (FANFARE_PREVIOUS_FOLDER names another place, for several clones); building takes as
# long as a clean build of the program, and nothing the second time. What is told on the way goes to standard error.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
. Deploy/lib/install.sh

[ $# = 1 ] || { echo "usage: previous.sh COMMIT" >&2; exit 64; }
commit=$(git rev-parse --verify --quiet "$1^{commit}") \
    || fail "no commit $1 here: fetch it (git fetch --unshallow where the clone is shallow)" 64
folder=${FANFARE_PREVIOUS_FOLDER:-$PWD/.build/previous}/$commit
mkdir -p "$folder"
# One builds, the others wait for it.
exec 9>"$folder/lock"
flock 9
if [ ! -x "$folder/fanfare" ]; then
    require_swift
    install_packages >&2
    tree=$folder/tree
    rm -rf "$tree"
    git clone --quiet --no-checkout "$PWD" "$tree"
    git -C "$tree" -c advice.detachedHead=false checkout --quiet "$commit"
    # The same versions of dependencies as today's program.
    cp Package.resolved "$tree/" 2>/dev/null || true
    step "building $commit" >&2
    swift build --package-path "$tree" --explicit-target-dependency-import-check error --product fanfare >&2 9>&- \
        || fail "$commit does not build; its tree is $tree"
    built=$(swift build --package-path "$tree" --show-bin-path 9>&-)
    # Whole, or not there: the name is given last. The tree is 2 GB that nobody needs.
    cp "$built/fanfare" "$folder/fanfare.new"
    mv "$folder/fanfare.new" "$folder/fanfare"
    rm -rf "$tree"
fi
"$folder/fanfare" --version >&2 || fail "what was built of $commit does not start: remove $folder"
printf '%s\n' "$folder/fanfare"
