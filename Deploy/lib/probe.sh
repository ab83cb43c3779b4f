#!/usr/bin/env bash
# Exits with 0 when a path of a loopback port answers 200: what containers are asked with, which have no curl.
#
#   probe.sh 9464 /readyz
#   probe.sh                 the image's HEALTHCHECK: /livez of the worker or server that is the container's command
set -euo pipefail
case $# in
    2) port=$1 path=$2 ;;
    0)
        path=/livez
        case " $(tr '\0' ' ' </proc/1/cmdline)" in
            *' worker '*) port=${FANFARE_WORKER_LISTEN:-:9464} ;;
            *' server '*) port=${FANFARE_SERVER_LISTEN:-:8080} ;;
            # Other commands end by themselves.
            *) exit 0 ;;
        esac
        port=${port##*:}
        ;;
    *) echo "usage: probe.sh [PORT PATH]" >&2; exit 64 ;;
esac
exec 3<>"/dev/tcp/127.0.0.1/$port"
printf 'GET %s HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n' "$path" >&3
if [ -n "${FANFARE_SERVER_CERTIFICATE_FILE-}" ]; then
    # A server with a certificate ends a connection that does not speak TLS; one whose loop is stuck leaves it waiting.
    IFS= read -r -n 1 -t 3 <&3 || [ $? = 1 ]
    exit
fi
read -r _ status _ <&3
[ "$status" = 200 ]
