#!/usr/bin/env bash
# The Debian package, installed in a bare Debian made by debootstrap, where systemd runs its units: a campaign goes from
# RabbitMQ through fanfare@10 to a simulator, the ledger is backed up, and the package is removed again.
set -euo pipefail
cd "$(dirname "$0")/../.."
. Deploy/lib/bare-debian.sh
. Deploy/lib/rabbitmq-node.sh
folder=$(mktemp -d)
chmod 755 "$folder"
debian=$folder/debian
# shellcheck disable=SC2329 # called by the trap
clean_up() {
    local status=$?
    trap - EXIT
    [ "$status" = 0 ] || [ "$status" = 77 ] || [ -z "${booted-}" ] || in_booted journalctl --no-pager -q -n 60 2>/dev/null || true
    (stop_node "$folder/node") 2>/dev/null || true
    stop_debian
    rm -rf --one-file-system "$folder"
    exit "$status"
}
trap clean_up EXIT

# What a package is compressed with is not looked at here.
package=$(DPKG_DEB_COMPRESSOR_TYPE=none Deploy/package.sh --program "$(swift build --show-bin-path)/fanfare" "$folder")
make_debian "$debian"
in_debian "$debian" apt-get update -qq
mv "$package" "$debian/fanfare.deb"
in_debian "$debian" apt-get install -y -qq --no-install-recommends /fanfare.deb >"$folder/installed" 2>&1 || { cat "$folder/installed"; exit 1; }
rm "$debian/fanfare.deb"

echo "what was installed"
told=$(in_debian "$debian" fanfare --version)
# shellcheck disable=SC2016 # dpkg's own variable
# + in a version is what dpkg has instead of the words around the commit.
version=$(in_debian "$debian" dpkg-query -W -f '${Version}' fanfare)
[ "$told" = "fanfare ${version%%+*} (commit ${version#*+})" ] || { echo "$told is not $version"; exit 1; }
[ "$(in_debian "$debian" stat -c '%U:%G:%a' /etc/fanfare /etc/fanfare/secrets /var/lib/fanfare | tr '\n' ' ')" \
    = 'root:fanfare:750 root:root:700 fanfare:fanfare:750 ' ]
in_debian "$debian" dpkg --verify fanfare | tee "$folder/changed"
[ ! -s "$folder/changed" ]
gzip -dc "$debian/usr/share/man/man1/fanfare.1.gz" | grep '^\.SH COMMANDS' >/dev/null
in_debian "$debian" bash -euc '. /usr/share/bash-completion/completions/fanfare && complete -p fanfare'
strays=$(in_debian "$debian" ldd /usr/lib/fanfare/fanfare | grep -E 'not found|/opt/swift|/usr/lib/swift/' || true)
[ -z "$strays" ] || { echo "$strays"; exit 1; }
! readelf -S "$debian/usr/lib/fanfare/fanfare" | grep -E '\.debug_info|\.symtab' || { echo "it is not stripped"; exit 1; }
# A worker that was enabled by the unit's earlier name is enabled by the present one.
wants=$debian/etc/systemd/system/multi-user.target.wants
mkdir -p "$wants"
ln -s /lib/systemd/system/fanfare-worker@.service "$wants/fanfare-worker@12.service"
in_debian "$debian" /var/lib/dpkg/info/fanfare.postinst configure
[ "$(find "$wants" -name 'fanfare*' -printf '%f %l\n')" = 'fanfare@12.service /lib/systemd/system/fanfare@.service' ]
rm "$wants/fanfare@12.service"

