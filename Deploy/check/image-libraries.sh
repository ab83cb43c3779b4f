#!/usr/bin/env bash
# Every library of the distribution that the program or the Swift libraries beside it ask for comes with a package that
# the Dockerfile's runtime stage installs by name: what is there only because this machine has it is missing there.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
Deploy/lib/stage-runtime.sh "$(swift build --show-bin-path)/fanfare" "$folder"
stage=$(awk '/^FROM .*RUNTIME_IMAGE/ {runtime = 1} runtime && /librabbitmq4/ {gsub(/\\/, ""); print}' Deploy/Dockerfile)
[ -n "$stage" ] || { echo "the Dockerfile's packages were not found" >&2; exit 1; }
# In every Debian: what Essential packages are made of.
packages=" $(tr -s '[:space:]' ' ' <<<"$stage") libc6 libgcc-s1 "
# Where the loader finds each library here.
places=$(ldd "$folder"/* | awk '$2 == "=>" {print $1, $3}' | sort -u)
status=0
for library in $(readelf -d "$folder"/* | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u); do
    [ ! -e "$folder/$library" ] || continue
    place=$(awk -v library="$library" '$1 == library {print $2; exit}' <<<"$places")
    [ -n "$place" ] || continue # the loader itself
    # Debian 12 has /lib in /usr/lib, and dpkg knows a file by one of both names.
    place=$(readlink -f "$place")
    package=$({ dpkg -S "$place" || dpkg -S "${place#/usr}"; } 2>/dev/null | sed 's/:.*//' | head -n 1)
    [[ $packages == *" $package "* ]] || {
        echo "$library is in ${package:-no package}, which the Dockerfile's runtime stage does not install"
        status=1
    }
done
exit "$status"
