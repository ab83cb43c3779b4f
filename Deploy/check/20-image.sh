# The image, what is composed of it, and the Debian package. Sourced by check.sh.
# shellcheck shell=bash disable=SC2154 # is_full is check.sh's

check "Dockerfile" hadolint Deploy/Dockerfile
# shellcheck disable=SC2016 # for grep
check "Dockerfile's images are arguments" test -z "$(grep '^FROM ' Deploy/Dockerfile | grep -v '^FROM \${\(BUILD\|RUNTIME\)_IMAGE}')"
labels_and_health() {
    local label
    for label in title description version revision source documentation base.name; do
        grep -q "org.opencontainers.image.$label=" Deploy/Dockerfile || { echo "the image has no label $label"; return 1; }
    done
    grep -q '^HEALTHCHECK' Deploy/Dockerfile
}
check "Dockerfile's labels and HEALTHCHECK" labels_and_health
check "compose.yaml" check-jsonschema --builtin-schema vendor.compose-spec Deploy/compose.yaml
check "compose.yaml's files" python Deploy/check/compose.py

check "the image's packages have every library" Deploy/check/image-libraries.sh

if [ "$is_full" = no ]; then
    skip "the image's runtime stage, and the Debian package" "they take minutes; --full rehearses them"
elif [ "$(id -u)" != 0 ]; then
    skip "the image's runtime stage, and the Debian package" "debootstrap and chroot need root"
else
    install_debian_packages debootstrap dpkg-dev binutils
    check "the image's runtime stage" Deploy/check/rehearse-image.sh
    check "the Debian package, its units run by systemd" Deploy/check/rehearse-package.sh
fi
