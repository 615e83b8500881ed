// Tests filtered lists, and policies that are applied to the recorded evaluations.
import { tabTo } from "./browser.mjs";

const DAY = 86_400_000;

/** Types a day into a date input, in the order of the browser's locale. */
async function typeDay(tab, time) {
  const [year, month, day] = new Date(time).toISOString().slice(0, 10).split("-");
  await tab.keyboard.type(`${month}${day}${year}`);
}

const rows = (tab) => tab.$$eval("tbody tr td a[href^='#/evaluations/']", (links) => links.map((link) => decodeURIComponent(link.hash.split("/").pop())));

export const RECORD_TASKS = {
  /** The filters select the unproven reports of the last week. */
  async "unproven-reports"({ tab }, server) {
    await tab.goto(`${server.url}/console/`);
    await tab.waitForSelector("tbody tr");
    const from = Date.now() - 7 * DAY;
    await tabTo(tab, "input[type=date]");
    await typeDay(tab, from);
    await tabTo(tab, "input[type=checkbox]");
    await tab.keyboard.press("Space");
    await tab.waitForFunction(() => location.hash.includes("unproven=true"));
    const { evaluations } = await server.call("/v1/evaluations", {
      unprovenOnly: true,
      evaluatedFrom: `${new Date(from).toISOString().slice(0, 10)}T00:00:00Z`,
    });
    if (!evaluations.length) throw new Error("no report is unproven, so this task tests nothing");
    await tab.waitForFunction(
      (count) => document.querySelectorAll("tbody tr td a[href^='#/evaluations/']").length === count,
      {},
      evaluations.length,
    );
    const expected = evaluations.map((each) => each.evaluationId);
    const found = await rows(tab);
    if (String(found) !== String(expected)) throw new Error(`found: ${found}; expected: ${expected}`);
  },

  /** The page counts the evaluations that another policy would change. */
  async "policy-changes"({ tab }, server) {
    await tab.goto(`${server.url}/console/#/policies`);
    await tab.waitForSelector("#changes");
    const before = await tab.$eval("#changes", (element) => element.textContent);
    // The second input is tau_regenerate.
    await tabTo(tab, "input[type=number]");
    await tab.keyboard.press("Tab");
    await tab.keyboard.down("Control");
    await tab.keyboard.press("a");
    await tab.keyboard.up("Control");
    await tab.keyboard.type("0.7");
    await tab.waitForFunction((before) => document.querySelector("#changes").textContent !== before, {}, before);
    const answer = await server.call("/v1/rescore-evaluations", { policyOverrides: { tauRegenerate: 0.7 } });
    const changed = answer.changes.reduce((sum, change) => sum + change.evaluations, 0);
    const text = await tab.$eval("#changes", (element) => element.textContent);
    if (!text.startsWith(`${changed} of ${answer.decided} `)) throw new Error(`${text}; the API returns ${changed} of ${answer.decided}`);
    const found = await rows(tab);
    const expected = answer.changed.map((each) => each.evaluation.evaluationId);
    if (String(found) !== String(expected)) throw new Error(`found: ${found}; expected: ${expected}`);
  },
};
