"""Prints the judge of a report that the installed client has a server of its own evaluate: evaluate.py INCIDENT."""

import sys
from pathlib import Path

import gsar
import gsar.server

incident = Path(sys.argv[1])
with gsar.server.Server() as server, gsar.Client(server.endpoint) as client:
    report = (incident / "reports" / "overreaching.md").read_text()
    answer = client.evaluate(report, gsar.evidence_from(incident / "evidence"))
    print(answer.provenance.judges[0].judge)
