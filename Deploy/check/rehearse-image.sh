#!/usr/bin/env bash
# The runtime stage of the Dockerfile without a Docker engine: a Debian made by debootstrap gets exactly the packages of
# that stage and what stage-runtime.sh puts beside the executable, and the commands start in it by chroot as the
# image's user. Says nothing of layers, of the base image's own packages, or of the build stage.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# The second apt-get line of the Dockerfile is the runtime stage's.
packages=$(awk '/^FROM .*RUNTIME_IMAGE/ {runtime = 1} runtime && /librabbitmq4/ {gsub(/\\/, ""); print}' Deploy/Dockerfile)
[ -n "$packages" ] || { echo "the Dockerfile's packages were not found" >&2; exit 1; }
debootstrap --variant=minbase bookworm "$folder" >"$folder.log" 2>&1 || { tail -n 20 "$folder.log"; exit 1; }
rm -f "$folder.log"
unset TMPDIR
# mktemp lets nobody but root in.
chmod 755 "$folder"
cp /etc/resolv.conf "$folder/etc/resolv.conf"
# shellcheck disable=SC2086 # a list of packages
DEBIAN_FRONTEND=noninteractive chroot "$folder" apt-get install -y -qq --no-install-recommends $packages >/dev/null
chroot "$folder" useradd --uid 10001 --user-group --no-create-home fanfare
Deploy/lib/stage-runtime.sh "$(swift build --show-bin-path)/fanfare" "$folder/usr/lib/fanfare"
ln -s /usr/lib/fanfare/fanfare "$folder/usr/bin/fanfare"
# A container has /proc, by which the loader finds $ORIGIN; the mount goes with its namespace.
run() {
    # shellcheck disable=SC2016 # for the inner shell
    unshare --mount bash -c 'mount -t proc proc "$0/proc" && exec chroot --userspec=10001:10001 "$0" "$@"' "$folder" "$@"
}
run /usr/bin/fanfare --version
run /usr/bin/fanfare worker --help >/dev/null
run /usr/bin/fanfare schema job >/dev/null
# Nothing comes from the toolchain's own folder.
strays=$(run /usr/bin/ldd /usr/lib/fanfare/fanfare | grep -E 'not found|/opt/swift|/usr/lib/swift/' || true)
[ -z "$strays" ] || { echo "$strays"; exit 1; }
run /usr/bin/bash -c 'test -r /usr/share/zoneinfo/Europe/Madrid && test -r /etc/ssl/certs/ca-certificates.crt'