status=0
boot_debian "$debian" || status=$?
[ "$status" != 77 ] || { echo "it is installed; systemd has no control group here to run its units"; exit 77; }
[ "$status" = 0 ] || { echo "systemd did not start"; exit 1; }
echo "systemd $(in_booted systemctl --version | head -n 1)"
in_booted systemctl enable -q fanfare@10 fanfare-server fanfare-edge fanfare-backup.timer
# In the Debian's network, which is a loopback alone.
# shellcheck disable=SC2016 # for the inner shell
nsenter --target "$booted" --net bash -euc '. Deploy/lib/rabbitmq-node.sh && start_node "$0"' "$folder/node" >"$folder/urls"
{ read -r amqp && read -r management; } <"$folder/urls"
for name in amqp-url server-amqp-url edge-amqp-url admin-amqp-url; do printf '%s\n' "$amqp" >"$debian/etc/fanfare/secrets/$name"; done
printf 'sqlite:/var/lib/fanfare/fanfare.db\n' >"$debian/etc/fanfare/secrets/store-url"
printf 'FANFARE_AMQP_MANAGEMENT_URL=%s\n' "$management" >>"$debian/etc/fanfare/fanfare.env"
# Keys as an operator has them: root's, for the group to read.
cat >"$debian/etc/systemd/system/simulator.service" <<'UNIT'
[Service]
ExecStart=/usr/bin/fanfare simulator --folder /etc/fanfare
UNIT
in_booted systemctl start simulator
waited=0
until [ -s "$debian/etc/fanfare/apps.yaml" ]; do
    waited=$((waited + 1))
    [ $waited -lt 100 ] || { echo "the simulator has written no apps.yaml"; exit 1; }
    sleep 0.1
done
sed -i '/^apps:/,$d' "$debian/etc/fanfare/fanfare.yaml"
printf 'apps: {file: /etc/fanfare/apps.yaml}\n' >>"$debian/etc/fanfare/fanfare.yaml"
in_booted bash -euc 'find /etc/fanfare -maxdepth 1 -type f -exec chgrp fanfare {} + -exec chmod 0640 {} +'

echo "the units"
in_booted systemctl start fanfare-topology
# The command may be of a later commit than this script.
! in_booted fanfare store --help | grep '^ *migrate ' >/dev/null || in_booted systemctl start fanfare-migrate
in_booted systemctl start fanfare@10 fanfare-server fanfare-edge
in_booted systemctl is-active fanfare@10 fanfare-server fanfare-edge
for place in '9470 /livez' '9470 /readyz' '8080 /readyz' '8081 /readyz' '8082 /readyz' '8443 /livez'; do
    # shellcheck disable=SC2086 # port and path
    in_booted /usr/lib/fanfare/probe $place
done
# The edge is no API.
! in_booted /usr/lib/fanfare/probe 8081 /v1/campaigns || exit 1
! in_booted /usr/lib/fanfare/probe 8082 /v1/campaigns || exit 1
in_booted env FANFARE_AMQP_URL_FILE=/etc/fanfare/secrets/admin-amqp-url FANFARE_STORE_URL_FILE=/etc/fanfare/secrets/store-url \
    fanfare campaign send /usr/share/doc/fanfare/examples/jobs/minimal.json --config /etc/fanfare/fanfare.yaml --wait --timeout 60s
in_booted systemctl reload fanfare@10
# By its earlier name a worker is the same unit, and finds its files.
in_booted systemctl start fanfare-worker@11
in_booted systemctl is-active fanfare@11
in_booted /usr/lib/fanfare/probe 9471 /readyz
in_booted systemctl stop fanfare-worker@11
in_booted systemctl start fanfare-backup
[ "$(find "$debian/var/lib/fanfare/backups" -name 'fanfare-*.db' | wc -l)" = 1 ]
in_booted journalctl -q --no-pager -o cat -u fanfare-backup | grep 'restores: '
in_booted systemctl stop fanfare@10 fanfare-server
[ "$(in_booted systemctl show -P Result fanfare@10 fanfare@11 fanfare-server | sort -u | tr -d '\n')" = success ]
in_booted journalctl -q --no-pager -o cat -u fanfare@10 | grep 'worker has stopped' >/dev/null

echo "removed again"
in_booted env DEBIAN_FRONTEND=noninteractive apt-get purge -y -qq fanfare >"$folder/purged" 2>&1 || { cat "$folder/purged"; exit 1; }
! in_booted systemctl is-active fanfare-edge || exit 1
[ ! -e "$debian/usr/lib/fanfare" ] && [ ! -e "$debian/etc/fanfare/fanfare.yaml" ]
# What is the operator's stays.
[ -s "$debian/var/lib/fanfare/fanfare.db" ] && [ -s "$debian/etc/fanfare/secrets/store-url" ]
grep -q '/var/lib/fanfare is left' "$folder/purged"
