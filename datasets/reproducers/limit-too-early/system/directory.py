"""Looks up clients. Every third lookup is slow."""

from harness import Service

service = Service("directory")
looks = 0


@service.on("/look-up")
def look_up(_, __):
    global looks
    looks += 1
    service.took = 240 if looks % 3 == 0 else 20
    return 200, {}


service.run()
