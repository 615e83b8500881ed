// Tests grading, and the comparison of evaluations.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tabTo } from "./browser.mjs";

const GRADE_COUNT = 10;

/** Opens the console and enters the token. */
export async function identify({ tab, messages }, server) {
  await tab.goto(`${server.url}/console/`);
  await tab.waitForSelector("#token");
  await tabTo(tab, "#token");
  await tab.keyboard.type(server.token);
  await tab.keyboard.press("Enter");
  await tab.waitForSelector("tbody tr");
  // Ignores the messages in which the browser reports the calls that were rejected before.
  messages.length = 0;
}

/** Returns the recorded grades of a grader. */
async function gradesOf(server, grader) {
  const { evaluations } = await server.call("/v1/evaluations", { graded: "GRADED_FILTER_GRADED", pageSize: 1000 });
  const records = await Promise.all(evaluations.map((each) => server.call("/v1/evaluation", { evaluationId: each.evaluationId })));
  return records.flatMap((record) => record.grades).filter((each) => each.grader === grader);
}

const KEYS = {
  CLAIM_CLASS_GROUNDED: "g",
  CLAIM_CLASS_UNGROUNDED: "u",
  CLAIM_CLASS_CONTRADICTED: "c",
  CLAIM_CLASS_COMPLEMENTARY: "m",
  TIER_REPLAN: "l",
};

/** Returns the subject of a grade and the key for it. */
function keyOf({ grade }) {
  return `${grade.claim?.claimId ?? "report"} ${KEYS[grade.claim?.class ?? grade.report.tier]}`;
}

const has = (tab, text) => tab.waitForFunction((text) => document.querySelector("main").innerText.includes(text), {}, text);

/** Opens the grading page and waits until grading is allowed. */
async function openGrading(page, server) {
  const { tab, messages } = page;
  await identify(page, server);
  await tab.goto(`${server.url}/console/#/grading`);
  await tab.waitForSelector("form button:not([disabled])");
  // Ignores the message in which the browser reports the rejected empty grade, which tests the right to grade.
  messages.length = 0;
}

async function beginAs(page, server, grader) {
  const { tab } = page;
  await openGrading(page, server);
  await tabTo(tab, "input[required]");
  await tab.keyboard.type(grader);
  await tab.keyboard.press("Enter");
}

/** Waits for the next task and returns its subject. */
async function nextSubject(tab, graded) {
  await tab.waitForFunction(
    (text) => document.querySelector("main").innerText.includes(text) && !document.body.textContent.includes("Loading …"),
    {},
    `\n${graded} graded.`,
  );
  const heading = await tab.$eval("main h2", (element) => element.textContent);
  return /, claim (\S+)$/.exec(heading)?.[1] ?? "report";
}

