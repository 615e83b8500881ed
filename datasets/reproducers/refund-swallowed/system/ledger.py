"""Books charges and refunds. Each request is booked only once, as identified by its key."""

import json
import sqlite3
from pathlib import Path

from harness import Service

SETTINGS = json.loads(Path("ledger.json").read_text())
service = Service("ledger")
database = sqlite3.connect("ledger.sqlite3", check_same_thread=False)
database.execute("CREATE TABLE entries (account TEXT, operation TEXT, amount INTEGER)")
answered: dict[tuple, dict] = {}


@service.on("/book")
def book(now, body):
    key = tuple(body[part] for part in SETTINGS["key"])
    if key in answered:
        service.log(now, "INFO", f"{body['operation']} {body['request']} was answered by an earlier {answered[key]['operation']}")
        return 200, answered[key]
    with database:
        database.execute("INSERT INTO entries VALUES (:account, :operation, :amount)", body)
    service.log(now, "INFO", f"{body['operation']} {body['request']} of {body['amount']} euros was booked")
    answered[key] = body
    return 200, body


service.run()
