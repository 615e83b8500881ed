"""Pays for a customer, and tries again if the connection was interrupted."""

import json
from pathlib import Path

from harness import Service, call

SETTINGS = json.loads(Path("wallet.json").read_text())
service = Service("wallet")


@service.on("/spend")
def spend(now, body):
    call("payments", "/pay", now, body)
    if body["line_is_cut"]:
        again = now + SETTINGS["retry_seconds"]
        service.log(now, "ERROR", f"connection reset by peer while {body['key']} was answered")
        service.log(again, "WARN", f"payment {body['key']} is tried again after {SETTINGS['retry_seconds']} s")
        call("payments", "/pay", again, body)
    return 200, {}


service.run()
