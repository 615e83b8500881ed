"""Stores events, and returns those after a given second, page by page."""

import json
import sqlite3
from pathlib import Path

from harness import Service

SETTINGS = json.loads(Path("events.json").read_text())
service = Service("events")
database = sqlite3.connect("events.sqlite3", check_same_thread=False)
database.execute("CREATE TABLE events (id INTEGER PRIMARY KEY, second INTEGER)")


@service.on("/add")
def add(now, body):
    with database:
        database.execute("INSERT INTO events (second) VALUES (?)", (int(now),))
    return 200, {}


@service.on("/page")
def page(now, body):
    found = database.execute(
        "SELECT id, second FROM events WHERE second > :second ORDER BY second, id LIMIT :limit",
        {"second": body["second"], "id": body["id"], "limit": SETTINGS["page"]},
    ).fetchall()
    last = found[-1][0] if found else 0
    service.log(now, "INFO", f"page of {len(found)} events ends with event {last}")
    if body["second"] and len(found) == SETTINGS["page"]:
        service.log(now, "WARN", f"slow query: page after event {body['id']} took 310 ms")
    return 200, {"events": found}


service.run()
