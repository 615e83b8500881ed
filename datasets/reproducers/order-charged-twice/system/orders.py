"""Takes orders: reserves the stock and charges the order."""

import json
from pathlib import Path

from harness import Service, TimedOut, call

SETTINGS = json.loads(Path("orders.json").read_text())
service = Service("orders")


@service.on("/order")
def order(now, body):
    call("inventory", "/reserve", now, {"order": body["order"]})
    timeout = SETTINGS["payments_timeout_ms"]
    for attempt in (1, 2):
        try:
            call("payments", "/charge", now, body, timeout_ms=timeout)
            return 200, {"attempts": attempt}
        except TimedOut:
            service.log(now, "WARN", f"order {body['order']}: payments gave no answer within {timeout} ms, attempt {attempt} of 2")
    return 202, {"attempts": 2}


service.run()
