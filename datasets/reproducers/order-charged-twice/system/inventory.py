"""Reserves stock. Its connection pool is small, which the service logs for every second order."""

import json
from pathlib import Path

from harness import Service

SETTINGS = json.loads(Path("inventory.json").read_text())
service = Service("inventory")
taken = 0


@service.on("/reserve")
def reserve(now, body):
    global taken
    taken += 1
    if taken % SETTINGS["pool"] == 0:
        service.log(now, "ERROR", f"connection pool exhausted: {SETTINGS['pool']} of {SETTINGS['pool']} in use, waited 40 ms")
    return 200, {}


service.run()
