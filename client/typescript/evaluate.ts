// May this report go out? `npm run evaluate -- http://127.0.0.1:4317`, with gsar-server --listen grpc://127.0.0.1:4317.
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { EvidenceKind, EvidenceLane, Tier } from "./gen/gsar/v1/common_pb.js";
import { GroundingService } from "./gen/gsar/v1/grounding_service_pb.js";

const log = "14:01:40 pod checkout-7b84 was OOMKilled with exit code 137";
const pod = '{"name": "checkout-7b84", "memory_limit": "512Mi"}';
const report = "Pod checkout-7b84 was OOMKilled with exit code 137. The memory limit of checkout-7b84 is 1 GiB.";

const gsar = createClient(GroundingService, createGrpcTransport({ baseUrl: process.argv[2] ?? "http://127.0.0.1:4317" }));
const { decision, gaps, contradictions } = await gsar.evaluate({
  report: { synthesis: report },
  evidence: [{
    id: "log", kind: EvidenceKind.TOOL_OUTPUT, lane: EvidenceLane.LOGS, content: { case: "text", value: log },
  }, {
    id: "pod", kind: EvidenceKind.TOOL_OUTPUT, lane: EvidenceLane.STATIC_INFRA, content: { case: "json", value: pod },
  }],
});
console.log(Tier[decision?.tier ?? Tier.UNSPECIFIED]);
for (const reason of decision?.reasons ?? []) console.log(`${reason.code}: ${reason.sentence}`);
for (const sentence of [...gaps, ...contradictions]) console.log(sentence);
