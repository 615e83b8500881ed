"""Returns profiles, and keeps a small cache of users, which `/warm` fills."""

import json
from pathlib import Path

from harness import Service

SETTINGS = json.loads(Path("profiles.json").read_text())
service = Service("profiles")
cached: list[str] = []


@service.on("/warm")
def warm(now, body):
    for user in body["users"]:
        cached.append(user)
        if len(cached) > SETTINGS["cache"]:
            service.log(now, "ERROR", f"cache full: profile of user {cached.pop(0)} was evicted")
    return 200, {}


@service.on("/read")
def read(now, body):
    return 200, {"user": body["user"], "is_cached": body["user"] in cached}


service.run()
