"""Checks that each user who logs in can read a profile."""

from harness import System, at, call, verdict

USERS = ["ines", "jonas", "keiko", "lars", "mina"]

refused = []
with System("auth", "gateway", "profiles"):
    began = at("2026-03-09T08:00:00Z")
    call("profiles", "/warm", began, {"users": USERS})
    for number, user in enumerate(USERS, 1):
        now = began + 20 * number
        _, session = call("auth", "/login", now, {"user": user})
        status, _ = call("gateway", "/profile", now + 1, {"session": session})
        if status != 200:
            refused.append(user)

print(f"{len(USERS)} users logged in, refused: {', '.join(refused) or 'none'}")
verdict(not refused)
