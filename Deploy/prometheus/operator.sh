#!/usr/bin/env bash
# Prints recording rules and alerts as an object of the Prometheus operator:
#
#   Deploy/prometheus/operator.sh >Deploy/kubernetes/overlays/production/prometheusrule.yaml
set -euo pipefail
cd "$(dirname "$0")"
cat <<'OBJECT'
# Made by Deploy/prometheus/operator.sh from recording.yml and alerts.yml: change those, and make it again.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: fanfare
spec:
  groups:
OBJECT
for file in recording.yml alerts.yml; do sed '1,/^groups:/d; s/^/  /' "$file"; done
