// Tests the console in Chromium with the keyboard, on wide and narrow screens, in light and dark mode. `npm run walk
// [FOLDER]` writes screenshots to FOLDER. The variable ONLY selects tasks by a part of their name, and CHROMIUM is the
// path of Chromium. Needs a built server.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { SCREENS, faults, open, page } from "./browser.mjs";
import { start } from "./server.mjs";
import { CALIBRATION_TASKS } from "./calibration_tasks.mjs";
import { CLAIM_TASKS } from "./claim_tasks.mjs";
import { EMPTY_TASKS, FILTER_TASKS, RIGHT_TASKS } from "./empty_tasks.mjs";
import { COMPARISON_TASKS, GRADING_TASKS } from "./grading_tasks.mjs";
import { HOSTILE_TASKS } from "./hostile_tasks.mjs";
import { INVESTIGATION_TASKS } from "./investigation_tasks.mjs";
import { NUMBER_TASKS } from "./number_tasks.mjs";
import { RECORD_TASKS } from "./record_tasks.mjs";
import { TASKS } from "./tasks.mjs";

const folder = process.argv[2];
if (folder) mkdirSync(folder, { recursive: true });
const server = await start();
const withPrincipals = await start({ token: "a-token-of-a-lead-that-is-long-enough" });
const empty = await start({ isEmpty: true });
const ALL = [
  ...Object.entries({ ...TASKS, ...CLAIM_TASKS, ...FILTER_TASKS, ...RECORD_TASKS, ...COMPARISON_TASKS }).map((each) => [server, ...each]),
  ...Object.entries({ ...EMPTY_TASKS, ...CALIBRATION_TASKS }).map((each) => [empty, ...each]),
  ...Object.entries({ ...RIGHT_TASKS, ...GRADING_TASKS, ...INVESTIGATION_TASKS }).map((each) => [withPrincipals, ...each]),
  // These tasks run last, because they add evaluations.
  ...Object.entries({ ...NUMBER_TASKS, ...HOSTILE_TASKS }).map((each) => [server, ...each]),
];
const browser = await open();
let failures = 0;
try {
  for (const [server, name, task] of ALL.filter(([, name]) => name.includes(process.env.ONLY ?? ""))) {
    for (const screen of SCREENS) {
      const at = await page(browser, screen);
      const where = `${name} at ${screen.width} px, ${screen.scheme}`;
      const found = await task(at, server).then(() => faults(at), (error) => [error.message]);
      if (folder) await at.tab.screenshot({ path: join(folder, `${name}-${screen.width}-${screen.scheme}.png`) });
      console.log(found.length === 0 ? `passed  ${where}` : `FAILED  ${where}: ${found.join("; ")}`);
      failures += found.length > 0 ? 1 : 0;
      await at.tab.close();
    }
  }
} finally {
  await browser.close();
  server.stop();
  withPrincipals.stop();
  empty.stop();
}
process.exitCode = failures > 0 ? 1 : 0;
