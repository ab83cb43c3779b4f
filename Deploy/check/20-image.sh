# The image, what is composed of it, and the Debian package. Sourced by check.sh.
# shellcheck shell=bash disable=SC2154 # is_full is check.sh's

check "Dockerfile" hadolint Deploy/Dockerfile
# shellcheck disable=SC2016 # for grep
check "Dockerfile's images are arguments" test -z "$(grep '^FROM ' Deploy/Dockerfile | grep -v '^FROM \${\(BUILD\|RUNTIME\)_IMAGE}')"
# The step of the Dockerfile that refuses an image without a digest, run as it stands there.
judges_digests() {
    local step digest good wrong
    step=$(sed -n '/^RUN for image in/,/done$/{s/^RUN //; p}' Deploy/Dockerfile)
    judge() { BUILD_IMAGE=$1 RUNTIME_IMAGE=$2 sh -c "$step"; }
    digest=$(sha256sum <Deploy/Dockerfile | cut -c-64)
    good=registry.example.com:5000/swift:6.3-bookworm@sha256:$digest
    judge "$good" "debian@sha256:$digest" || return 1
    for wrong in '' debian:bookworm-slim "@sha256:$digest" "debian@sha256:${digest%?}" "debian@sha256:${digest}0" \
        "debian@sha256:${digest/?/Z}" "debian@sha512:$digest"; do
        if judge "$good" "$wrong" 2>/dev/null || judge "$wrong" "$good" 2>/dev/null; then echo "it takes: $wrong"; return 1; fi
    done
}
check "Dockerfile refuses images without a digest" judges_digests
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
