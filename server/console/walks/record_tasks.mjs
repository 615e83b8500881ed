// What an auditor and a lead come for: lists that are restricted, and policies tried over the record.
import { tabTo } from "./browser.mjs";

const DAY = 86_400_000;

/** Types a day into an input of dates, which takes its parts one after the other in the order of the browser's language. */
async function typeDay(shown, time) {
  const [year, month, day] = new Date(time).toISOString().slice(0, 10).split("-");
  await shown.keyboard.type(`${month}${day}${year}`);
}

const rows = (shown) => shown.$$eval("tbody tr td a[href^='#/evaluations/']", (links) => links.map((link) => decodeURIComponent(link.hash.split("/").pop())));

export const RECORD_TASKS = {
  /** What went out unproven in the last week: those that the API lists, and every number of a row as it says it. */
  async "what-went-out-unproven"({ shown }, server) {
    await shown.goto(`${server.url}/console/`);
    await shown.waitForSelector("tbody tr");
    const from = Date.now() - 7 * DAY;
    await tabTo(shown, "input[type=date]");
    await typeDay(shown, from);
    await tabTo(shown, "input[type=checkbox]");
    await shown.keyboard.press("Space");
    await shown.waitForFunction(() => location.hash.includes("unproven=true"));
    const { evaluations } = await server.call("/v1/evaluations", {
      unprovenOnly: true,
      evaluatedFrom: `${new Date(from).toISOString().slice(0, 10)}T00:00:00Z`,
    });
    if (!evaluations.length) throw new Error("nothing went out unproven, so nothing is shown by this walk");
    await shown.waitForFunction(
      (count) => document.querySelectorAll("tbody tr td a[href^='#/evaluations/']").length === count,
      {},
      evaluations.length,
    );
    const wanted = evaluations.map((of) => of.evaluationId);
    const found = await rows(shown);
    if (String(found) !== String(wanted)) throw new Error(`${found} are not ${wanted}`);
  },

  /** What a policy would change in all of the record, as the API counts it. */
  async "what-a-policy-would-change"({ shown }, server) {
    await shown.goto(`${server.url}/console/#/policies`);
    await shown.waitForSelector("#changes");
    const before = await shown.$eval("#changes", (of) => of.textContent);
    // The second one: from which score a report is to be rewritten.
    await tabTo(shown, "input[type=number]");
    await shown.keyboard.press("Tab");
    await shown.keyboard.down("Control");
    await shown.keyboard.press("a");
    await shown.keyboard.up("Control");
    await shown.keyboard.type("0.7");
    await shown.waitForFunction((before) => document.querySelector("#changes").textContent !== before, {}, before);
    const answer = await server.call("/v1/rescore-evaluations", { policyOverrides: { tauRegenerate: 0.7 } });
    const changed = answer.changes.reduce((sum, of) => sum + of.evaluations, 0);
    const said = await shown.$eval("#changes", (of) => of.textContent);
    if (!said.startsWith(`${changed} of ${answer.decided} `)) throw new Error(`${said}, and the API says ${changed} of ${answer.decided}`);
    const found = await rows(shown);
    const wanted = answer.changed.map((of) => of.evaluation.evaluationId);
    if (String(found) !== String(wanted)) throw new Error(`${found} are not ${wanted}`);
  },
};