/** Presses Enter on the focused element and returns the downloaded file. */
async function download(tab) {
  const folder = mkdtempSync(join(tmpdir(), "gsar-saved-"));
  try {
    const session = await tab.createCDPSession();
    await session.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder, eventsEnabled: true });
    const completed = new Promise((resolve) => {
      session.on("Browser.downloadProgress", ({ state }) => state !== "inProgress" && resolve());
    });
    await tab.keyboard.press("Enter");
    await completed;
    return readFileSync(join(folder, "grades.jsonl"), "utf8");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export const GRADING_TASKS = {
  /** Records ten grades and corrects one of them. Then shows the agreement and saves the grades. */
  async "grade-ten"(page, server) {
    const { tab } = page;
    const grader = `ada-${Date.now()}`;
    await beginAs(page, server, grader);
    const given = [];
    for (let graded = 0; graded < GRADE_COUNT; graded += 1) {
      const subject = await nextSubject(tab, graded);
      if (await tab.$("#given, main .report .span .sign:not(:empty)")) throw new Error(`the judge's verdict on ${subject} is visible before the grade`);
      const key = subject === "report" ? "l" : "gucm"[graded % 4];
      given.push(`${subject} ${key}`);
      await tab.keyboard.press(key);
    }
    await nextSubject(tab, GRADE_COUNT);
    await tab.keyboard.press("z");
    await tab.waitForSelector("#given");
    await tab.keyboard.press("n");
    await tab.keyboard.type("seen twice");
    await tab.keyboard.press("Escape");
    const [last] = given.pop().split(" ");
    given.push(`${last} ${last === "report" ? "l" : "c"}`);
    await tab.keyboard.press(given.at(-1).at(-1));
    await tab.waitForFunction(() => !document.querySelector("#given"));
    await nextSubject(tab, GRADE_COUNT);

    const recorded = await gradesOf(server, grader);
    const keys = recorded.map(keyOf).sort().join(", ");
    if (keys !== given.sort().join(", ")) throw new Error(`recorded: ${keys}; given: ${given.join(", ")}`);
    const notes = recorded.filter((each) => each.grade.note !== "").map((each) => `${keyOf(each).split(" ")[0]}: ${each.grade.note}`);
    if (notes.join() !== `${last}: seen twice`) throw new Error(`notes: ${notes}`);

    await tabTo(tab, "button", "Read all grades");
    await tab.keyboard.press("Enter");
    await has(tab, `${grader} and the evaluation: the same on `);
    await tabTo(tab, "button", "Save as");
    const [file, expected] = [await download(tab), server.gsar("ledger", "export", "--kind", "grades")];
    if (file !== expected) throw new Error("the file differs from the output of gsar ledger export");
  },

  /** A second grader gets the tasks of the first grader, but does not see the first grade. */
  async "grade-second"(page, server) {
    const { tab } = page;
    const { evaluations } = await server.call("/v1/evaluations", { pageSize: 1 });
    const { evaluationId } = evaluations[0];
    const first = { claim: { claimId: "c1", class: "CLAIM_CLASS_GROUNDED" }, note: "a note by the first grader" };
    await server.call("/v1/grade", { evaluationId, grader: "first", grades: [first] });
    const grader = `second-${Date.now()}`;
    await openGrading(page, server);
    await tabTo(tab, "select");
    await tab.keyboard.type("graded by");
    await tab.keyboard.down("Shift");
    await tabTo(tab, "input[required]");
    await tab.keyboard.up("Shift");
    await tab.keyboard.type(grader);
    await tab.keyboard.press("Enter");
    const subject = await nextSubject(tab, 0);
    if (subject !== "c1") throw new Error(`the first task is ${subject}`);
    const before = await tab.$eval("main", (main) => main.innerText);
    if (before.includes(first.note)) throw new Error("the first grade is visible before the second grade is given");
    await tab.keyboard.press("u");
    await nextSubject(tab, 1);
    await tab.keyboard.press("z");
    await has(tab, first.note);
    await tab.keyboard.press("?");
    await tab.waitForSelector("#keys");
    await tabTo(tab, "button", "Read all grades");
    await tab.keyboard.press("Enter");
    await has(tab, `first and ${grader}: the same on 0 of 1 claims`);
  },
};

export const COMPARISON_TASKS = {
  /** The comparison lists the claims with different classes first. */
  async "compare-two-judges"({ tab }, server) {
    const { evaluations } = await server.call("/v1/evaluations", { reportId: "contradicted", policy: "reference", pageSize: 10 });
    const one = evaluations[0];
    const other = evaluations.find((each) => each.judge !== one.judge);
    if (!other) throw new Error("only one judge has evaluated the report");
    await tab.goto(`${server.url}/console/#/evaluations/${one.evaluationId}`);
    await tab.waitForSelector(".verdict");
    await tabTo(tab, "summary", "Other evaluations");
    await tab.keyboard.press("Enter");
    await tabTo(tab, `a[href$="${other.evaluationId}"]`, "compare");
    await tab.keyboard.press("Enter");
    await tab.waitForSelector(".sides");
    const classes = async ({ evaluationId }) => {
      const { evaluation } = await server.call("/v1/evaluation", { evaluationId });
      return new Map(evaluation.claims.map((claim) => [claim.text, claim.class]));
    };
    const [mine, theirs] = [await classes(one), await classes(other)];
    const texts = [...new Set([...mine.keys(), ...theirs.keys()])];
    const expected = texts.filter((text) => mine.get(text) !== theirs.get(text)).sort();
    const rows = await tab.$$eval("main tbody tr", (elements) =>
      elements.map((row) => ({ differs: row.classList.contains("differs"), text: row.cells[0].innerText })),
    );
    const marked = rows.filter((each) => each.differs).map((each) => each.text.replace(/^(differs|only in [12]) /, ""));
    if (marked.sort().join("\n") !== expected.join("\n")) throw new Error(`marked: ${marked}; different: ${expected}`);
    if (rows.findLastIndex((each) => each.differs) >= marked.length) throw new Error("the different claims are not first");
    if (expected.length === 0) throw new Error(`${one.judge} and ${other.judge} agree on all claims, so this task tests nothing`);
  },
};
