// Tests the calibration page. `gsar-calibrate report` wrote calibration.html from two runs on the FEVER sample.
const REPORT = new URL("calibration.html", import.meta.url).pathname;

const has = (tab, text) => tab.waitForFunction((text) => document.querySelector("main").innerText.includes(text), {}, text);

/** Returns the elements that overflow their box without a hint to scroll. */
function overflowing() {
  const isHinted = (each) => each.nextElementSibling?.textContent.includes("Scroll sideways");
  const boxes = [...document.querySelectorAll("main .wide")].filter((each) => !each.closest("details:not([open])") && each.scrollWidth > each.clientWidth + 1 && !isHinted(each));
  const beyond = [...document.querySelectorAll("main :is(p, dd, dt, h1, h2, h3, pre, summary)")].filter((each) => each.scrollWidth > each.clientWidth + 1);
  return [...boxes, ...beyond].map((each) => each.getAttribute("aria-label") ?? each.textContent.slice(0, 40));
}

export const CALIBRATION_TASKS = {
  async "calibration-report"({ tab }, server) {
    await tab.goto(`${server.url}/console/#/calibration`);
    await has(tab, "gsar-calibrate run");
    const input = await tab.$("input[type=file]");
    await input.uploadFile(REPORT);
    await tab.waitForSelector(".runs");
    const text = await tab.$eval("main", (main) => main.innerText);
    for (const part of ["M1", "M2", "M3", "M4", "M5"]) {
      if (!new RegExp(`^${part} .*\\n+[A-Z]`, "m").test(text)) throw new Error(`${part} is not explained`);
    }
    const run = await tab.$eval(".runs dl", (element) => element.innerText);
    for (const part of [/gsar-server\n+\d+\.\d+/, /judged on\n+\d{4}-\d\d-\d\d/, /data set\n+sample [0-9a-f]{12}/]) {
      if (!part.test(run)) throw new Error(`${part} is missing from the run: ${run}`);
    }
    const head = await tab.$$eval("section[aria-label='Class by class'] th", (elements) => elements.map((cell) => cell.textContent));
    if (!head.includes("recall") || !head.includes("precision")) throw new Error(`the columns are ${head}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const elements = await tab.evaluate(overflowing);
    if (elements.length > 0) throw new Error(`these elements overflow: ${elements.join("; ")}`);
    await tab.$eval(".runs", (element) => element.scrollIntoView());
  },
};
