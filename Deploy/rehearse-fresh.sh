#!/usr/bin/env bash
# Both commands of the README on a bare Debian 12: made by debootstrap, with nothing but the Swift toolchain and the
# packages that swift.org names for it. What our scripts forget to install is found here and nowhere else.
#
#   Deploy/rehearse-fresh.sh [COMMIT]                  demo.sh and test.sh, about an hour on two cores (default HEAD)
#   Deploy/rehearse-fresh.sh --packages [COMMIT]       only makes the Debian and installs everything, minutes
#   Deploy/rehearse-fresh.sh --full [COMMIT]           test.sh --full
#
# Needs root, 12 GB below TMPDIR and the package mirror of this machine. Everything runs in namespaces of its own (mounts,
# processes, IPC) and is gone afterwards, also after a failure; the output stays in .build/rehearse-fresh.log. The last
# lines say what passed; they are test.sh's own last lines too.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
. Deploy/lib/install.sh
. Deploy/lib/bare-debian.sh

what=both full=''
case ${1-} in
    --packages) what=packages && shift ;;
    --full) full=--full && shift ;;
esac
[ "$(id -u)" = 0 ] || fail "debootstrap and chroot need root" 77
commit=$(git rev-parse --verify --quiet "${1:-HEAD}^{commit}") || fail "no commit ${1:-HEAD}" 64
[ -n "${1-}" ] || git diff --quiet HEAD || fail "there are changes that HEAD does not have: commit them, or name a commit" 64
require_swift
toolchain=$(dirname "$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")")
install_debian_packages debootstrap
mkdir -p .build
log=$PWD/.build/rehearse-fresh.log
debian=$(mktemp -d "${TMPDIR:-/tmp}/fanfare-fresh-XXXXXX")
: >"$log"
running=
# Mounts are in the namespace that ends with what runs in it: only files are left here.
clean_up() {
    local status=$?
    trap '' INT TERM
    [ -z "$running" ] || { kill "$running" && wait "$running"; } 2>/dev/null || true
    rm -rf --one-file-system "$debian"
    exit "$status"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Runs a command in the background, so that an interrupt is heard at once, and answers its exit code.
watched() {
    local status=0
    "$@" &
    running=$!
    wait "$running" || status=$?
    running=
    return "$status"
}

# alone COMMAND…: with mounts, processes and IPC of its own, all of which end with it.
alone() {
    exec unshare --mount --pid --ipc --uts --fork --kill-child "$@"
}

# swift.org, "Debian 12": what a toolchain from there wants; certificates for git and pip.
toolchain_packages=(
    binutils-gold ca-certificates gcc git libcurl4-openssl-dev libedit-dev libicu-dev libncurses-dev libpython3-dev
    libsqlite3-dev libstdc++-12-dev libxml2-dev pkg-config tzdata uuid-dev
)

mirror=$(debian_mirror)
step "making a Debian 12 from $mirror"
watched alone --mount-proc debootstrap --variant=minbase bookworm "$debian" "$mirror" >>"$log" 2>&1 || { tail -n 20 "$log"; fail "debootstrap failed; see $log"; }
configure_debian "$debian"
# How git and pip find packages from this machine.
for file in /etc/gitconfig /etc/pip.conf; do
    [ ! -f "$file" ] || cp "$file" "$debian$file"
done
step "cloning $commit"
git -c advice.detachedHead=false clone --quiet --no-local "$PWD" "$debian/root/fanfare"
git -C "$debian/root/fanfare" -c advice.detachedHead=false checkout --quiet "$commit"

# What else is bound into it, read-only: the toolchain, packages of Swift and Python that lie on this machine, and its
# certificates, which a proxy's may be one of.
bound=("$toolchain")
for folder in /opt/swift-packages ${PIP_FIND_LINKS:-}; do [ ! -d "$folder" ] || bound+=("$folder"); done
certificates=/etc/ssl/certs/ca-certificates.crt

# enter COMMAND…: runs a command in the Debian, alone.
enter() {
    local settings=(HOME=/root TERM=dumb "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:$toolchain/usr/bin")
    local name
    for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY GIT_SSL_CAINFO \
        PIP_CERT PIP_DEFAULT_TIMEOUT PIP_FIND_LINKS PIP_INDEX_URL PIP_DISABLE_PIP_VERSION_CHECK; do
        [ -z "${!name-}" ] || settings+=("$name=${!name}")
    done
    # shellcheck disable=SC2016 # for the inner shell
    alone bash -euc '
        debian=$1 certificates=$2 count=$3
        shift 3
        mount -t proc proc "$debian/proc"
        mount --rbind /dev "$debian/dev"
        mount -t tmpfs shm "$debian/dev/shm"
        mount --rbind -o ro /sys "$debian/sys"
        for folder in "${@:1:count}"; do
            mkdir -p "$debian$folder"
            mount --bind "$folder" "$debian$folder"
            mount -o remount,bind,ro "$debian$folder"
        done
        shift "$count"
        if [ -f "$certificates" ] && [ -f "$debian$certificates" ]; then mount --bind "$certificates" "$debian$certificates"; fi
        exec chroot "$debian" "$@"
    ' rehearse "$debian" "$certificates" "${#bound[@]}" "${bound[@]}" /usr/bin/env -i "${settings[@]}" "$@"
}

# run NAME COMMAND…: the command in the clone; its output is shown and kept, its time told at the end.
passed=()
run() {
    local name=$1 began=$SECONDS
    shift
    step "$name on a bare Debian"
    # shellcheck disable=SC2016 # for the inner shell
    tail -q -n +1 -F "$debian/$name.log" 2>/dev/null &
    local showing=$! status=0
    watched enter /bin/bash -c 'cd /root/fanfare && exec "$@"' "$name" "$@" >"$debian/$name.log" 2>&1 || status=$?
    cat "$debian/$name.log" >>"$log"
    kill "$showing"
    wait "$showing" 2>/dev/null || true
    [ "$status" = 0 ] \
        || fail "$name failed on a bare Debian 12 after $((SECONDS - began)) s; the whole output is in $log"
    passed+=("$name passed on a bare Debian 12 in $((SECONDS - began)) s, commit ${commit:0:12}")
}

step "installing what swift.org names for its toolchain"
watched enter /bin/bash -euc '
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends "$@"
    swift --version
' packages "${toolchain_packages[@]}" >>"$log" 2>&1 || { tail -n 20 "$log"; fail "the toolchain's packages were not installed; see $log"; }

# What each script installs, by its own functions.
# shellcheck disable=SC2016 # for the inner shell
packages='
    . Deploy/lib/install.sh
    require_swift
    install_packages
    install_debian_packages "${browser_packages[@]}" "${check_packages[@]}"
    install_python_producer "$PWD/.build/python"
    install_python_judges "$PWD/.build/python"
    install_python_validators "$PWD/.build/validators"
    for program in node bwrap promtool amqp-publish chromedriver firefox-esr rabbitmq-server h2load shellcheck; do
        command -v "$program" >/dev/null || fail "no script installs $program"
    done
    swift package resolve
    getent ahosts localhost
'
case $what in
    packages) run install /bin/bash -euc "$packages" rehearse ;;
    both)
        run demo.sh Deploy/demo.sh
        # Each command begins with an empty clone.
        git -C "$debian/root/fanfare" clean -fdxq
        run test.sh Deploy/test.sh ${full:+"$full"}
        ;;
esac

printf '\n'
printf 'rehearse-fresh.sh: %s\n' "${passed[@]}"
[ "$what" = packages ] || sed -n '/^Every one of/p' "$debian/demo.sh.log"
[ "$what" = packages ] || grep -aE '^(test\.sh|UNSTEADY):' "$debian/test.sh.log" || true
