// Tests the details of a claim.
import { tabTo } from "./browser.mjs";

async function openContradicted(tab, server) {
  const { evaluations } = await server.call("/v1/evaluations", { reportId: "contradicted", policy: "reference", pageSize: 10 });
  const { evaluationId } = evaluations[0];
  await tab.goto(`${server.url}/console/#/evaluations/${evaluationId}`);
  await tab.waitForSelector("#claim");
  return server.call("/v1/evaluation", { evaluationId });
}

const waitUntilLoaded = (tab) => tab.waitForFunction(() => !document.body.textContent.includes("Loading …"));

/** Waits until the focused element has kept its place for three frames. */
const settleFocus = (tab) => tab.evaluate(async () => {
  const frame = () => new Promise(requestAnimationFrame);
  const top = () => document.activeElement.getBoundingClientRect().top;
  for (let [same, last] = [0, top()]; same < 3; last = top()) {
    await frame();
    same = top() === last ? same + 1 : 0;
  }
});

/** Opens a claim in the list, unless it is already open. */
async function openClaim(tab, claim) {
  await tabTo(tab, "button.claim", claim.text);
  const isOpen = await tab.evaluate((id) => document.querySelector("h2#claim")?.textContent.startsWith(`${id}:`), claim.id);
  if (!isOpen) await tab.keyboard.press("Enter");
  await tab.waitForFunction((id) => document.querySelector("h2#claim")?.textContent.startsWith(`${id}:`), {}, claim.id);
  await waitUntilLoaded(tab);
}

export const CLAIM_TASKS = {
  /** The page shows the second look's words, the corrections, and the nearest lines of the evidence. */
  async "held-claim"({ tab }, server) {
    const { evaluation, evidence } = await openContradicted(tab, server);
    const claim = evaluation.claims.find((each) => each.class === "CLAIM_CLASS_CONTRADICTED" && each.secondLook?.words);
    await openClaim(tab, claim);
    const why = await tab.$eval(".why", (element) => element.innerText);
    const corrections = evaluation.corrections.filter((each) => each.claimId === claim.id);
    for (const part of ["Why the claim is held", claim.note, claim.secondLook.words, ...corrections.map((each) => each.sentence)]) {
      if (!why.includes(part)) throw new Error(`"${part}" is missing from the reasons: ${why}`);
    }
    const nearest = await tab.$$eval(".nearest summary", (elements) => elements.map((line) => ({ item: line.querySelector("span").textContent, words: [...line.querySelectorAll("mark")].map((mark) => mark.textContent) })));
    if (nearest.length === 0 || nearest.length > 3) throw new Error(`expected 1 to 3 nearest lines, found ${nearest.length}`);
    const texts = new Map();
    for (const { id } of evidence) {
      const { item } = await server.call("/v1/evaluation-evidence", { evaluationId: evaluation.evaluationId, evidenceId: id });
      texts.set(id, item.text ?? item.json);
    }
    for (const { item, words } of nearest) {
      const text = texts.get(item.split(",")[0])?.toLowerCase();
      const isShared = (word) => text.includes(word.toLowerCase()) && claim.text.toLowerCase().includes(word.toLowerCase().replace(/s$/, ""));
      if (words.length === 0 || !words.every(isShared)) throw new Error(`${item} and the claim do not share ${words}`);
    }
    const label = await tab.$eval(".nearest", (element) => element.innerText);
    if (!label.includes("No judge read")) throw new Error("the page does not state that no judge read these lines");
    await tabTo(tab, ".nearest summary");
    await tab.keyboard.press("Enter");
    await tab.waitForSelector(".nearest .lines mark");
    await tabTo(tab, "summary", `All ${evidence.length} evidence items`);
    await tab.keyboard.press("Enter");
    await tab.waitForFunction((count) => document.querySelectorAll("#claim ~ details details").length === count, {}, evidence.length);
    await tabTo(tab, "#claim ~ details details summary", evidence[0].id);
    await tab.keyboard.press("Enter");
    await tab.waitForFunction(() => document.querySelector("#claim ~ details details .lines")?.textContent.length > 100);
    await tab.$eval("#claim", (element) => element.scrollIntoView());
  },

  async "all-evidence"({ tab }, server) {
    const { evidence } = await openContradicted(tab, server);
    const listed = await tab.$$eval("#all-evidence ~ details summary", (elements) => elements.map((line) => line.textContent.trim().split(" ")[0]));
    if (String(listed) !== String(evidence.map((each) => each.id))) throw new Error(`listed: ${listed}`);
    await tabTo(tab, "#all-evidence ~ details summary", evidence.at(-1).id);
    await tab.keyboard.press("Enter");
    await tab.waitForFunction(() => document.querySelector("#all-evidence ~ details .lines")?.textContent.length > 100);
  },

  /**
   * The details open below the claim on a narrow screen, and in the visible next column on a wide screen. The claim
   * keeps the focus.
   */
  async "claim-opens-in-place"({ tab }, server) {
    const { evaluation } = await openContradicted(tab, server);
    await waitUntilLoaded(tab);
    const isNarrow = (await tab.evaluate(() => innerWidth)) < 960;
    const claim = evaluation.claims.at(-2);
    for (const [selector, text] of [["button.claim", claim.text], [".report .span", claim.text.slice(0, 20)]]) {
      await tabTo(tab, selector, text);
      await settleFocus(tab);
      const before = await tab.evaluate(() => document.activeElement.getBoundingClientRect().top);
      await tab.keyboard.press("Enter");
      await tab.waitForFunction((id) => document.querySelector("h2#claim")?.textContent.startsWith(`${id}:`), {}, claim.id);
      await waitUntilLoaded(tab);
      await settleFocus(tab);
      const at = await tab.evaluate(() => {
        const [pressed, heading] = [document.activeElement, document.querySelector("#claim")].map((each) => each.getBoundingClientRect());
        return {
          pressed: pressed.top,
          below: heading.top - pressed.bottom,
          isInSight: heading.top >= 0 && heading.bottom <= innerHeight,
          isNext: document.activeElement.nextElementSibling?.contains(document.querySelector("#claim")),
          headings: document.querySelectorAll("#claim").length,
        };
      });
      if (at.headings !== 1) throw new Error(`${at.headings} claims are open`);
      if (Math.abs(at.pressed - before) > 2) throw new Error(`the pressed element moved from ${before} to ${at.pressed}`);
      if (!isNarrow && !at.isInSight) throw new Error("the details of the claim are not visible");
      if (isNarrow && (!at.isNext || at.below < 0 || at.below > 60)) throw new Error(`the details are ${at.below} px below the pressed element`);
      if (!isNarrow) continue;
      await tab.keyboard.press("Tab");
      const isInside = await tab.evaluate(() => Boolean(document.activeElement.closest(".opened")));
      if (!isInside) throw new Error("Tab does not enter the details of the claim");
      await tab.keyboard.down("Shift");
      await tab.keyboard.press("Tab");
      await tab.keyboard.up("Shift");
      if (selector === "button.claim") {
        await tab.keyboard.press("Enter");
        await tab.waitForFunction(() => !document.querySelector("#claim"));
      }
    }
  },
};
