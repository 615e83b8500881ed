// Tests the investigation page.
import { identify } from "./grading_tasks.mjs";

const ID = "inc-42";
const LOG = "14:01:40 pod checkout-7b84 was OOMKilled with exit code 137\n13:40:07 deployment checkout revision 42 rolled out, memory limit 512Mi";

/** Runs an investigation with two reports and a graph, unless it has already run. */
async function runInvestigation(server) {
  const call = (path, request) => server.call(path, { investigationId: ID, ...request });
  const edges = [
    { from: "Deployment/checkout", to: "Service/checkout" },
    { from: "Service/checkout", to: "Service/edge" },
  ];
  const graph = { edges, alerts: ["Service/edge"], changed: ["Deployment/checkout"] };
  let { investigation } = await call("/v1/start-investigation", { graph });
  if (investigation.trajectory?.length) return investigation;
  const result = { id: "log", kind: "EVIDENCE_KIND_TOOL_OUTPUT", lane: "EVIDENCE_LANE_LOGS", text: LOG };
  const turn = { toolCalls: [{ tool: "kubectl logs", arguments: "checkout-7b84", result }] };
  ({ investigation } = await call("/v1/record-turn", { step: investigation.step, ...turn }));
  ({ investigation } = await call("/v1/record-turn", { step: investigation.step, wantsToFinish: true }));
  for (const synthesis of [
    "Pod checkout-7b84 was OOMKilled with exit code 137. The memory limit is 2Gi. A batch job took the memory of the node.",
    "Pod checkout-7b84 was OOMKilled with exit code 137.",
  ]) {
    if (investigation.instruction.finished) break;
    ({ investigation } = await call("/v1/submit-report", { step: investigation.step, report: { id: ID, synthesis } }));
  }
  return investigation;
}

export const INVESTIGATION_TASKS = {
  /** The page shows the reports, the cost and the entities. */
  async "investigation"(page, server) {
    const { tab } = page;
    const { trajectory, graph, spent } = await runInvestigation(server);
    await identify(page, server);
    await tab.goto(`${server.url}/console/#/investigations/${ID}`);
    await tab.waitForSelector("#trajectory");
    const links = await tab.$$eval("#trajectory ~ .wide tbody a", (elements) => elements.map((link) => decodeURIComponent(link.hash.split("/").pop())));
    const expected = trajectory.map((each) => each.evaluationId);
    if (expected.length === 0 || String(links) !== String(expected)) throw new Error(`links: ${links}; expected: ${expected}`);
    const text = await tab.$eval("main", (main) => main.innerText);
    for (const part of [...graph.entities.map((each) => each.entity), "Spent", String(spent.turns)]) {
      if (!text.includes(part)) throw new Error(`${part} is not on the page`);
    }
  },
};
