"""Takes payments. A repeated key gets the same response, as long as the key is kept."""

import json
from pathlib import Path

from harness import Service, shown

SETTINGS = json.loads(Path("payments.json").read_text())
service = Service("payments")
keys: dict[str, float] = {}
taken: list[str] = []


@service.on("/pay")
def pay(now, body):
    key = body["key"]
    if key in keys and now - keys[key] <= SETTINGS["key_ttl_seconds"]:
        service.log(now, "INFO", f"payment {key} was answered as before")
        return 200, {}
    if key in keys:
        service.log(now, "INFO", f"key {key} of {shown(keys[key])} had expired")
    keys[key] = now
    taken.append(key)
    service.log(now, "INFO", f"payment {key} of {body['amount']} euros was taken")
    return 200, {}


@service.on("/taken")
def list_taken(_, __):
    return 200, {"payments": taken}


service.run()
