#!/bin/sh
# Checks the files in this folder with the programs that use them: `make deploy-check`. A check whose program is missing is
# skipped with a message.
set -eu
# Reports that a check is skipped, or fails if GSAR_REQUIRE lists the missing requirement.
skip() { # REQUIREMENT REASON
    case ",${GSAR_REQUIRE-}," in
        *",$1,"*) echo "error: GSAR_REQUIRE lists $1, but $2" >&2; exit 1 ;;
    esac
    echo "skipped: $2"
}
cd "$(dirname "$0")"
work=../../target/deploy
server=${SERVER:-../../target/debug/gsar-server}
mkdir -p "$work"

if command -v promtool >/dev/null; then
    promtool check rules prometheus/alerts.yaml
    promtool test rules prometheus/alerts_test.yaml
    python3 grafana/expressions.py grafana/gsar.json | promtool check rules /dev/stdin
else
    skip promtool "promtool is not installed (Debian package prometheus)"
fi

if command -v kubectl >/dev/null; then
    if [ ! -x "$work/venv/bin/kubernetes-validate" ]; then
        python3 -m venv "$work/venv"
        "$work/venv/bin/pip" install --quiet --disable-pip-version-check kubernetes-validate==1.37.0 ||
            skip kubernetes-validate "kubernetes-validate cannot be installed"
    fi
    for form in service sidecar; do
        kubectl kustomize "kubernetes/$form" >"$work/$form.yaml"
    done
    # Renders the chart with Helm 4 as a library, because Debian does not package the helm program.
    if "$work/venv/bin/pip" install --quiet --disable-pip-version-check helm-python-sdk==0.2.2 pyyaml; then
        # Checks the same archive that a release contains.
        sh release/archive.sh "$work/chart.tgz" helm gsar
        "$work/venv/bin/python" helm/check.py "$work/chart.tgz" "$work/service.yaml" "$work"
        ! command -v promtool >/dev/null || promtool check rules "$work"/helm-*.rules
        for config in "$work"/helm-*.toml; do
            if [ -x "$server" ]; then
                "$server" --config "$config" --print-config >/dev/null
            else
                skip server "$server, which checks $config, is missing; run make build"
            fi
        done
    else
        skip helm "helm-python-sdk cannot be installed"
    fi
    # The oldest Kubernetes version in which sidecars are enabled by default, and the latest version.
    for version in 1.29 1.37; do
        [ ! -x "$work/venv/bin/kubernetes-validate" ] ||
            "$work/venv/bin/kubernetes-validate" --quiet --strict --kubernetes-version "$version" "$work"/*.yaml
    done
else
    skip kubectl "kubectl is not installed"
fi

if command -v systemd-analyze >/dev/null; then
    mkdir -p "$work/systemd"
    cp systemd/gsar.socket "$work/systemd"
    # The unit's program must exist for this check. deb/check.sh checks the installed unit.
    sed "s|^ExecStart=[^ ]*|ExecStart=$(command -v true)|" systemd/gsar.service >"$work/systemd/gsar.service"
    systemd-analyze verify --man=no "$work/systemd/gsar.service" "$work/systemd/gsar.socket"
    # The threshold is the maximum exposure level, in tenths. The level of an unhardened unit is 96.
    systemd-analyze security --offline=true --no-pager --threshold=15 systemd/gsar.service >"$work/systemd/exposure" ||
        { cat "$work/systemd/exposure" && exit 1; }
    tail -n 1 "$work/systemd/exposure"
else
    skip systemd-analyze "systemd-analyze is not installed"
fi
