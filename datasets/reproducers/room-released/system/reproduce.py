"""Checks that each confirmed booking has its room."""

import sqlite3

from harness import System, at, call, verdict

with System("hotels", "flights", "bookings"):
    began = at("2026-04-01T12:00:00Z")
    for number, customer in enumerate(["c-71", "c-72", "c-73", "c-74"]):
        now = began + 300 * number
        for attempt in (1, 2):
            booking = {"booking": f"B-{number}-{attempt}", "customer": customer}
            call("bookings", "/book", now + 30 * attempt, booking)
        call("bookings", "/relay", now + 200)
    _, answer = call("bookings", "/confirmed", began + 2_000)

held = sqlite3.connect("hotels.sqlite3").execute("SELECT booking FROM rooms WHERE state = 'held'")
without = sorted(set(answer["bookings"]) - {booking for (booking,) in held})
print(f"{len(answer['bookings'])} bookings confirmed, without a room: {', '.join(without) or 'none'}")
verdict(len(answer["bookings"]) == 4 and not without)
