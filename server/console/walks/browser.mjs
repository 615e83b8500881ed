// Opens pages in Chromium and checks their accessibility, browser errors and width.
import axe from "axe-core";
import puppeteer from "puppeteer-core";

export const SCREENS = [1280, 390].flatMap((width) => ["light", "dark"].map((scheme) => ({ width, scheme })));

export async function open() {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  return puppeteer.launch({ executablePath, args: ["--no-sandbox", "--hide-scrollbars"] });
}

export async function page(browser, { width, scheme }) {
  const tab = await browser.newPage();
  await tab.setViewport({ width, height: 900 });
  await tab.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  const messages = [];
  tab.on("console", (message) => messages.push(message.text()));
  tab.on("pageerror", (error) => messages.push(String(error)));
  tab.on("requestfailed", (request) => messages.push(`${request.url()} failed`));
  return { tab, messages };
}

/** Returns the faults of a page. */
export async function faults({ tab, messages }) {
  // Scripts run by the browser driver bypass the page's Content-Security-Policy.
  await tab.evaluate(axe.source);
  const found = await tab.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"] });
    const serious = violations.filter((each) => ["serious", "critical"].includes(each.impact));
    const isTooWide = document.documentElement.scrollWidth > document.documentElement.clientWidth;
    return [
      ...serious.map((each) => `${each.id}: ${each.help} (${each.nodes.map((node) => node.target).join(", ")})`),
      ...(isTooWide ? [`the page is ${document.documentElement.scrollWidth} px wide`] : []),
    ];
  });
  return [...found, ...messages.map((text) => `browser message: ${text}`)];
}

/** Presses Tab until the focused element matches the selector and contains the text. */
export async function tabTo(tab, selector, text = "") {
  for (let presses = 0; presses < 200; presses += 1) {
    await tab.keyboard.press("Tab");
    const isMatch = await tab.evaluate(
      (selector, text) => {
        const at = document.activeElement;
        return Boolean(at?.matches(selector) && at.textContent.includes(text));
      },
      selector,
      text,
    );
    if (isMatch) return;
  }
  throw new Error(`Tab did not reach ${selector} "${text}"`);
}
