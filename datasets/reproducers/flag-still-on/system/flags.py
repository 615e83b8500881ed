"""Stores switches, and tells the edge which entry of its cache is no longer valid."""

import json
from pathlib import Path

from harness import Service, call

SETTINGS = json.loads(Path("flags.json").read_text())
service = Service("flags")
switches: dict[str, bool] = {}


@service.on("/set")
def set_switch(now, body):
    switches[body["name"]] = body["is_on"]
    key = SETTINGS["key"].format(name=body["name"])
    service.log(now, "INFO", f"switch {body['name']} was turned {'on' if body['is_on'] else 'off'}")
    service.log(now, "INFO", f"invalidation of key {key} was sent to the edge")
    call("edge", "/invalidate", now, {"key": key})
    return 200, {}


@service.on("/get")
def get(_, body):
    return 200, {"is_on": switches.get(body["name"], False)}


service.run()
