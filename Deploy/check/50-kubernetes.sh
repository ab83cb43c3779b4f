# Every kustomization is built, and what comes out is checked. Sourced by check.sh.
# shellcheck shell=bash

kustomization() (
    built=$(mktemp)
    trap 'rm -f "$built"' EXIT
    kubectl kustomize "Deploy/kubernetes/$1" >"$built"
    kubernetes-validate --strict "$built"
    python Deploy/check/kubernetes.py "$built"
)
for overlay in base overlays/production overlays/keda-rabbitmq overlays/keda-prometheus; do
    check "kubernetes/$overlay" kustomization "$overlay"
done
check "kubernetes/secrets.example.yaml" kubernetes-validate --strict Deploy/kubernetes/secrets.example.yaml
