# Alerts, recording rules and the dashboard; their names are held against a scrape in 70-running.sh. Sourced by check.sh.
# shellcheck shell=bash

check "alerts and rules" promtool check rules Deploy/prometheus/recording.yml Deploy/prometheus/alerts.yml
check "alerts fire and stay silent" promtool test rules Deploy/prometheus/alerts_test.yml
check "prometheus.yml" promtool check config Deploy/prometheus/prometheus.yml
# The token's file is where that runs; the rules are looked at above.
check "prometheus of compose.yaml" promtool check config --syntax-only Deploy/prometheus/compose.yml
operator_rule() { Deploy/prometheus/operator.sh | diff Deploy/kubernetes/overlays/production/prometheusrule.yaml -; }
check "the operator's object of rules and alerts" operator_rule
check "a runbook behind every alert" python Deploy/check/observing.py runbook

dashboard_expressions() (
    rules=$(mktemp)
    trap 'rm -f "$rules"' EXIT
    python Deploy/check/observing.py dashboard "$rules"
    promtool check rules "$rules"
)
check "Grafana's dashboard" dashboard_expressions
