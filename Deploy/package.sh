#!/usr/bin/env bash
# Makes a Debian package of a release: the program with the Swift libraries it needs, units, the user, manual page,
# completions, alerts and examples.
#
#   Deploy/package.sh [--program FILE] [FOLDER]
#
# The package goes to FOLDER (.build), and its path alone to standard output. FILE is the built program; without it the
# release build is taken, and made when there is none. The version is the program's own, with the commit it tells; the packages it
# depends on are those that the libraries of this machine are in (dpkg-shlibdeps): build on the Debian it is for.
# FANFARE_MAINTAINER names who answers for the package.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
. Deploy/lib/install.sh

program=
if [ "${1-}" = --program ]; then
    program=${2:?FILE is missing}
    shift 2
fi
[ $# -le 1 ] || fail "usage: package.sh [--program FILE] [FOLDER]" 64
folder=${1:-.build}
for tool in dpkg-deb dpkg-shlibdeps strip; do
    command -v "$tool" >/dev/null || install_debian_packages dpkg-dev binutils >&2
done
if [ -z "$program" ]; then
    require_swift
    program=$(swift build -c release --show-bin-path)/fanfare
    if [ ! -x "$program" ]; then
        install_packages >&2
        swift build -c release --explicit-target-dependency-import-check error --product fanfare >&2 || fail "the build failed"
    fi
fi
[ -x "$program" ] || fail "there is no program $program" 64

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
root=$tree/root
# put MODE FILE PATH: a file at its place in the package.
put() { install -D -m "$1" "$2" "$root$3"; }

Deploy/lib/stage-runtime.sh "$program" "$root/usr/lib/fanfare"
put 755 Deploy/lib/backup.sh /usr/lib/fanfare/backup
put 755 Deploy/lib/probe.sh /usr/lib/fanfare/probe
mkdir -p "$root/usr/bin"
ln -s ../lib/fanfare/fanfare "$root/usr/bin/fanfare"

# With their links: an alias, and what all units are alike in.
mkdir -p "$root/lib/systemd/system"
for unit in Deploy/systemd/*.{service,timer,slice,service.d}; do
    cp -R --no-dereference "$unit" "$root/lib/systemd/system/"
done
chmod -R u=rwX,go=rX "$root/lib/systemd/system"
put 644 Deploy/systemd/sysusers.conf /usr/lib/sysusers.d/fanfare.conf

# Only the group fanfare comes into the folder.
put 644 Deploy/debian/fanfare.yaml /etc/fanfare/fanfare.yaml
for example in Deploy/systemd/*.env.example; do
    file=${example##*/}
    put 644 "$example" "/etc/fanfare/${file%.example}"
done

mkdir -p "$root/usr/share/man/man1" "$root/usr/share/bash-completion/completions" \
    "$root/usr/share/zsh/vendor-completions" "$root/usr/share/fish/vendor_completions.d"
"$program" manual | gzip -9n >"$root/usr/share/man/man1/fanfare.1.gz"
"$program" --generate-completion-script bash >"$root/usr/share/bash-completion/completions/fanfare"
"$program" --generate-completion-script zsh >"$root/usr/share/zsh/vendor-completions/_fanfare"
"$program" --generate-completion-script fish >"$root/usr/share/fish/vendor_completions.d/fanfare.fish"

# Only what Git tracks: what somebody has lying about is not shipped.
git ls-files -z -- Deploy/examples Deploy/schema Deploy/prometheus Deploy/grafana Deploy/rabbitmq |
    while IFS= read -r -d '' file; do put 644 "$file" "/usr/share/doc/fanfare/${file#Deploy/}"; done

told=$("$program" --version)
[[ $told =~ ^fanfare\ ([0-9][0-9.]*) ]] || fail "$program tells no version: $told"
version=${BASH_REMATCH[1]}
# Later commits of one version are not later versions: the commit is told, and does not sort.
[[ ! $told =~ commit\ ([0-9a-f]+) ]] || version+=+${BASH_REMATCH[1]}
architecture=$(dpkg --print-architecture)

mkdir -p "$root/DEBIAN" "$tree/debian"
printf 'Source: fanfare\n\nPackage: fanfare\nArchitecture: any\n' >"$tree/debian/control"
depends=$(cd "$tree" && dpkg-shlibdeps -O -l"$root/usr/lib/fanfare" --ignore-missing-info "$root/usr/lib/fanfare/fanfare" \
    "$root"/usr/lib/fanfare/*.so 2>"$tree/shlibdeps" | sed -n 's/^shlibs:Depends=//p')
[ -n "$depends" ] || { cat "$tree/shlibdeps" >&2; fail "dpkg-shlibdeps found no packages"; }
control=$(<Deploy/debian/control)
control=${control/@VERSION@/$version}
control=${control/@ARCHITECTURE@/$architecture}
control=${control/@MAINTAINER@/${FANFARE_MAINTAINER:-Fanfare <root@localhost>}}
control=${control/@SIZE@/$(du -k -s "$root" | cut -f 1)}
printf '%s\n' "${control/@DEPENDS@/$depends}" >"$root/DEBIAN/control"
for script in postinst prerm postrm; do put 755 "Deploy/debian/$script" "/DEBIAN/$script"; done
(cd "$root" && find etc -type f -printf '/%p\n' | sort) >"$root/DEBIAN/conffiles"
(cd "$root" && find . -path ./DEBIAN -prune -o -type f -printf '%P\0' | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"

mkdir -p "$folder"
package=$folder/fanfare_${version}_$architecture.deb
dpkg-deb --root-owner-group --build "$root" "$package" >&2
printf '%s\n' "$package"
