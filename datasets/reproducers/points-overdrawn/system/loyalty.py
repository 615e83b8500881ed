"""Grants points for orders, and takes them back when an order is cancelled."""

import json
import sqlite3
from pathlib import Path

from harness import Service

SETTINGS = json.loads(Path("loyalty.json").read_text())
service = Service("loyalty")
database = sqlite3.connect("loyalty.sqlite3", check_same_thread=False)
database.execute("CREATE TABLE entries (member TEXT, order_id TEXT, points INTEGER)")
rate = SETTINGS["rate"]


def book(member, order, points):
    with database:
        database.execute("INSERT INTO entries VALUES (?, ?, ?)", (member, order, points))


@service.on("/rate")
def set_rate(now, body):
    global rate
    rate = body["rate"]
    service.log(now, "INFO", f"rate is {rate} points for each euro")
    return 200, {}


@service.on("/grant")
def grant(now, body):
    points = body["amount"] * rate
    book(body["member"], body["order"], points)
    service.log(now, "INFO", f"order {body['order']}: {points} points were granted to member {body['member']}")
    return 200, {}


@service.on("/take-back")
def take_back(now, body):
    points = body["amount"] * rate
    book(body["member"], body["order"], -points)
    service.log(now, "INFO", f"order {body['order']}: {points} points were taken back from member {body['member']}")
    return 200, {}


service.run()
