"""Ships orders."""

from harness import Service

service = Service("shipping")
states: dict[str, str] = {}


@service.on("/created")
def created(now, body):
    states[body["order"]] = "shipped"
    service.log(now, "INFO", f"order {body['order']} was shipped")
    return 200, {}


@service.on("/cancelled")
def cancelled(now, body):
    if body["order"] not in states:
        service.log(now, "INFO", f"cancellation of order {body['order']} was dropped: order is not known")
        return 200, {}
    states[body["order"]] = "cancelled"
    return 200, {}


@service.on("/states")
def list_states(_, __):
    return 200, states


service.run()
