#!/usr/bin/env bash
# Holds everything in Deploy/ against offline validators, one line a check; installs what it needs (Debian packages, and
# folders of Python packages below .build). Uses the debug build and makes it when there is none.
#
#   Deploy/check.sh           what CI runs
#   Deploy/check.sh --full    also the image's packages, and the Debian package, in Debians made by debootstrap, as root
#
# Nothing is sent to a network but requests for packages; servers are private ones on loopback.
# shellcheck disable=SC2034 # what is set here is for the subjects in Deploy/check
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
. Deploy/lib/install.sh
. Deploy/lib/checks.sh
is_full=no
[ "${1-}" != --full ] || is_full=yes
require_swift
install_debian_packages "${check_packages[@]}"
validators=$PWD/.build/validators
install_python_validators "$validators"
install_python_producer "$PWD/.build/python"
generator=$PWD/.build/generator
install_python_generator "$generator"
export PATH="$validators/bin:$PATH"
mapfile -t scripts < <(find Deploy -name '*.sh' | sort)
mapfile -t yaml_files < <(find Deploy -name '*.y*ml' | sort)

# shellcheck source=/dev/null
for subject in Deploy/check/[0-9]*.sh; do . "$subject"; done
end_of_checks
