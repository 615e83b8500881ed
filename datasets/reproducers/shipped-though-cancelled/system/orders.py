"""Accepts and cancels orders. Two queues, which can deliver out of order, inform the shipping service."""

import json
from pathlib import Path

from harness import Service, call

SETTINGS = json.loads(Path("orders.json").read_text())
service = Service("orders")
states: dict[str, str] = {}
queued: list[tuple[float, str, str]] = []


@service.on("/order")
def order(now, body):
    states[body["order"]] = "created"
    queued.append((now + SETTINGS["created_delay_seconds"], "/created", body["order"]))
    return 200, {}


@service.on("/cancel")
def cancel(now, body):
    states[body["order"]] = "cancelled"
    service.log(now, "INFO", f"order {body['order']} was cancelled")
    queued.append((now, "/cancelled", body["order"]))
    return 200, {}


@service.on("/deliver")
def deliver(now, _):
    for entry in sorted(entry for entry in queued if entry[0] <= now):
        queued.remove(entry)
        due, path, of = entry
        if path == "/created":
            service.log(due, "ERROR", f"queue created was rebalanced before order {of}")
        call("shipping", path, due, {"order": of})
    return 200, {}


@service.on("/states")
def list_states(_, __):
    return 200, states


service.run()
