// What a report of gsar-calibrate says of a judge. calibration.html was written by `gsar-calibrate report` of two runs over the sample of FEVER.
const REPORT = new URL("calibration.html", import.meta.url).pathname;

const has = (shown, text) => shown.waitForFunction((text) => document.querySelector("main").innerText.includes(text), {}, text);

/** What is drawn beyond its box where nothing says that there is more, or beyond the screen. */
function cut() {
  const isHinted = (of) => of.nextElementSibling?.textContent.includes("Scroll sideways");
  const boxes = [...document.querySelectorAll("main .wide")].filter((of) => !of.closest("details:not([open])") && of.scrollWidth > of.clientWidth + 1 && !isHinted(of));
  const beyond = [...document.querySelectorAll("main :is(p, dd, dt, h1, h2, h3, pre, summary)")].filter((of) => of.scrollWidth > of.clientWidth + 1);
  return [...boxes, ...beyond].map((of) => of.getAttribute("aria-label") ?? of.textContent.slice(0, 40));
}

export const CALIBRATION_TASKS = {
  /** M1 to M5 in words, what was judged, when and by which version, precision and recall of each class, and nothing cut. */
  async "what-a-calibration-report-says"({ shown }, server) {
    await shown.goto(`${server.url}/console/#/calibration`);
    await has(shown, "gsar-calibrate run");
    const input = await shown.$("input[type=file]");
    await input.uploadFile(REPORT);
    await shown.waitForSelector(".runs");
    const said = await shown.$eval("main", (main) => main.innerText);
    for (const part of ["M1", "M2", "M3", "M4", "M5"]) {
      if (!new RegExp(`^${part} .*\\n+[A-Z]`, "m").test(said)) throw new Error(`${part} is not explained`);
    }
    const run = await shown.$eval(".runs dl", (of) => of.innerText);
    for (const part of [/gsar-server\n+\d+\.\d+/, /judged on\n+\d{4}-\d\d-\d\d/, /data set\n+sample [0-9a-f]{12}/]) {
      if (!part.test(run)) throw new Error(`${part} is not said of a run: ${run}`);
    }
    const head = await shown.$$eval("section[aria-label='Class by class'] th", (of) => of.map((cell) => cell.textContent));
    if (!head.includes("recall") || !head.includes("precision")) throw new Error(`the columns are ${head}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const missing = await shown.evaluate(cut);
    if (missing.length > 0) throw new Error(`cut are ${missing.join("; ")}`);
    await shown.$eval(".runs", (of) => of.scrollIntoView());
  },
};
