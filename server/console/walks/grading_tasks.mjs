// What graders come for.
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

export const GRADING_TASKS = {
  /** Ten grades by keyboard alone, each kept before the next one is asked for; then how far graders agree. */
  async "grade-ten"(page, server) {
    const { shown } = page;
    const grader = `ada-${Date.now()}`;
    await identify(page, server);
    await shown.goto(`${server.url}/console/#/grading`);
    await shown.waitForSelector("form input[required]");
    await tabTo(shown, "input[required]");
    await shown.keyboard.type(grader);
    await shown.keyboard.press("Enter");
    const given = [];
    for (let graded = 0; graded < TEN; graded += 1) {
      await shown.waitForFunction((said) => document.body.textContent.includes(said), {}, `${graded} graded.`);
      await shown.waitForFunction(() => !document.body.textContent.includes("Loading …"));
      const heading = await shown.$eval("main h2", (of) => of.textContent);
      const key = heading.includes("the report as a whole") ? "l" : "gucm"[graded % 4];
      given.push(key);
      await shown.keyboard.press(key);
    }
    await shown.waitForFunction((said) => document.body.textContent.includes(said), {}, `${TEN} graded.`);
    const kept = await gradesOf(server, grader);
    const keyOf = (of) => (of.grade.report ? "l" : { G: "g", U: "u", COM: "m", CON: "c" }[/CLASS_(CO[NM]|[GU])/.exec(of.grade.claim.class)[1]]);
    const keys = kept.map(keyOf).sort().join("");
    if (keys !== given.sort().join("")) throw new Error(`${keys} are kept, ${given.join("")} were given`);
    await tabTo(shown, "button", "Read all grades");
    await shown.keyboard.press("Enter");
    await shown.waitForFunction((grader) => [...document.querySelectorAll("h3")].some((of) => of.textContent.includes(grader)), {}, grader);
  },
};

export const COMPARISON_TASKS = {
  /** Two judges on one report: the claims that differ first, and just those whose classes differ in the record. */
  async "compare-two-judges"({ shown }, server) {
    const { evaluations } = await server.call("/v1/evaluations", { reportId: "contradicted", policy: "local", pageSize: 10 });
    const one = evaluations[0];
    const other = evaluations.find((of) => of.judge !== one.judge) ?? evaluations[1];
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
    const wanted = texts.filter((text) => mine.get(text) !== theirs.get(text)).length;
    const marked = await shown.$$eval("tr.differs", (rows) => rows.length);
    if (marked !== wanted) throw new Error(`${marked} rows differ, ${wanted} claims do`);
    if (one.judge !== other.judge && wanted === 0) throw new Error(`${one.judge} and ${other.judge} agree on all, so that nothing is shown`);
  },
};
