"""Accepts and cancels orders. Another company sends the mails, and it is slow."""

import json
from pathlib import Path

from harness import Service, call

SETTINGS = json.loads(Path("shop.json").read_text())
service = Service("shop")
orders: dict[str, dict] = {}


@service.on("/buy")
def buy(now, body):
    orders[body["order"]] = body
    for attempt in range(1, SETTINGS["mail_attempts"] + 1):
        service.log(now, "ERROR", f"mail for order {body['order']} was not sent, attempt {attempt}")
    return call("loyalty", "/grant", now, body)


@service.on("/cancel")
def cancel(now, body):
    return call("loyalty", "/take-back", now, orders[body["order"]])


service.run()
