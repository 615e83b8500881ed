// What stands where there is nothing, and what is said before something is begun that cannot be done.
import { tabTo } from "./browser.mjs";
import { identify } from "./grading_tasks.mjs";

const has = (shown, text) => shown.waitForFunction((text) => document.querySelector("main").innerText.includes(text), {}, text);

/** On a server without evaluations, of which another policy than the preset decides. */
export const EMPTY_TASKS = {
  async "nothing-was-evaluated"({ shown }, server) {
    await shown.goto(`${server.url}/console/`);
    await has(shown, "gsar evaluate report.md --evidence evidence/");
  },

  async "no-investigation"({ shown, said }, server) {
    await shown.goto(`${server.url}/console/#/investigations`);
    await has(shown, "gsar drive");
    await shown.goto(`${server.url}/console/#/investigations/inc-404`);
    await has(shown, "Investigation not found");
    // The browser tells of the one that is not found.
    said.length = 0;
  },

  /** Policies begin with the one that decides. */
  async "which-policy-decides"({ shown }, server) {
    await shown.goto(`${server.url}/console/#/policies`);
    await has(shown, "No evaluations yet");
    const { policies } = await server.call("/v1/policies", {});
    const wanted = policies.find((of) => of.isDefault).name;
    const chosen = await shown.$eval("select", (of) => of.value);
    if (chosen !== wanted || ["paper", "reference"].includes(wanted)) throw new Error(`${chosen} is chosen, ${wanted} decides`);
    await has(shown, `${wanted} is the default of this server`);
    const proceed = await shown.$eval("input[type=number]", (of) => of.value);
    if (proceed !== "0.9") throw new Error(`proceed from ${proceed}`);
  },

  /** What grading needs is said before it begins. */
  async "grading-without-principals"({ shown, said }, server) {
    await shown.goto(`${server.url}/console/#/grading`);
    await has(shown, "Before you can grade");
    await has(shown, "security.principals");
    if (!(await shown.$eval("form button", (of) => of.disabled))) throw new Error("grading can begin");
    // The browser tells of the call that is refused.
    said.length = 0;
  },
};

/** On a server with evaluations. */
export const FILTER_TASKS = {
  /** Filters that nothing fits, and the way back. */
  async "filters-that-nothing-fits"({ shown }, server) {
    for (const page of ["evaluations", "policies"]) {
      await shown.goto(`${server.url}/console/#/${page}`);
      await shown.waitForSelector(page === "policies" ? "#changes" : "tbody tr");
      if (page === "policies") {
        await tabTo(shown, "summary", "Filter evaluations");
        await shown.keyboard.press("Enter");
      }
      await tabTo(shown, "form input:not([type=date])");
      await shown.keyboard.type("nobody");
      await shown.keyboard.press("Enter");
      await has(shown, "No evaluation matches these filters");
      await tabTo(shown, "main .panel button", "Clear filters");
      await shown.keyboard.press("Enter");
      await shown.waitForSelector(page === "policies" ? "#changes" : "tbody tr");
    }
  },

  /** Two evaluations that say the same. */
  async "no-disagreement"({ shown }, server) {
    const { evaluations } = await server.call("/v1/evaluations", { reportId: "contradicted", pageSize: 10 });
    const [one, other] = evaluations.filter((of) => of.judge === evaluations[0].judge);
    await shown.goto(`${server.url}/console/#/comparison/${one.evaluationId}/${other.evaluationId}`);
    await has(shown, "No disagreement:");
  },

  /** Less than a day is drawn in minutes or hours, with what they are. */
  async "tiers-over-minutes"({ shown }, server) {
    await shown.goto(`${server.url}/console/`);
    await shown.waitForSelector("#over-time ~ .wide svg");
    const found = await shown.$eval("#over-time ~ .wide svg", (svg) => ({
      labels: [...svg.querySelectorAll("text")].map((of) => of.textContent),
      bars: [...svg.querySelectorAll("rect")].map((of) => of.getBoundingClientRect()).filter((of) => of.height > 0).map(({ width, height }) => ({ width, height })),
    }));
    if (!found.labels.some((of) => /^\d\d:\d\d$/.test(of))) throw new Error(`the labels are ${found.labels}`);
    if (!found.bars.some((of) => of.width >= 10 && of.height >= 10)) throw new Error(`the bars are ${JSON.stringify(found.bars)}`);
  },
};

/** Where callers say who they are. */
export const RIGHT_TASKS = {
  /** A token without the right to grade: what is missing, and another token. */
  async "grading-without-the-right"(page, server) {
    const { shown, said } = page;
    await identify(page, { ...server, token: server.readerToken });
    await shown.goto(`${server.url}/console/#/grading`);
    await has(shown, "Your token may grade");
    const missing = await shown.$eval("#needs ~ div", (of) => of.innerText);
    if (!missing.includes("reader") || !missing.includes("grade")) throw new Error(`what is missing is not said: ${missing}`);
    await tabTo(shown, "button", "Use another token");
    await shown.keyboard.press("Enter");
    await shown.waitForFunction(() => document.activeElement.id === "token");
    await shown.keyboard.type(server.token);
    await shown.keyboard.press("Enter");
    await has(shown, "Ready:");
    // The browser tells of the calls that are refused.
    said.length = 0;
  },
};
