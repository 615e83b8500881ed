// Tests hostile and very long reports and evidence.

const SCRIPT = "<script>globalThis.hacked = 1</script><img src=x onerror='globalThis.hacked = 2'><svg onload='globalThis.hacked=3'>";
const DIRECTIONAL = "the limit is \u202e00012\u202c and \u2066hidden\u2069 a\u200bb";
const MANY_BYTES = 8 << 20;

async function evaluate(server, report, text) {
  const evidence = [{ id: `item ${SCRIPT}`.slice(0, 200), kind: "EVIDENCE_KIND_TOOL_OUTPUT", lane: "EVIDENCE_LANE_LOGS", tool: SCRIPT, text }];
  return server.call("/v1/evaluate", { report, evidence });
}

async function open({ tab }, server, id) {
  await tab.goto(`${server.url}/console/#/evaluations/${id}`);
  await tab.waitForSelector(".verdict");
  await tab.waitForFunction(() => !document.body.textContent.includes("Loading …"));
}

let long;

/** Evaluates a very long report against a very long item. Later calls return the same evaluation. */
function evaluateLong(server) {
  const line = "14:02:07 checkout-7b84 restarted 4 times, memory at 511Mi of 512Mi\n";
  const synthesis = `${line}\n${"---\n\n".repeat(30_000)}${line}`;
  long ??= evaluate(server, { id: "long", synthesis }, line.repeat(Math.floor(MANY_BYTES / line.length)));
  return long;
}

export const HOSTILE_TASKS = {
  /** The page shows markup and directional overrides as text. */
  async "hostile-text"(page, server) {
    const { tab } = page;
    const text = `${SCRIPT} restarted 4 times at 14:02. ${DIRECTIONAL}.`;
    const report = { id: SCRIPT, synthesis: text, claims: [{ id: "c1", text: `${SCRIPT} restarted 4 times` }, { id: "c2", text: DIRECTIONAL }] };
    const { evaluationId } = await evaluate(server, report, `${text}\n${DIRECTIONAL}`);
    await open(page, server, evaluationId);
    for (const claim of await tab.$$("button.claim")) {
      await claim.focus();
      await tab.keyboard.press("Enter");
      await tab.waitForFunction(() => !document.body.textContent.includes("Loading …"));
    }
    const found = await tab.evaluate(() => ({
      hacked: globalThis.hacked,
      elements: document.querySelectorAll("main script, main img, main iframe, main [onerror], main [onload]").length,
      text: document.querySelector("main").innerText,
    }));
    if (found.hacked !== undefined || found.elements > 0) throw new Error(JSON.stringify(found));
    if (/[\u202a-\u202e\u2066-\u2069\u200b]/.test(found.text)) throw new Error("the page contains a directional override");
    if (!found.text.includes("⟨U+202E⟩")) throw new Error("the directional override is not escaped");
    await tab.goto(`${server.url}/console/#/evaluations`);
    await tab.waitForSelector("tbody tr");
  },

  /** The page draws only the visible lines of long texts. */
  async "long-texts"(page, server) {
    const { tab } = page;
    const { evaluationId } = await evaluateLong(server);
    await open(page, server, evaluationId);
    const nodes = await tab.evaluate(() => document.querySelectorAll("*").length);
    if (nodes > 2_000) throw new Error(`the page has ${nodes} elements`);
    const boxes = await tab.$$(".lines");
    if (boxes.length === 0) throw new Error("no text is drawn line by line");
    for (const box of boxes) {
      await box.focus();
      const before = await box.evaluate((element) => element.scrollTop);
      await tab.keyboard.press("End");
      await tab.waitForFunction((box, before) => box.scrollTop > before, {}, box, before);
      await tab.waitForFunction((box) => box.textContent.includes("checkout"), {}, box);
    }
  },
};
