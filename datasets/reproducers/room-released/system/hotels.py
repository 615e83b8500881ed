"""Holds rooms for customers."""

import sqlite3

from harness import Service

service = Service("hotels")
database = sqlite3.connect("hotels.sqlite3", check_same_thread=False)
database.execute("CREATE TABLE rooms (booking TEXT, customer TEXT, state TEXT)")


@service.on("/hold")
def hold(now, body):
    with database:
        database.execute("INSERT INTO rooms VALUES (?, ?, 'held')", (body["booking"], body["customer"]))
    service.log(now, "INFO", f"room of booking {body['booking']} is held for customer {body['customer']}")
    return 200, {}


@service.on("/release")
def release(now, body):
    with database:
        found = database.execute(
            "UPDATE rooms SET state = 'released' WHERE customer = :customer AND state = 'held'", body
        )
    service.log(now, "INFO", f"{found.rowcount} rooms of customer {body['customer']} were released")
    return 200, {}


service.run()
