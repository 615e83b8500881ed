"""Checks that each event is exported."""

import sqlite3

from harness import System, at, call, verdict

with System("events", "exporter"):
    began = at("2026-01-20T00:00:00Z")
    for number in range(24):
        # Three of a burst come in the same second.
        call("events", "/add", began + number // 3)
    call("exporter", "/export", began + 600)


def ids(database: str) -> set[int]:
    return {found for (found,) in sqlite3.connect(database).execute("SELECT id FROM events")}


missing = sorted(ids("events.sqlite3") - ids("warehouse.sqlite3"))
print(f"24 events, not exported: {', '.join(map(str, missing)) or 'none'}")
verdict(not missing)
