"""Issues sessions for the audience that is configured in its settings."""

import json
from pathlib import Path

from harness import Service

SETTINGS = json.loads(Path("auth.json").read_text())
service = Service("auth")


@service.on("/login")
def login(now, body):
    service.log(now, "INFO", f"session of user {body['user']} issued for audience {SETTINGS['audience']}")
    return 200, {"user": body["user"], "audience": SETTINGS["audience"]}


service.run()
