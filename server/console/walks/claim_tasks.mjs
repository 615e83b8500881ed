// What a person on call wants to know of a claim that is held.
import { tabTo } from "./browser.mjs";

async function openContradicted(shown, server) {
  const { evaluations } = await server.call("/v1/evaluations", { reportId: "contradicted", policy: "reference", pageSize: 10 });
  const { evaluationId } = evaluations[0];
  await shown.goto(`${server.url}/console/#/evaluations/${evaluationId}`);
  await shown.waitForSelector("#claim");
  return server.call("/v1/evaluation", { evaluationId });
}

const settled = (shown) => shown.waitForFunction(() => !document.body.textContent.includes("Loading …"));

/** Presses a claim of the list. One that is open already is left open. */
async function openClaim(shown, claim) {
  await tabTo(shown, "button.claim", claim.text);
  const isOpen = await shown.evaluate((id) => document.querySelector("h2#claim")?.textContent.startsWith(`${id}:`), claim.id);
  if (!isOpen) await shown.keyboard.press("Enter");
  await shown.waitForFunction((id) => document.querySelector("h2#claim")?.textContent.startsWith(`${id}:`), {}, claim.id);
  await settled(shown);
}

export const CLAIM_TASKS = {
  /** Why a claim is held: what the second reader missed, what verification changed, and the nearest lines of the evidence, which open. */
  async "why-a-claim-is-held"({ shown }, server) {
    const { evaluation, evidence } = await openContradicted(shown, server);
    const claim = evaluation.claims.find((of) => of.class === "CLAIM_CLASS_CONTRADICTED" && of.secondLook?.words);
    await openClaim(shown, claim);
    const why = await shown.$eval(".why", (of) => of.innerText);
    const corrections = evaluation.corrections.filter((of) => of.claimId === claim.id);
    for (const part of ["Why it is held", claim.note, claim.secondLook.words, ...corrections.map((of) => of.sentence)]) {
      if (!why.includes(part)) throw new Error(`"${part}" is not among the answers: ${why}`);
    }
    const nearest = await shown.$$eval(".nearest summary", (of) => of.map((line) => ({ item: line.querySelector("span").textContent, words: [...line.querySelectorAll("mark")].map((mark) => mark.textContent) })));
    if (nearest.length === 0 || nearest.length > 3) throw new Error(`${nearest.length} lines are shown`);
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
    const label = await shown.$eval(".nearest", (of) => of.innerText);
    if (!label.includes("No judge read")) throw new Error("the page does not state that no judge read these lines");
    await tabTo(shown, ".nearest summary");
    await shown.keyboard.press("Enter");
    await shown.waitForSelector(".nearest .lines mark");
    await tabTo(shown, "summary", `All ${evidence.length} items`);
    await shown.keyboard.press("Enter");
    await shown.waitForFunction((count) => document.querySelectorAll("#claim ~ details details").length === count, {}, evidence.length);
    await tabTo(shown, "#claim ~ details details summary", evidence[0].id);
    await shown.keyboard.press("Enter");
    await shown.waitForFunction(() => document.querySelector("#claim ~ details details .lines")?.textContent.length > 100);
    await shown.$eval("#claim", (of) => of.scrollIntoView());
  },

  /** All evidence of an evaluation, each item whole. */
  async "all-evidence"({ shown }, server) {
    const { evidence } = await openContradicted(shown, server);
    const listed = await shown.$$eval("#all-evidence ~ details summary", (of) => of.map((line) => line.textContent.trim().split(" ")[0]));
    if (String(listed) !== String(evidence.map((of) => of.id))) throw new Error(`${listed} are listed`);
    await tabTo(shown, "#all-evidence ~ details summary", evidence.at(-1).id);
    await shown.keyboard.press("Enter");
    await shown.waitForFunction(() => document.querySelector("#all-evidence ~ details .lines")?.textContent.length > 100);
  },

  /** A claim opens where it stands: below itself on a phone, in sight beside itself on a wide screen; focus stays, and Tab goes into it. */
  async "a-claim-opens-where-it-stands"({ shown }, server) {
    const { evaluation } = await openContradicted(shown, server);
    await settled(shown);
    const isNarrow = (await shown.evaluate(() => innerWidth)) < 960;
    const claim = evaluation.claims.at(-2);
    for (const [selector, text] of [["button.claim", claim.text], [".report .span", claim.text.slice(0, 20)]]) {
      await tabTo(shown, selector, text);
      const before = await shown.evaluate(() => document.activeElement.getBoundingClientRect().top);
      await shown.keyboard.press("Enter");
      await shown.waitForFunction((id) => document.querySelector("h2#claim")?.textContent.startsWith(`${id}:`), {}, claim.id);
      await settled(shown);
      const at = await shown.evaluate(() => {
        const [pressed, heading] = [document.activeElement, document.querySelector("#claim")].map((of) => of.getBoundingClientRect());
        return {
          pressed: pressed.top,
          below: heading.top - pressed.bottom,
          isInSight: heading.top >= 0 && heading.bottom <= innerHeight,
          isNext: document.activeElement.nextElementSibling?.contains(document.querySelector("#claim")),
          headings: document.querySelectorAll("#claim").length,
        };
      });
      if (at.headings !== 1) throw new Error(`${at.headings} claims are open`);
      if (Math.abs(at.pressed - before) > 2) throw new Error(`what was pressed jumped from ${before} to ${at.pressed}`);
      if (!isNarrow && !at.isInSight) throw new Error("the claim is not in sight");
      if (isNarrow && (!at.isNext || at.below < 0 || at.below > 60)) throw new Error(`the claim is ${at.below} px below what was pressed`);
      if (!isNarrow) continue;
      await shown.keyboard.press("Tab");
      const isInside = await shown.evaluate(() => Boolean(document.activeElement.closest(".opened")));
      if (!isInside) throw new Error("Tab does not go into the claim");
      await shown.keyboard.down("Shift");
      await shown.keyboard.press("Tab");
      await shown.keyboard.up("Shift");
      if (selector === "button.claim") {
        await shown.keyboard.press("Enter");
        await shown.waitForFunction(() => !document.querySelector("#claim"));
      }
    }
  },
};
