#!/usr/bin/env bash
# Prints the rules with links to your copy of the runbook: as an object of the Prometheus operator, or the file of alerts
# for a Prometheus that reads files.
#
#   export RUNBOOK_URL=https://git.yours.example/ops/fanfare/blob/main/Sources/Fleet/Documentation.docc/Runbook.md
#   Deploy/prometheus/operator.sh >Deploy/kubernetes/overlays/production/prometheusrule.yaml
#   Deploy/prometheus/operator.sh alerts >/etc/prometheus/fanfare/alerts.yml
#
# RUNBOOK_URL is the address of that page; without it the links are those of alerts.yml.
set -euo pipefail
cd "$(dirname "$0")"
shipped=https://git.example.com/fanfare/blob/main/Sources/Fleet/Documentation.docc/Runbook.md
page=${RUNBOOK_URL-$shipped}
[[ $page =~ ^https?://[^[:space:]\"\'#\&\\]+$ ]] || {
    printf 'operator.sh: RUNBOOK_URL is the address of a page, without # and what follows, such as %s\n' "$shipped" >&2
    printf 'and not %s\n' "$page" >&2
    exit 64
}

linked() { sed "s#$shipped#$page#" "$1"; }

case ${1-object} in
    alerts) linked alerts.yml ;;
    object)
        cat <<'OBJECT'
# Made by Deploy/prometheus/operator.sh from recording.yml and alerts.yml: change those, and make it again.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: fanfare
spec:
  groups:
OBJECT
        for file in recording.yml alerts.yml; do linked "$file" | sed '1,/^groups:/d; s/^/  /'; done
        ;;
    *)
        printf 'operator.sh: object or alerts, not %s\n' "$1" >&2
        exit 64
        ;;
esac
