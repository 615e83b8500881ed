// Reports, evidence and notes that would take the page over, and some that are too long to be drawn.

const SCRIPT = "<script>globalThis.hacked = 1</script><img src=x onerror='globalThis.hacked = 2'><svg onload='globalThis.hacked=3'>";
const TURNED = "the limit is \u202e00012\u202c and \u2066hidden\u2069 a\u200bb";
const MANY_BYTES = 8 << 20;

async function evaluated(server, report, text) {
  const evidence = [{ id: `item ${SCRIPT}`.slice(0, 200), kind: "EVIDENCE_KIND_TOOL_OUTPUT", lane: "EVIDENCE_LANE_LOGS", tool: SCRIPT, text }];
  return server.call("/v1/evaluate", { report, evidence });
}

async function open({ shown }, server, id) {
  await shown.goto(`${server.url}/console/#/evaluations/${id}`);
  await shown.waitForSelector(".verdict");
  await shown.waitForFunction(() => !document.body.textContent.includes("Loading …"));
}

let long;

/** A report that is drawn by its lines, over an item as long as one may be; evaluated once, which takes its time. */
function longOnce(server) {
  const line = "14:02:07 checkout-7b84 restarted 4 times, memory at 511Mi of 512Mi\n";
  const synthesis = `${line}\n${"---\n\n".repeat(30_000)}${line}`;
  long ??= evaluated(server, { id: "long", synthesis }, line.repeat(Math.floor(MANY_BYTES / line.length)));
  return long;
}

export const HOSTILE_TASKS = {
  /** Script and markup are text, and nothing turns the order of what is read. */
  async "nothing-executes"(page, server) {
    const { shown } = page;
    const said = `${SCRIPT} restarted 4 times at 14:02. ${TURNED}.`;
    const report = { id: SCRIPT, synthesis: said, claims: [{ id: "c1", text: `${SCRIPT} restarted 4 times` }, { id: "c2", text: TURNED }] };
    const { evaluationId } = await evaluated(server, report, `${said}\n${TURNED}`);
    await open(page, server, evaluationId);
    for (const claim of await shown.$$("button.claim")) {
      await claim.focus();
      await shown.keyboard.press("Enter");
      await shown.waitForFunction(() => !document.body.textContent.includes("Loading …"));
    }
    const found = await shown.evaluate(() => ({
      hacked: globalThis.hacked,
      elements: document.querySelectorAll("main script, main img, main iframe, main [onerror], main [onload]").length,
      text: document.querySelector("main").innerText,
    }));
    if (found.hacked !== undefined || found.elements > 0) throw new Error(JSON.stringify(found));
    if (/[\u202a-\u202e\u2066-\u2069\u200b]/.test(found.text)) throw new Error("an override of direction is on the page");
    if (!found.text.includes("⟨U+202E⟩")) throw new Error("an override of direction is not said");
    await shown.goto(`${server.url}/console/#/evaluations`);
    await shown.waitForSelector("tbody tr");
  },

  /** Of a report and of evidence of 8 MiB only the lines in sight are drawn, and the page answers. */
  async "long-texts-are-drawn-in-part"(page, server) {
    const { shown } = page;
    const { evaluationId } = await longOnce(server);
    await open(page, server, evaluationId);
    const nodes = await shown.evaluate(() => document.querySelectorAll("*").length);
    if (nodes > 2_000) throw new Error(`${nodes} elements are drawn`);
    const boxes = await shown.$$(".lines");
    if (boxes.length === 0) throw new Error("no long text is shown by its lines");
    for (const box of boxes) {
      await box.focus();
      const before = await box.evaluate((of) => of.scrollTop);
      await shown.keyboard.press("End");
      await shown.waitForFunction((box, before) => box.scrollTop > before, {}, box, before);
      await shown.waitForFunction((box) => box.textContent.includes("checkout"), {}, box);
    }
  },
};
