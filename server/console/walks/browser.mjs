// Chromium, and what is looked at on every page: nothing that axe-core calls serious, nothing on the console of the browser,
// nothing wider than the screen.
import axe from "axe-core";
import puppeteer from "puppeteer-core";

export const SCREENS = [1280, 390].flatMap((width) => ["light", "dark"].map((scheme) => ({ width, scheme })));

export async function open() {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  return puppeteer.launch({ executablePath, args: ["--no-sandbox", "--hide-scrollbars"] });
}

export async function page(browser, { width, scheme }) {
  const shown = await browser.newPage();
  await shown.setViewport({ width, height: 900 });
  await shown.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  const said = [];
  shown.on("console", (message) => said.push(message.text()));
  shown.on("pageerror", (error) => said.push(String(error)));
  shown.on("requestfailed", (request) => said.push(`${request.url()} failed`));
  return { shown, said };
}

/** What is wrong with a page as it stands. */
export async function faults({ shown, said }) {
  // As a script of the tool it passes the policy of the page, which stays as it is for the page.
  await shown.evaluate(axe.source);
  const found = await shown.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"] });
    const serious = violations.filter((of) => ["serious", "critical"].includes(of.impact));
    const wider = document.documentElement.scrollWidth > document.documentElement.clientWidth;
    return [
      ...serious.map((of) => `${of.id}: ${of.help} (${of.nodes.map((node) => node.target).join(", ")})`),
      ...(wider ? [`the page is ${document.documentElement.scrollWidth} px wide`] : []),
    ];
  });
  return [...found, ...said.map((text) => `the browser says: ${text}`)];
}

/** Presses Tab until the element in focus fits, as somebody without a mouse does. */
export async function tabTo(shown, selector, text = "") {
  for (let pressed = 0; pressed < 200; pressed += 1) {
    await shown.keyboard.press("Tab");
    const fits = await shown.evaluate(
      (selector, text) => {
        const at = document.activeElement;
        return Boolean(at?.matches(selector) && at.textContent.includes(text));
      },
      selector,
      text,
    );
    if (fits) return;
  }
  throw new Error(`no Tab leads to ${selector} "${text}"`);
}
