#!/bin/sh
# Checks what lies here with the programs that read it: `make deploy-check`. What is not at hand is skipped, and said so.
set -eu
cd "$(dirname "$0")"
work=../../target/deploy
mkdir -p "$work"

if command -v promtool >/dev/null; then
    promtool check rules prometheus/alerts.yaml
    promtool test rules prometheus/alerts_test.yaml
    python3 grafana/expressions.py grafana/gsar.json | promtool check rules /dev/stdin
else
    echo "skipped: no promtool here, which is in Debian's package prometheus"
fi

if command -v kubectl >/dev/null; then
    if [ ! -x "$work/venv/bin/kubernetes-validate" ]; then
        python3 -m venv "$work/venv"
        "$work/venv/bin/pip" install --quiet --disable-pip-version-check kubernetes-validate==1.37.0 ||
            echo "skipped: kubernetes-validate cannot be fetched here"
    fi
    for form in service sidecar; do
        kubectl kustomize "kubernetes/$form" >"$work/$form.yaml"
        # The oldest version in which a sidecar is on without being asked for, and the latest.
        for version in 1.29 1.37; do
            [ ! -x "$work/venv/bin/kubernetes-validate" ] ||
                "$work/venv/bin/kubernetes-validate" --strict --kubernetes-version "$version" "$work/$form.yaml"
        done
    done
else
    echo "skipped: no kubectl here"
fi
