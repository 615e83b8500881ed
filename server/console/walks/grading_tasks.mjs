// What graders come for.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tabTo } from "./browser.mjs";

const TEN = 10;

/** Gives the token that the page asks for. */
export async function identify({ shown, said }, server) {
  await shown.goto(`${server.url}/console/`);
  await shown.waitForSelector("#token");
  await tabTo(shown, "#token");
  await shown.keyboard.type(server.token);
  await shown.keyboard.press("Enter");
  await shown.waitForSelector("tbody tr");
  // The browser tells of the calls that were refused before.
  said.length = 0;
}

/** The grades of a grader in the record. */
async function gradesOf(server, grader) {
  const { evaluations } = await server.call("/v1/evaluations", { graded: "GRADED_FILTER_GRADED", pageSize: 1000 });
  const records = await Promise.all(evaluations.map((of) => server.call("/v1/evaluation", { evaluationId: of.evaluationId })));
  return records.flatMap((record) => record.grades).filter((of) => of.grader === grader);
}

const KEYS = {
  CLAIM_CLASS_GROUNDED: "g",
  CLAIM_CLASS_UNGROUNDED: "u",
  CLAIM_CLASS_CONTRADICTED: "c",
  CLAIM_CLASS_COMPLEMENTARY: "m",
  TIER_REPLAN: "l",
};

/** What is graded, and the key that says it. */
function keyOf({ grade }) {
  return `${grade.claim?.claimId ?? "report"} ${KEYS[grade.claim?.class ?? grade.report.tier]}`;
}

const has = (shown, text) => shown.waitForFunction((text) => document.querySelector("main").innerText.includes(text), {}, text);

/** Opens the page when it has found that one may grade. */
async function openGrading(page, server) {
  const { shown, said } = page;
  await identify(page, server);
  await shown.goto(`${server.url}/console/#/grading`);
  await shown.waitForSelector("form button:not([disabled])");
  // The browser tells of the grade of nothing, which is refused.
  said.length = 0;
}

async function beginAs(page, server, grader) {
  const { shown } = page;
  await openGrading(page, server);
  await tabTo(shown, "input[required]");
  await shown.keyboard.type(grader);
  await shown.keyboard.press("Enter");
}

/** Waits for what is next, and tells what that is. */
async function onTurn(shown, graded) {
  await shown.waitForFunction(
    (said) => document.querySelector("main").innerText.includes(said) && !document.body.textContent.includes("Loading …"),
    {},
    `\n${graded} graded.`,
  );
  const heading = await shown.$eval("main h2", (of) => of.textContent);
  return /, claim (\S+)$/.exec(heading)?.[1] ?? "report";
}

