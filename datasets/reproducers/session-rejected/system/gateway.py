"""Forwards requests that have a valid session to the profiles service."""

import json
from pathlib import Path

from harness import Service, call

SETTINGS = json.loads(Path("gateway.json").read_text())
service = Service("gateway")


@service.on("/profile")
def profile(now, body):
    if body["session"]["audience"] not in SETTINGS["audiences"]:
        service.log(now, "WARN", f"session of user {body['session']['user']} was rejected with status 401")
        return 401, {}
    return call("profiles", "/read", now, {"user": body["session"]["user"]})


service.run()
