"""Checks each form of the chart: problems(FORM, resources by kind) lists unmet expectations."""

import tomllib
from pathlib import Path

import yaml

ALERTS = Path(__file__).parent.parent / "prometheus" / "alerts.yaml"


def container(of):
    return of["Deployment"]["spec"]["template"]["spec"]["containers"][0]


def names(entries):
    return {entry["name"] for entry in entries}


def egress_ports(of):
    return {port["port"] for rule in of["NetworkPolicy"]["spec"]["egress"] for port in rule["ports"]}


def service(of):
    yield "nothing of the operator of Prometheus, which is off", not {"ServiceMonitor", "PrometheusRule"} & of.keys()
    yield "no way out to a collector, which is off", 4317 not in egress_ports(of)


def dressed(of):
    pod, gsar = of["Deployment"]["spec"]["template"]["spec"], container(of)
    yield "the variable", {"name": "SSL_CERT_FILE", "value": "/etc/gsar/own/ca.crt"} in gsar.get("env", ())
    yield "the volume, mounted", "own" in names(pod["volumes"]) and "own" in names(gsar["volumeMounts"])


def watched(of):
    monitor, service = of["ServiceMonitor"], of["Service"]
    yield "the alerts as they are", of["PrometheusRule"]["spec"] == yaml.safe_load(ALERTS.read_text())
    yield (
        "the labels that the operator picks by",
        all(of[kind]["metadata"]["labels"]["release"] == "prometheus" for kind in ("ServiceMonitor", "PrometheusRule")),
    )
    yield "a monitor of its service", monitor["spec"]["selector"]["matchLabels"].items() <= service["metadata"]["labels"].items()
    yield "the port that is scraped", {endpoint["port"] for endpoint in monitor["spec"]["endpoints"]} <= names(service["spec"]["ports"])
    job = service["metadata"]["labels"][monitor["spec"]["jobLabel"]]
    yield "the job that the alerts ask for", f'job="{job}"' in ALERTS.read_text()
    yield "a way out to the collector", 4317 in egress_ports(of)


def first_try(of):
    volumes = of["Deployment"]["spec"]["template"]["spec"]["volumes"]
    yield "no secret", not any("secret" in volume for volume in volumes)
    yield "no volume that outlives it, no network policy", not {"PersistentVolumeClaim", "NetworkPolicy"} & of.keys()
    mounts = names(container(of)["volumeMounts"])
    yield "only volumes that are there", mounts == names(volumes)
    config = tomllib.loads(of["ConfigMap"]["data"]["gsar.toml"])
    yield "unencrypted calls", config["listen"] == ["grpc://0.0.0.0:4317"] and not {"tls", "security", "storage"} & config.keys()


EXPECTED = {"service": service, "dressed": dressed, "watched": watched, "first-try": first_try}


def problems(form, of):
    """Returns no problems, for a form without specific expectations."""
    for what, holds in EXPECTED.get(form, lambda _: ())(of):
        if not holds:
            yield f"{form}: not there: {what}"
