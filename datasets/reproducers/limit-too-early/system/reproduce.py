"""Checks that a client may make six calls per minute, and that a client that calls more often is refused."""

from harness import System, at, call, verdict

statuses = {"steady": [], "greedy": []}
with System("directory", "limiter", "api"):
    began = at("2026-08-03T16:00:00Z")
    for number in range(18):
        statuses["steady"].append(call("api", "/call", began + 10 * number, {"client": "steady"})[0])
    for number in range(12):
        statuses["greedy"].append(call("api", "/call", began + 5 * number, {"client": "greedy"})[0])

refused = {client: of.count(429) for client, of in statuses.items()}
print(f"18 calls of steady, refused: {refused['steady']}; 12 calls of greedy, refused: {refused['greedy']}")
verdict(refused["steady"] == 0 and refused["greedy"] == 6)
