// What people come for, each done with the keyboard alone. A task throws where it cannot be done.
import { tabTo } from "./browser.mjs";

const text = (shown, selector) => shown.$eval(selector, (element) => element.textContent.trim());

async function openReport({ shown }, server, report) {
  await shown.goto(`${server.url}/console/`);
  await shown.waitForSelector("tbody tr");
  await tabTo(shown, "td a", report);
  await shown.keyboard.press("Enter");
  await shown.waitForSelector(".verdict");
}

export const TASKS = {
  /** The list of evaluations, restricted to one tier. */
  async "what-was-held"({ shown }, server) {
    await shown.goto(`${server.url}/console/`);
    await shown.waitForSelector("tbody tr");
    const all = await shown.$$eval("tbody tr", (rows) => rows.length);
    await tabTo(shown, "select");
    await shown.keyboard.type("regenerate");
    await shown.waitForFunction((all) => document.querySelectorAll("tbody tr").length < all, {}, all);
    const tiers = await shown.$$eval("tbody .tier", (cells) => cells.map((cell) => cell.textContent));
    if (tiers.length === 0 || !tiers.every((tier) => tier.includes("regenerate"))) throw new Error(tiers.join());
  },

  /** Why was this held: the verdict and its reasons, in words. */
  async "why-was-this-held"(page, server) {
    await openReport(page, server, "contradicted");
    const verdict = await text(page.shown, ".verdict");
    const reasons = await text(page.shown, ".reasons");
    if (!/regenerate|replan/.test(verdict) || !/[a-z].* [A-Z_]{8,}/.test(reasons)) throw new Error(`${verdict}: ${reasons}`);
  },

  /** Which bytes decided a claim: its evidence, scrolled to where they stand, and the same bytes as the record has. */
  async "which-bytes-decided"(page, server) {
    const { shown } = page;
    await openReport(page, server, "contradicted");
    const id = decodeURIComponent(new URL(shown.url()).hash.split("/").pop());
    const { evaluation } = await server.call("/v1/evaluation", { evaluationId: id });
    const claim = evaluation.claims.findLast((of) => of.citations?.some((citation) => citation.bytes));
    await tabTo(shown, "button.claim", claim.text);
    await shown.keyboard.press("Enter");
    await shown.waitForFunction((id) => document.querySelector("h2#claim")?.textContent.startsWith(`${id}:`), {}, claim.id);
    await shown.waitForSelector(".cited mark");
    const marked = await shown.$$eval(".cited mark", (marks) => marks.map((mark) => mark.textContent).join(""));
    const quotes = claim.citations.map((citation) => citation.quote).join("").replaceAll("\n", "");
    if (marked.replaceAll("\n", "") !== quotes) throw new Error(`${marked} is not ${quotes}`);
    const isInSight = await shown.$eval(".cited .lines", (box) => {
      const [of, at] = [box.getBoundingClientRect(), box.querySelector("mark").getBoundingClientRect()];
      return at.top >= of.top && at.bottom <= of.bottom;
    });
    if (!isInSight) throw new Error("what decided is not in sight");
  },

  /** What changes at another threshold: the tier as Rescore decides it. */
  async "what-changes-at-another-threshold"(page, server) {
    const { shown } = page;
    await openReport(page, server, "overreaching");
    await tabTo(shown, "input[type=number]");
    await shown.keyboard.down("Control");
    await shown.keyboard.press("a");
    await shown.keyboard.up("Control");
    await shown.keyboard.type("0.75");
    await shown.waitForSelector(".panel [role=status] .tier");
  },
};
