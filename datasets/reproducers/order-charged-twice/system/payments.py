"""Charges orders. Charges of more than 100 take longer because of fraud rules."""

import sqlite3

from harness import Service

service = Service("payments")
database = sqlite3.connect("payments.sqlite3", check_same_thread=False)
database.execute("CREATE TABLE charges (order_id TEXT, amount INTEGER)")


@service.on("/charge")
def charge(now, body):
    if body["amount"] > 100:
        service.took = 700
        service.log(now, "INFO", f"charge of order {body['order']} took 700 ms: fraud rules")
    with database:
        database.execute("INSERT INTO charges VALUES (?, ?)", (body["order"], body["amount"]))
    return 200, {}


service.run()
