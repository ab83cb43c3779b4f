# The image and what is composed of it. Sourced by check.sh.
# shellcheck shell=bash disable=SC2154 # is_full is check.sh's

check "Dockerfile" hadolint Deploy/Dockerfile
# shellcheck disable=SC2016 # for grep
check "Dockerfile's images are arguments" test -z "$(grep '^FROM ' Deploy/Dockerfile | grep -v '^FROM \${\(BUILD\|RUNTIME\)_IMAGE}')"
check "compose.yaml" check-jsonschema --builtin-schema vendor.compose-spec Deploy/compose.yaml
check "compose.yaml's files" python Deploy/check/compose.py

check "the image's packages have every library" Deploy/check/image-libraries.sh

if [ "$is_full" = no ]; then
    skip "the image's runtime stage" "takes minutes; --full rehearses it"
elif [ "$(id -u)" != 0 ]; then
    skip "the image's runtime stage" "debootstrap and chroot need root"
else
    install_debian_packages debootstrap
    check "the image's runtime stage" Deploy/check/rehearse-image.sh
fi
