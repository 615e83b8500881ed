// Tests empty states and unmet requirements.
import { tabTo } from "./browser.mjs";
import { identify } from "./grading_tasks.mjs";

const has = (tab, text) => tab.waitForFunction((text) => document.querySelector("main").innerText.includes(text), {}, text);

/** Tasks for a server that has no evaluations, and whose default policy is not a preset. */
export const EMPTY_TASKS = {
  async "no-evaluations"({ tab }, server) {
    await tab.goto(`${server.url}/console/`);
    await has(tab, "gsar evaluate report.md --evidence evidence/");
  },

  async "no-investigation"({ tab, messages }, server) {
    await tab.goto(`${server.url}/console/#/investigations`);
    await has(tab, "gsar drive");
    await tab.goto(`${server.url}/console/#/investigations/inc-404`);
    await has(tab, "Investigation not found");
    // Ignores the message in which the browser reports the 404.
    messages.length = 0;
  },

  /** The page selects the default policy. */
  async "default-policy"({ tab }, server) {
    await tab.goto(`${server.url}/console/#/policies`);
    await has(tab, "No evaluations yet");
    const { policies } = await server.call("/v1/policies", {});
    const expected = policies.find((each) => each.isDefault).name;
    const chosen = await tab.$eval("select", (element) => element.value);
    if (chosen !== expected || ["paper", "reference"].includes(expected)) throw new Error(`${chosen} is selected, but the default is ${expected}`);
    await has(tab, `${expected} is the default of this server`);
    const proceed = await tab.$eval("input[type=number]", (element) => element.value);
    if (proceed !== "0.9") throw new Error(`expected the threshold 0.9 for proceed, found ${proceed}`);
  },

  async "grading-without-principals"({ tab, messages }, server) {
    await tab.goto(`${server.url}/console/#/grading`);
    await has(tab, "Before you can grade");
    await has(tab, "security.principals");
    if (!(await tab.$eval("form button", (element) => element.disabled))) throw new Error("grading can be started");
    // Ignores the message in which the browser reports the rejected call.
    messages.length = 0;
  },
};

/** Tasks for a server that has evaluations. */
export const FILTER_TASKS = {
  async "filters-without-match"({ tab }, server) {
    for (const page of ["evaluations", "policies"]) {
      await tab.goto(`${server.url}/console/#/${page}`);
      await tab.waitForSelector(page === "policies" ? "#changes" : "tbody tr");
      if (page === "policies") {
        await tabTo(tab, "summary", "Filter evaluations");
        await tab.keyboard.press("Enter");
      }
      await tabTo(tab, "form input:not([type=date])");
      await tab.keyboard.type("nobody");
      await tab.keyboard.press("Enter");
      await has(tab, "No evaluation matches these filters");
      await tabTo(tab, "main .panel button", "Clear filters");
      await tab.keyboard.press("Enter");
      await tab.waitForSelector(page === "policies" ? "#changes" : "tbody tr");
    }
  },

  async "no-disagreement"({ tab }, server) {
    const { evaluations } = await server.call("/v1/evaluations", { reportId: "contradicted", pageSize: 10 });
    const [one, other] = evaluations.filter((each) => each.judge === evaluations[0].judge);
    await tab.goto(`${server.url}/console/#/comparison/${one.evaluationId}/${other.evaluationId}`);
    await has(tab, "No disagreement:");
  },

  /** If all evaluations are from less than a day, the chart shows them by minute or hour. */
  async "tiers-over-minutes"({ tab }, server) {
    await tab.goto(`${server.url}/console/`);
    await tab.waitForSelector("#over-time ~ .wide svg");
    const found = await tab.$eval("#over-time ~ .wide svg", (svg) => ({
      labels: [...svg.querySelectorAll("text")].map((each) => each.textContent),
      bars: [...svg.querySelectorAll("rect")].map((each) => each.getBoundingClientRect()).filter((each) => each.height > 0).map(({ width, height }) => ({ width, height })),
    }));
    if (!found.labels.some((each) => /^\d\d:\d\d$/.test(each))) throw new Error(`labels: ${found.labels}`);
    if (!found.bars.some((each) => each.width >= 10 && each.height >= 10)) throw new Error(`bars: ${JSON.stringify(found.bars)}`);
  },
};

/** Tasks for a server that requires authentication. */
export const RIGHT_TASKS = {
  async "grading-without-the-right"(page, server) {
    const { tab, messages } = page;
    await identify(page, { ...server, token: server.readerToken });
    await tab.goto(`${server.url}/console/#/grading`);
    await has(tab, "Your token may grade");
    const missing = await tab.$eval("#needs ~ div", (element) => element.innerText);
    if (!missing.includes("reader") || !missing.includes("grade")) throw new Error(`the missing right is not named: ${missing}`);
    await tabTo(tab, "button", "Use another token");
    await tab.keyboard.press("Enter");
    await tab.waitForFunction(() => document.activeElement.id === "token");
    await tab.keyboard.type(server.token);
    await tab.keyboard.press("Enter");
    await has(tab, "Ready:");
    // Ignores the messages in which the browser reports the rejected calls.
    messages.length = 0;
  },
};
