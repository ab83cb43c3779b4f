#!/usr/bin/env bash
# The runtime stage of the Dockerfile without a Docker engine: a Debian made by debootstrap gets exactly the packages of
# that stage and what stage-runtime.sh puts beside the executable, and the commands start in it by chroot as the
# image's user. Says nothing of layers, of the base image's own packages, or of the build stage.
set -euo pipefail
cd "$(dirname "$0")/../.."
. Deploy/lib/bare-debian.sh
folder=$(mktemp -d)
trap 'rm -rf --one-file-system "$folder"' EXIT
# The second apt-get line of the Dockerfile is the runtime stage's.
packages=$(awk '/^FROM .*RUNTIME_IMAGE/ {runtime = 1} runtime && /librabbitmq4/ {gsub(/\\/, ""); print}' Deploy/Dockerfile)
[ -n "$packages" ] || { echo "the Dockerfile's packages were not found" >&2; exit 1; }
make_debian "$folder"
in_debian "$folder" apt-get update -qq
# shellcheck disable=SC2086 # a list of packages
in_debian "$folder" apt-get install -y -qq --no-install-recommends $packages >/dev/null
in_debian "$folder" useradd --uid 10001 --user-group --no-create-home fanfare
Deploy/lib/stage-runtime.sh "$(swift build --show-bin-path)/fanfare" "$folder/usr/lib/fanfare"
install -m 755 Deploy/lib/probe.sh "$folder/usr/lib/fanfare/probe"
install -m 755 Deploy/lib/backup.sh "$folder/usr/lib/fanfare/backup"
ln -s /usr/lib/fanfare/fanfare "$folder/usr/bin/fanfare"
run() { in_debian "$folder" setpriv --reuid 10001 --regid 10001 --clear-groups --no-new-privs "$@"; }
run /usr/bin/fanfare --version
run /usr/bin/fanfare worker --help >/dev/null
run /usr/bin/fanfare schema job >/dev/null
# Nothing comes from the toolchain's own folder, and nothing is there for a debugger.
strays=$(run /usr/bin/ldd /usr/lib/fanfare/fanfare | grep -E 'not found|/opt/swift|/usr/lib/swift/' || true)
[ -z "$strays" ] || { echo "$strays"; exit 1; }
symbols=$(readelf -SW "$folder"/usr/lib/fanfare/fanfare "$folder"/usr/lib/fanfare/*.so | grep -E '\.debug_info|\.symtab' || true)
[ -z "$symbols" ] || { echo "it is not stripped:" "$symbols"; exit 1; }
run /usr/bin/bash -c 'test -r /usr/share/zoneinfo/Europe/Madrid && test -r /etc/ssl/certs/ca-certificates.crt'
# The HEALTHCHECK of a server that is the container's first process, and of one that is not there.
# shellcheck disable=SC2016 # for the inner shell
in_debian "$folder" bash -euc '
    mount -t tmpfs tmpfs /tmp
    export FANFARE_STORE_URL=sqlite:/tmp/fanfare.db FANFARE_SERVER_LISTEN=127.0.0.1:18080
    # The probe asks whoever has the number 1, which is this shell: it is called so.
    exec -a "fanfare server " bash -euc '\''
        ! /usr/lib/fanfare/probe 2>/dev/null
        setpriv --reuid 10001 --regid 10001 --clear-groups fanfare server 2>/dev/null &
        for _ in {1..100}; do
            if /usr/lib/fanfare/probe 2>/dev/null; then exit; fi
            sleep 0.1
        done
        exit 1
    '\''
'
