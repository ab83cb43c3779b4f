# shellcheck shell=bash
# A bare Debian 12 in a folder, made by debootstrap, and systemd as its first process. Needs root and this machine's
# package mirror. Sourced.

# The mirror of this machine's own packages.
debian_mirror() {
    local mirror
    mirror=$(sed -nE 's/^(URIs:|deb( \[[^]]*\])?) +(https?:[^ ]*\/debian\/?)( .*)?$/\3/p' \
        /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -n 1 || true)
    printf '%s\n' "${mirror:-http://deb.debian.org/debian}"
}

# configure_debian FOLDER: what finds packages from this machine: mirrors, the proxies of apt, and names of hosts.
configure_debian() {
    local file
    # mktemp lets nobody but root in.
    chmod 755 "$1"
    # Debian's own, as an installation has it.
    printf '%s\n' '127.0.0.1 localhost' '::1 localhost ip6-localhost ip6-loopback' >"$1/etc/hosts"
    cp /etc/resolv.conf "$1/etc/resolv.conf"
    for file in /etc/apt/sources.list.d/debian.sources /etc/apt/apt.conf.d/*proxy*; do
        [ -f "$file" ] || continue
        cp "$file" "$1$file"
    done
    [ ! -f "$1/etc/apt/sources.list.d/debian.sources" ] || : >"$1/etc/apt/sources.list"
}

# make_debian FOLDER
make_debian() {
    local log
    log=$(mktemp)
    unshare --mount --pid --ipc --uts --fork --kill-child --mount-proc \
        debootstrap --variant=minbase bookworm "$1" "$(debian_mirror)" >"$log" 2>&1 || { tail -n 20 "$log"; return 1; }
    rm -f "$log"
    configure_debian "$1"
}

# in_debian FOLDER COMMAND…: with /proc, by which the loader finds $ORIGIN, and no service of a package that is installed.
in_debian() {
    # shellcheck disable=SC2016 # for the inner shell
    unshare --mount --pid --ipc --uts --fork --kill-child bash -euc '
        mount -t proc proc "$0/proc"
        mount --rbind /dev "$0/dev"
        exec chroot "$0" /usr/bin/env -i HOME=/root TERM=dumb LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"' "$@"
}

# boot_debian FOLDER: starts systemd with processes, mounts, network and control groups of its own, and sets `booted` to
# its pid. There is no network but a loopback. 77 where no control group can be made.
boot_debian() {
    local groups=/sys/fs/cgroup type=(cgroup2) waited=0
    if [ ! -e $groups/cgroup.controllers ]; then groups+=/systemd type=(cgroup -o 'none,name=systemd,xattr'); fi
    boot_group=$groups/fanfare-$BASHPID
    mkdir "$boot_group" 2>/dev/null || return 77
    # systemd counts on a root that is its own: a user namespace cannot be made in a chroot, and a credential reaches a
    # unit through mounts that are shared.
    # shellcheck disable=SC2016 # for the inner shells
    bash -euc '
        group=$1 debian=$2
        shift 2
        echo $$ >"$group/cgroup.procs"
        exec unshare --mount --pid --cgroup --net --uts --ipc --fork --kill-child bash -euc '\''
            cd "$0"
            mount --make-rprivate /
            mount --bind . .
            cd "$0"
            mount -t proc proc proc
            mount -t sysfs -o ro sysfs sys
            place=sys/fs/cgroup
            if [ "$1" = cgroup ]; then
                mount -t tmpfs tmpfs $place
                place+=/systemd
                mkdir $place
            fi
            mount -t "$@" none $place
            mount -t tmpfs tmpfs run
            mount -t tmpfs tmpfs dev
            for device in null zero full random urandom tty; do
                touch dev/$device
                mount --bind /dev/$device dev/$device
            done
            ln -s /proc/self/fd dev/fd
            mkdir dev/shm dev/pts .outside
            mount -t tmpfs shm dev/shm
            mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
            ln -s pts/ptmx dev/ptmx
            pivot_root . .outside
            exec chroot . /bin/sh -euc "
                umount -l /.outside
                rmdir /.outside
                mount --make-rshared /
                exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin \
                    /lib/systemd/systemd --system --log-target=journal --show-status=no systemd.unit=multi-user.target
            "
        '\'' "$debian" "$@"
    ' boot "$boot_group" "$1" "${type[@]}" </dev/null >"$1/var/log/boot" 2>&1 &
    boot_shell=$!
    while ! { booted=$(pgrep -P "$boot_shell") && in_booted systemctl is-system-running --quiet; } 2>/dev/null; do
        waited=$((waited + 1))
        [ $waited -lt 150 ] || { cat "$1/var/log/boot"; stop_debian; return 1; }
        sleep 0.2
    done
}

# in_booted COMMAND…: in the Debian that runs.
in_booted() {
    (
        cd /
        exec nsenter --target "$booted" --mount --pid --net --uts --ipc --cgroup --root --wd /usr/bin/env -i HOME=/root \
            TERM=dumb LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
    )
}

# Ends everything that runs in it.
stop_debian() {
    [ -n "${boot_shell-}" ] || return 0
    # The first process of a namespace takes the others with it.
    kill -KILL "${booted:-$boot_shell}" "$boot_shell" 2>/dev/null || true
    wait "$boot_shell" 2>/dev/null || true
    boot_shell=
    sleep 0.2
    find "$boot_group" -depth -type d -exec rmdir {} \; 2>/dev/null || true
}
