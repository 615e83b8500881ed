"""Limits the number of calls of a client per minute."""

import json
from pathlib import Path

from harness import Service

SETTINGS = json.loads(Path("limiter.json").read_text())
service = Service("limiter")
calls: dict[str, list[float]] = {}


@service.on("/take")
def take(now, body):
    recent = calls.setdefault(body["client"], [])
    window = [at for at in recent if now - at <= SETTINGS["window_seconds"]]
    if len(window) >= SETTINGS["calls"]:
        service.log(now, "WARN", f"client {body['client']} was refused: {len(window)} calls in {SETTINGS['window_seconds']} s")
        return 429, {}
    recent.append(now)
    return 200, {}


service.run()
