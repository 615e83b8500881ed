// Checks that every number on an evaluation's page occurs in the API's response.

const COUNT = 12;

/** Returns a seeded pseudo-random generator (Park and Miller). */
function random(seed) {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

const SENTENCES = [
  "The checkout pods were OOMKilled three times between 14:02 and 14:09.",
  "The memory limit is 512Mi.",
  "The memory limit had been raised to 1 GiB at 13:40.",
  "Restarts went from 0 to 7 within 12 minutes.",
  "A nightly batch job took the memory of the node.",
  "p99 latency rose from 180 ms to 2400 ms.",
  "Exit code 137 was seen on checkout-7b84.",
];
const ITEMS = [
  "14:01:40 pod checkout-7b84 was OOMKilled with exit code 137\nmemory limit 512Mi",
  "restarts 0 at 14:00, 7 at 14:12",
  "p99 180 ms at 13:30, 2400 ms at 14:05",
];

/** Evaluates pseudo-random reports and returns the ids of the evaluations. */
async function evaluateRandom(server) {
  const ids = [];
  const draw = random(20_261_127);
  for (let number = 0; number < COUNT; number += 1) {
    const sentences = SENTENCES.filter(() => draw(2) === 0);
    const evidence = ITEMS.filter(() => draw(3) > 0).map((text, at) => ({
      id: `item-${at}`,
      kind: "EVIDENCE_KIND_TOOL_OUTPUT",
      lane: "EVIDENCE_LANE_LOGS",
      text,
    }));
    const report = { id: `random-${number}`, synthesis: sentences.join(" ") || SENTENCES[number % SENTENCES.length] };
    const options = draw(2) === 0 ? { explain: true } : {};
    const answer = await server.call("/v1/evaluate", { report, evidence, options });
    ids.push(answer.evaluationId);
  }
  return ids;
}

const figures = (text) => text.match(/\d+(?:\.\d+)?/g) ?? [];

function thousandths({ numerator, denominator }) {
  const value = (BigInt(numerator) * 1000n) / BigInt(denominator);
  return `${value / 1000n}.${String(value % 1000n).padStart(3, "0")}`;
}

/** Returns the numbers in a response, and the numbers that a page can derive from it by rounding and counting. */
function allowedNumbers(answer) {
  // Times are shown to the second, and digests with twelve digits.
  const text = JSON.stringify(answer);
  const found = new Set([...figures(text), ...figures(text.replace(/\.\d+Z/g, "Z"))]);
  for (const [digest] of text.matchAll(/[0-9a-f]{64}/g)) figures(digest.slice(0, 12)).forEach((each) => found.add(each));
  const visit = (value) => {
    if (Array.isArray(value)) found.add(String(value.length));
    if (value === null || typeof value !== "object") return;
    if ("numerator" in value && "denominator" in value) found.add(thousandths(value));
    for (const part of Object.values(value)) {
      if (typeof part === "number") [part.toFixed(2), String(part)].forEach((each) => found.add(each));
      visit(part);
    }
  };
  visit(answer);
  // Absent numbers are 0, and scores are out of 1.
  return found.add("0").add("1").add("0.00").add("0.000");
}

export const NUMBER_TASKS = {
  async "numbers"({ tab }, server) {
    for (const id of await evaluateRandom(server)) {
      const answer = await server.call("/v1/evaluation", { evaluationId: id });
      await tab.goto(`${server.url}/console/#/evaluations/${id}`);
      await tab.waitForSelector(".verdict");
      await tab.waitForFunction(() => !document.body.textContent.includes("Loading …"));
      await tab.waitForNetworkIdle({ idleTime: 100 });
      // Ignores the texts of the report, the evidence and the policy, and the input fields.
      const text = await tab.$eval("main", (main) => {
        main.querySelectorAll(".report, .lines, .nearest, pre, .filters, svg").forEach((each) => each.remove());
        return main.innerText;
      });
      const policy = answer.evaluation.provenance.policy.name;
      const margins = await server.call("/v1/rescore", { evaluationId: id, policy, explain: true });
      const known = allowedNumbers({ answer, margins });
      const unknown = figures(text).filter((figure) => !known.has(figure));
      if (unknown.length > 0) throw new Error(`${id}: ${unknown} are on the page, but not in the response`);
      const score = answer.evaluation.guardedScore ?? answer.evaluation.score;
      if (score) {
        const shownScore = await tab.$eval(".score strong", (element) => element.textContent);
        if (shownScore !== thousandths(score)) throw new Error(`${id}: ${shownScore} is not ${thousandths(score)}`);
      }
    }
  },
};
