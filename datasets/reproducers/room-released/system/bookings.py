"""Books a hotel and a flight. If the flight fails, the relay later releases the room that was held."""

import json
from pathlib import Path

from harness import Service, call

SETTINGS = json.loads(Path("bookings.json").read_text())
service = Service("bookings")
confirmed: list[str] = []
outbox: list[dict] = []


@service.on("/book")
def book(now, body):
    call("hotels", "/hold", now, body)
    status, _ = call("flights", "/reserve", now, body)
    if status != 200:
        outbox.append({**body, "due": now + SETTINGS["relay_seconds"]})
        service.log(now, "WARN", f"booking {body['booking']} failed, its release is queued")
        return 409, {}
    confirmed.append(body["booking"])
    service.log(now, "INFO", f"booking {body['booking']} is confirmed")
    return 200, {}


@service.on("/relay")
def relay(now, _):
    due = [entry for entry in outbox if entry["due"] <= now]
    for entry in due:
        outbox.remove(entry)
        call("hotels", "/release", now, entry)
    return 200, {}


@service.on("/confirmed")
def list_confirmed(_, __):
    return 200, {"bookings": confirmed}


service.run()
