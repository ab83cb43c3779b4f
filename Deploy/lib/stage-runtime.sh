#!/usr/bin/env bash
# Puts the executable, and those libraries of the Swift toolchain that it needs, side by side into a folder:
#
#   Deploy/lib/stage-runtime.sh .build/release/fanfare DIR
#
# All are stripped: what a debugger reads is four tenths of a release, and stays with the build. The executable finds them there ($ORIGIN in its run path), wherever the folder is copied to. Libraries of the
# distribution are left out: their packages are those of the runtime stage in Deploy/Dockerfile.
set -euo pipefail
[ $# = 2 ] || { echo "usage: stage-runtime.sh EXECUTABLE DIR" >&2; exit 64; }
executable=$1 folder=$2
mkdir -p "$folder"
install -m 755 "$executable" "$folder/fanfare"
ldd "$executable" | awk '$2 == "=>" && $3 ~ /\/swift\/linux\// {print $3}' | while read -r library; do
    install -m 644 "$library" "$folder/"
done
strip --strip-unneeded "$folder/fanfare" "$folder"/*.so
missing=$(ldd "$executable" | grep 'not found' || true)
[ -z "$missing" ] || { printf 'stage-runtime.sh: %s\n' "$missing" >&2; exit 1; }
