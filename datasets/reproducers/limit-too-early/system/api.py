"""The interface that clients call. It asks a directory, which is slow, and then the limiter."""

import json
from pathlib import Path

from harness import Service, TimedOut, call

SETTINGS = json.loads(Path("api.json").read_text())
service = Service("api")


@service.on("/call")
def answer(now, body):
    try:
        call("directory", "/look-up", now, body, timeout_ms=SETTINGS["directory_timeout_ms"])
    except TimedOut:
        service.log(now, "ERROR", f"directory gave no answer within {SETTINGS['directory_timeout_ms']} ms, cached entry used")
    return call("limiter", "/take", now, body)


service.run()
