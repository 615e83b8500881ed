"""The service desk. It charges and refunds accounts, with the ticket number as the request."""

from harness import Service, call

service = Service("desk")


@service.on("/ticket")
def ticket(now, body):
    for later, operation in enumerate(body["operations"]):
        booked = {"account": body["account"], "request": body["ticket"], "operation": operation, "amount": 30}
        service.log(now + later, "WARN", f"ticket {body['ticket']}: printer of the desk is out of paper")
        call("ledger", "/book", now + later, booked)
    return 200, {}


service.run()
