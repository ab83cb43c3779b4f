#!/usr/bin/env bash
# Exits with 0 when a path of a loopback port answers 200: what containers are asked with, which have no curl.
#
#   probe.sh 9464 /readyz
set -euo pipefail
[ $# = 2 ] || { echo "usage: probe.sh PORT PATH" >&2; exit 64; }
exec 3<>"/dev/tcp/127.0.0.1/$1"
printf 'GET %s HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n' "$2" >&3
read -r _ status _ <&3
[ "$status" = 200 ]
