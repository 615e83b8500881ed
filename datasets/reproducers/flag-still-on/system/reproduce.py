"""Checks that the edge returns the state of each switch a minute after the switch was turned."""

from harness import System, at, call, verdict

NAMES = ["new-checkout", "dark-mode", "gift-cards"]

apart = []
with System("flags", "edge"):
    began = at("2026-09-14T13:00:00Z")
    for number, name in enumerate(NAMES):
        now = began + 120 * number
        call("flags", "/set", now, {"name": name, "is_on": True})
        call("edge", "/read", now + 1, {"name": name})
        call("flags", "/set", now + 30, {"name": name, "is_on": False})
        _, seen = call("edge", "/read", now + 90, {"name": name})
        _, kept = call("flags", "/get", now + 90, {"name": name})
        if seen != kept:
            apart.append(name)

print(f"{len(NAMES)} switches, other at the edge: {', '.join(apart) or 'none'}")
verdict(not apart)
