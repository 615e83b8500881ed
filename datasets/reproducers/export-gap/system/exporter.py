"""Copies events to the warehouse."""

import sqlite3

from harness import Service, call

service = Service("exporter")
warehouse = sqlite3.connect("warehouse.sqlite3", check_same_thread=False)
warehouse.execute("CREATE TABLE events (id INTEGER PRIMARY KEY)")


@service.on("/export")
def export(now, _):
    second, event, count = 0, 0, 0
    while True:
        _, answer = call("events", "/page", now, {"second": second, "id": event})
        if not answer["events"]:
            break
        with warehouse:
            warehouse.executemany("INSERT INTO events VALUES (?)", [(found,) for found, _ in answer["events"]])
        count += len(answer["events"])
        event, second = answer["events"][-1]
    service.log(now, "INFO", f"export ended with {count} events")
    return 200, {}


service.run()
