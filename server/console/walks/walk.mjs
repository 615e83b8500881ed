// Walks through the console in Chromium, with the keyboard alone, on wide and narrow screens, light and dark:
// `npm run walk [FOLDER]` writes pictures to FOLDER. Needs Chromium (CHROMIUM names it) and a built server.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { SCREENS, faults, open, page } from "./browser.mjs";
import { start } from "./server.mjs";
import { TASKS } from "./tasks.mjs";

const folder = process.argv[2];
if (folder) mkdirSync(folder, { recursive: true });
const server = await start();
const browser = await open();
let failed = 0;
try {
  for (const [name, task] of Object.entries(TASKS)) {
    for (const screen of SCREENS) {
      const at = await page(browser, screen);
      const where = `${name} at ${screen.width} px, ${screen.scheme}`;
      const found = await task(at, server).then(() => faults(at), (error) => [error.message]);
      if (folder) await at.shown.screenshot({ path: join(folder, `${name}-${screen.width}-${screen.scheme}.png`) });
      console.log(found.length === 0 ? `done    ${where}` : `FAILED  ${where}: ${found.join("; ")}`);
      failed += found.length > 0 ? 1 : 0;
      await at.shown.close();
    }
  }
} finally {
  await browser.close();
  server.stop();
}
process.exitCode = failed > 0 ? 1 : 0;
