"""Lints and renders the packed chart with the library of Helm, and compares it with the kustomize base of the service:
helm/check.py CHART.tgz SERVICE.yaml FOLDER, where SERVICE.yaml is what kustomize makes of that base. Each form is written to
FOLDER/helm-FORM.yaml, but for what the operator of Prometheus defines, of which Kubernetes has no schema; the rules of that to
FOLDER/helm-FORM.rules."""

import sys
from difflib import unified_diff
from pathlib import Path

import expectations
import yaml
from helm_python import Chart
from helm_python.chart import lint
from helm_python.errors import HelmError

FIRST_TRY = Path(__file__).parent / "gsar" / "values-first-try.yaml"
FORMS = {
    "service": {},
    "alone": {"replicas": 1, "database": {"url": ""}, "persistence": {"storageClass": "fast"}},
    "dressed": {
        "config": '[judges]\nchain = ["openai:gpt-5", "embedded"]',
        "environmentSecrets": ["gsar-keys"],
        "imagePullSecrets": [{"name": "registry"}],
        "podAnnotations": {"example.dev/team": "sre"},
        "nodeSelector": {"kubernetes.io/arch": "arm64"},
        "tolerations": [{"key": "dedicated", "operator": "Exists"}],
        "affinity": {"nodeAffinity": {}},
        "networkPolicy": {"enabled": False},
        "extraEnv": [{"name": "SSL_CERT_FILE", "value": "/etc/gsar/own/ca.crt"}],
        "extraVolumes": [{"name": "own", "configMap": {"name": "own"}}],
        "extraVolumeMounts": [{"name": "own", "mountPath": "/etc/gsar/own", "readOnly": True}],
    },
    "watched": {
        "config": '[traces]\nendpoint = "http://collector.monitoring.svc:4317"',
        "networkPolicy": {"collector": {"namespace": "monitoring", "port": 4317}},
        "serviceMonitor": {"enabled": True, "labels": {"release": "prometheus"}},
        "prometheusRule": {"enabled": True, "labels": {"release": "prometheus"}},
    },
    "first-try": yaml.safe_load(FIRST_TRY.read_text()),
}
REFUSED = {
    "several servers without a database": {"database": {"url": ""}},
    "no server": {"replicas": 0},
    "a misspelt key": {"replica": 2},
    "a password in the address": {"database": {"url": "postgres://gsar:secret@db/gsar"}},
    "a database that is none": {"database": {"url": "mysql://gsar@db/gsar"}},
    "a collector in no namespace": {"networkPolicy": {"collector": {"port": 4317}}},
    "a volume without a name": {"extraVolumes": [{"configMap": {"name": "own"}}]},
    "a monitor that is not switched": {"serviceMonitor": {"enabled": "yes"}},
}
# Permitted differences in names, labels and images.
OPERATOR = "apiVersion: monitoring.coreos.com"
INCIDENTAL = {"metadata", "labels", "matchLabels", "selector", "podSelector", "annotations", "image", "imagePullPolicy"}


def documents(text):
    return [document for document in yaml.safe_load_all(text) if document]


def shape(value):
    """Returns a resource without incidental fields, such as the digest in a config map name."""
    if isinstance(value, dict):
        kept = {key: shape(inner) for key, inner in value.items() if key not in INCIDENTAL}
        return kept | ({"configMap": {}} if "configMap" in kept else {})
    return [shape(inner) for inner in value] if isinstance(value, list) else value


def main(packed, base, folder):
    problems = []
    report = lint(packed, strict=True)
    problems += [f"lint: {message['path']}: {message['error']}" for message in report["messages"] if message["severity"] > 1]
    problems += [f"lint: {error}" for error in report["errors"]]

    chart = Chart.load(packed)
    for form, values in FORMS.items():
        chart.validate_schema(values)
        rendered = chart.render(values, name="gsar", namespace="gsar")
        texts = [text for name, text in sorted(rendered.items()) if name.endswith(".yaml") and text.strip()]
        of_kubernetes = [text for text in texts if OPERATOR not in text]
        Path(folder, f"helm-{form}.yaml").write_text("\n---\n".join(of_kubernetes))
        of = {resource["kind"]: resource for resource in documents("\n---\n".join(texts))}
        Path(folder, f"helm-{form}.toml").write_text(of["ConfigMap"]["data"]["gsar.toml"])
        if "PrometheusRule" in of:
            Path(folder, f"helm-{form}.rules").write_text(yaml.safe_dump(of["PrometheusRule"]["spec"]))
        problems += expectations.problems(form, of)

    of_base = {resource["kind"]: shape(resource) for resource in documents(Path(base).read_text())}
    of_chart = {resource["kind"]: shape(resource) for resource in documents(Path(folder, "helm-service.yaml").read_text())}
    # Helm creates namespaces itself.
    del of_base["Namespace"]
    for kind in sorted(of_base.keys() | of_chart.keys()):
        base_has, chart_has = (yaml.safe_dump(shapes.get(kind)).splitlines() for shapes in (of_base, of_chart))
        problems += [f"{kind}: {line}" for line in unified_diff(base_has, chart_has, "base", "chart", n=1, lineterm="")]

    for what, values in REFUSED.items():
        try:
            chart.validate_schema(values)
            problems.append(f"values.schema.json allows {what}: {values}")
        except HelmError:
            pass

    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"helm: {len(FORMS)} forms rendered, {len(REFUSED)} refused, {len(problems)} problems")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main(*sys.argv[1:])
