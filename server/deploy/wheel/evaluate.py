"""Evaluates a report with the installed client and a private server, and prints its judge: evaluate.py INCIDENT."""

import sys
from pathlib import Path

import gsar
import gsar.server

incident = Path(sys.argv[1])
with gsar.server.Server() as server, gsar.Client(server.endpoint) as client:
    report = (incident / "reports" / "overreaching.md").read_text()
    answer = client.evaluate(report, gsar.evidence_from(incident / "evidence"))
    print(answer.provenance.judges[0].judge)
