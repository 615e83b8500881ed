"""Call the generated stubs over a channel of your own: `python raw_stubs.py unix:///run/gsar/gsar.sock`."""

import sys

import grpc

from gsar import v1

# By default, grpcio sends the socket path as the authority, which HTTP/2 servers reject.
options = [("grpc.default_authority", "localhost")]
with grpc.insecure_channel(sys.argv[1], options) as channel:
    request = v1.EvaluateRequest(
        report=v1.Report(synthesis="Pod checkout-7b84 was OOMKilled with exit code 137."),
        evidence=[
            v1.EvidenceItem(
                id="log",
                kind=v1.EVIDENCE_KIND_TOOL_OUTPUT,
                lane=v1.EVIDENCE_LANE_LOGS,
                text="14:01:40 pod checkout-7b84 was OOMKilled with exit code 137",
            )
        ],
    )
    answer = v1.GroundingServiceStub(channel).Evaluate(request, timeout=60)
    print(v1.Tier.Name(answer.decision.tier), answer.evaluation_id)
