# Installs what a fresh Debian 12 with a Swift toolchain lacks. Sourced by test.sh and private-run.sh.
# shellcheck shell=bash

# What the package needs to build, and the servers and clients that its tests talk to.
fanfare_packages=(
    pkg-config libnghttp2-dev libssl-dev librabbitmq-dev libsqlite3-dev libpq-dev
    rabbitmq-server postgresql nghttp2-client openssl curl python3-venv
)

fail() {
    printf '%s: %s\n' "$(basename "$0")" "$1" >&2
    exit "${2:-1}"
}

step() {
    printf '==> %s\n' "$1"
}

is_installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Runs a command as root; never asks for a password where nobody can type one.
as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif sudo -n true 2>/dev/null; then
        sudo -n "$@"
    elif [ -t 2 ] && command -v sudo >/dev/null; then
        sudo "$@"
    else
        fail "root is needed to install packages; run once: sudo apt-get install -y --no-install-recommends ${missing_packages[*]}" 77
    fi
}

# The broker's package starts its service while it is installed. We only want its files: our nodes are private.
with_services_kept_down() {
    local policy=/usr/sbin/policy-rc.d status=0
    if [ -e "$policy" ]; then
        "$@"
        return
    fi
    as_root sh -c "printf '#!/bin/sh\nexit 101\n' > $policy && chmod 755 $policy"
    "$@" || status=$?
    as_root rm -f "$policy"
    return "$status"
}

install_packages() {
    local package broker_was_there=no
    missing_packages=()
    for package in "${fanfare_packages[@]}"; do
        is_installed "$package" || missing_packages+=("$package")
    done
    [ "${#missing_packages[@]}" -gt 0 ] || return 0
    command -v apt-get >/dev/null || fail "missing ${missing_packages[*]}, and this is no Debian: install them by hand" 69
    step "installing ${missing_packages[*]}"
    is_installed rabbitmq-server && broker_was_there=yes
    as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq </dev/null || fail "apt-get update failed" 69
    with_services_kept_down as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "${missing_packages[@]}" </dev/null \
        || fail "apt-get install failed: ${missing_packages[*]}" 69
    if [ "$broker_was_there" = no ] && command -v systemctl >/dev/null; then
        as_root systemctl disable --quiet rabbitmq-server 2>/dev/null || true
    fi
}

# Packages of Python in a folder of its own below .build, unless a line that imports them works there.
install_python_packages() {
    local folder=$1 imports=$2
    shift 2
    "$folder/bin/python" -c "$imports" 2>/dev/null && return
    step "installing $* for Python into $folder"
    { /usr/bin/python3 -m venv "$folder" && "$folder/bin/pip" install --quiet --disable-pip-version-check "$@"; } \
        </dev/null || fail "$* could not be installed into $folder" 69
}

# A producer in another language: Python with pika.
install_python_producer() {
    install_python_packages "$1" 'import pika' 'pika>=1.3,<2'
    export PRODUCER_PYTHON="$1/bin/python"
}

# Others' work that judges ours: google-auth and cryptography our tokens, pywebpush's http-ece our encryption.
install_python_judges() {
    install_python_packages "$1" 'import cryptography, google.auth.jwt, http_ece' \
        'cryptography>=48,<51' 'google-auth>=2.40,<3' 'http-ece>=1.2,<2'
    export JUDGE_PYTHON="$1/bin/python"
}

require_swift() {
    command -v swift >/dev/null || PATH="$PATH:/opt/swift/usr/bin"
    command -v swift >/dev/null || fail "no swift found: install Swift 6.2 or later from swift.org" 69
}
