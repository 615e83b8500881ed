"""Returns the state of switches from a cache, as long as the cache keeps the entry."""

import json
from pathlib import Path

from harness import Service, call

SETTINGS = json.loads(Path("edge.json").read_text())
service = Service("edge")
cached: dict[str, tuple[float, bool]] = {}


@service.on("/read")
def read(now, body):
    key = f"switch/{body['name']}"
    if key in cached and now - cached[key][0] < SETTINGS["keep_seconds"]:
        return 200, {"is_on": cached[key][1]}
    _, answer = call("flags", "/get", now, body)
    cached[key] = (now, answer["is_on"])
    return 200, answer


@service.on("/invalidate")
def invalidate(now, body):
    found = cached.pop(body["key"], None)
    service.log(now, "INFO", f"invalidation of key {body['key']}: {'1 entry was' if found else '0 entries were'} dropped")
    service.log(now, "ERROR", "certificate of the origin expires in 6 days")
    return 200, {}


service.run()
