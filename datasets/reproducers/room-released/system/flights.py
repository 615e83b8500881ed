"""Reserves flights. The airline refuses every other call."""

from harness import Service

service = Service("flights")
calls = 0


@service.on("/reserve")
def reserve(now, body):
    global calls
    calls += 1
    service.took = 900
    service.log(now, "ERROR", f"airline answered booking {body['booking']} after 900 ms")
    return (200 if calls % 2 == 0 else 503), {}


service.run()
