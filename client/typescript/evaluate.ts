// May this report go out? `npm run evaluate -- http://127.0.0.1:4317`, with gsar-server --listen grpc://127.0.0.1:4317.
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { EvidenceKind, EvidenceLane, Tier } from "./gen/gsar/v1/common_pb.js";
import { GroundingService } from "./gen/gsar/v1/grounding_service_pb.js";

const gsar = createClient(GroundingService, createGrpcTransport({ baseUrl: process.argv[2] ?? "http://127.0.0.1:4317" }));
const { decision, claims } = await gsar.evaluate({
  report: { synthesis: "Pod cart-1 restarted 4 times." },
  evidence: [{
    id: "pods", kind: EvidenceKind.TOOL_OUTPUT, lane: EvidenceLane.STATIC_INFRA, tool: "kubectl get pods",
    content: { case: "text", value: "NAME    READY  STATUS   RESTARTS\ncart-1  1/1    Running  4\n" },
  }],
});
console.log(Tier[decision?.tier ?? Tier.UNSPECIFIED]);
for (const claim of claims) console.log(`${claim.id}: ${claim.text}`);