/** The file that is saved by a key on the element in focus. */
async function saved(shown) {
  const folder = mkdtempSync(join(tmpdir(), "gsar-saved-"));
  try {
    const session = await shown.createCDPSession();
    await session.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder, eventsEnabled: true });
    const completed = new Promise((resolve) => {
      session.on("Browser.downloadProgress", ({ state }) => state !== "inProgress" && resolve());
    });
    await shown.keyboard.press("Enter");
    await completed;
    return readFileSync(join(folder, "grades.jsonl"), "utf8");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export const GRADING_TASKS = {
  /** Ten grades by keyboard alone, each kept before the next one is asked for and nothing of the judge shown before; one of them
   * given again; then how far graders agree, and the grades as a file. */
  async "grade-ten"(page, server) {
    const { shown } = page;
    const grader = `ada-${Date.now()}`;
    await beginAs(page, server, grader);
    const given = [];
    for (let graded = 0; graded < TEN; graded += 1) {
      const subject = await onTurn(shown, graded);
      if (await shown.$("#given, main .report .span .sign:not(:empty)")) throw new Error(`what the judge said of ${subject} is shown before the grade`);
      const key = subject === "report" ? "l" : "gucm"[graded % 4];
      given.push(`${subject} ${key}`);
      await shown.keyboard.press(key);
    }
    await onTurn(shown, TEN);
    await shown.keyboard.press("z");
    await shown.waitForSelector("#given");
    await shown.keyboard.press("n");
    await shown.keyboard.type("seen twice");
    await shown.keyboard.press("Escape");
    const [last] = given.pop().split(" ");
    given.push(`${last} ${last === "report" ? "l" : "c"}`);
    await shown.keyboard.press(given.at(-1).at(-1));
    await shown.waitForFunction(() => !document.querySelector("#given"));
    await onTurn(shown, TEN);

    const kept = await gradesOf(server, grader);
    const keys = kept.map(keyOf).sort().join(", ");
    if (keys !== given.sort().join(", ")) throw new Error(`${keys} are kept, ${given.join(", ")} were given`);
    const notes = kept.filter((of) => of.grade.note !== "").map((of) => `${keyOf(of).split(" ")[0]}: ${of.grade.note}`);
    if (notes.join() !== `${last}: seen twice`) throw new Error(`the notes are ${notes}`);

    await tabTo(shown, "button", "Read all grades");
    await shown.keyboard.press("Enter");
    await has(shown, `${grader} and the evaluation: the same on `);
    await tabTo(shown, "button", "Save as");
    const [file, wanted] = [await saved(shown), server.gsar("ledger", "export", "--kind", "grades")];
    if (file !== wanted) throw new Error("what is saved is not what gsar ledger export writes");
  },

  /** A second grader is given what the first one graded, and what the first one said is not shown. */
  async "grade-second"(page, server) {
    const { shown } = page;
    const { evaluations } = await server.call("/v1/evaluations", { pageSize: 1 });
    const { evaluationId } = evaluations[0];
    const first = { claim: { claimId: "c1", class: "CLAIM_CLASS_GROUNDED" }, note: "the first one was here" };
    await server.call("/v1/grade", { evaluationId, grader: "first", grades: [first] });
    const grader = `second-${Date.now()}`;
    await openGrading(page, server);
    await tabTo(shown, "select");
    await shown.keyboard.type("graded by");
    await shown.keyboard.down("Shift");
    await tabTo(shown, "input[required]");
    await shown.keyboard.up("Shift");
    await shown.keyboard.type(grader);
    await shown.keyboard.press("Enter");
    const subject = await onTurn(shown, 0);
    if (subject !== "c1") throw new Error(`${subject} is asked for first`);
    const before = await shown.$eval("main", (main) => main.innerText);
    if (before.includes(first.note)) throw new Error("what the first one said is shown before the grade");
    await shown.keyboard.press("u");
    await onTurn(shown, 1);
    await shown.keyboard.press("z");
    await has(shown, first.note);
    await shown.keyboard.press("?");
    await shown.waitForSelector("#keys");
    await tabTo(shown, "button", "Read all grades");
    await shown.keyboard.press("Enter");
    await has(shown, `first and ${grader}: the same on 0 of 1 claims`);
  },
};

export const COMPARISON_TASKS = {
  /** Two judges on one report: the claims that differ first, and just those whose classes differ in the record. */
  async "compare-two-judges"({ shown }, server) {
    const { evaluations } = await server.call("/v1/evaluations", { reportId: "contradicted", policy: "reference", pageSize: 10 });
    const one = evaluations[0];
    const other = evaluations.find((of) => of.judge !== one.judge);
    if (!other) throw new Error("there is one judge alone");
    await shown.goto(`${server.url}/console/#/evaluations/${one.evaluationId}`);
    await shown.waitForSelector(".verdict");
    await tabTo(shown, "summary", "Other evaluations");
    await shown.keyboard.press("Enter");
    await tabTo(shown, `a[href$="${other.evaluationId}"]`, "compare");
    await shown.keyboard.press("Enter");
    await shown.waitForSelector(".sides");
    const classes = async ({ evaluationId }) => {
      const { evaluation } = await server.call("/v1/evaluation", { evaluationId });
      return new Map(evaluation.claims.map((claim) => [claim.text, claim.class]));
    };
    const [mine, theirs] = [await classes(one), await classes(other)];
    const texts = [...new Set([...mine.keys(), ...theirs.keys()])];
    const wanted = texts.filter((text) => mine.get(text) !== theirs.get(text)).sort();
    const rows = await shown.$$eval("main tbody tr", (of) =>
      of.map((row) => ({ differs: row.classList.contains("differs"), text: row.cells[0].innerText })),
    );
    const marked = rows.filter((of) => of.differs).map((of) => of.text.replace(/^(differs|only in [12]) /, ""));
    if (marked.sort().join("\n") !== wanted.join("\n")) throw new Error(`marked are ${marked}, but ${wanted} differ`);
    if (rows.findLastIndex((of) => of.differs) >= marked.length) throw new Error("those that differ do not come first");
    if (wanted.length === 0) throw new Error(`${one.judge} and ${other.judge} agree on all, so that nothing is shown`);
  },
};
