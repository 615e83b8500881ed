// Evaluates a report: `npx tsx examples/evaluate.ts`, with a sidecar at GSAR_ENDPOINT or the default socket.
import { claimsAtFault, Client, describe, GsarError, mayProceed } from "gsar";

const report = "Pod checkout-7b84 was OOMKilled with exit code 137. The memory limit of checkout-7b84 is 1 GiB.";
const log = "14:01:40 pod checkout-7b84 was OOMKilled with exit code 137";
const pod = { name: "checkout-7b84", memory_limit: "512Mi" };

try {
  const client = await Client.connect();
  const answer = await client.evaluate(report, { log, pod });
  console.log(mayProceed(answer) ? "the report may be sent" : describe(answer));
  for (const claim of claimsAtFault(answer)) console.log(`correct or drop: ${claim.text}`);
} catch (error) {
  if (!(error instanceof GsarError)) throw error;
  console.error(error.message); // the problem and the fix; do not send the report
  process.exitCode = 1;
}
