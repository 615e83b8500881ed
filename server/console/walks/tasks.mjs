// Tasks that use only the keyboard. A task that fails throws an error.
import { tabTo } from "./browser.mjs";

const text = (tab, selector) => tab.$eval(selector, (element) => element.textContent.trim());

async function openReport({ tab }, server, report) {
  await tab.goto(`${server.url}/console/`);
  await tab.waitForSelector("tbody tr");
  await tabTo(tab, "td a", report);
  await tab.keyboard.press("Enter");
  await tab.waitForSelector(".verdict");
}

export const TASKS = {
  async "filter-by-tier"({ tab }, server) {
    await tab.goto(`${server.url}/console/`);
    await tab.waitForSelector("tbody tr");
    const all = await tab.$$eval("tbody tr", (rows) => rows.length);
    await tabTo(tab, "select");
    await tab.keyboard.type("regenerate");
    await tab.waitForFunction((all) => document.querySelectorAll("tbody tr").length < all, {}, all);
    const tiers = await tab.$$eval("tbody .tier", (cells) => cells.map((cell) => cell.textContent));
    if (tiers.length === 0 || !tiers.every((tier) => tier.includes("regenerate"))) throw new Error(tiers.join());
  },

  async "verdict-and-reasons"(page, server) {
    await openReport(page, server, "contradicted");
    const verdict = await text(page.tab, ".verdict");
    const reasons = await text(page.tab, ".reasons");
    if (!/regenerate|replan/.test(verdict) || !/[a-z].* [A-Z_]{8,}/.test(reasons)) throw new Error(`${verdict}: ${reasons}`);
  },

  /** The page scrolls to the cited bytes and marks them. */
  async "cited-bytes"(page, server) {
    const { tab } = page;
    await openReport(page, server, "contradicted");
    const id = decodeURIComponent(new URL(tab.url()).hash.split("/").pop());
    const { evaluation } = await server.call("/v1/evaluation", { evaluationId: id });
    const claim = evaluation.claims.findLast((each) => each.citations?.some((citation) => citation.bytes));
    await tabTo(tab, "button.claim", claim.text);
    await tab.keyboard.press("Enter");
    await tab.waitForFunction((id) => document.querySelector("h2#claim")?.textContent.startsWith(`${id}:`), {}, claim.id);
    await tab.waitForSelector(".cited mark");
    const marked = await tab.$$eval(".cited mark", (marks) => marks.map((mark) => mark.textContent).join(""));
    const quotes = claim.citations.map((citation) => citation.quote).join("").replaceAll("\n", "");
    if (marked.replaceAll("\n", "") !== quotes) throw new Error(`marked: ${marked}; expected: ${quotes}`);
    const isInSight = await tab.$eval(".cited .lines", (box) => {
      const [outer, inner] = [box.getBoundingClientRect(), box.querySelector("mark").getBoundingClientRect()];
      return inner.top >= outer.top && inner.bottom <= outer.bottom;
    });
    if (!isInSight) throw new Error("the cited bytes are not visible");
  },

  async "another-threshold"(page, server) {
    const { tab } = page;
    await openReport(page, server, "overreaching");
    await tabTo(tab, "input[type=number]");
    await tab.keyboard.down("Control");
    await tab.keyboard.press("a");
    await tab.keyboard.up("Control");
    await tab.keyboard.type("0.75");
    await tab.waitForSelector(".panel [role=status] .tier");
  },
};
