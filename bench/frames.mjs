// usage: node bench/frames.mjs [FOLDER] [SCENE | RESULT.h5] [SECONDS]   Pictures per second of the page in chromium with software rendering, 1280 x 720.
// SCENE (wavy-84: 84 strands) runs live in the page that `make browser` writes to FOLDER (out/browser), beside the page in a worker: drawn frames
// and steps of the same seconds. A RESULT is shown by `capstan view` (CAPSTAN names the command) while the view turns, which draws each picture anew. The
// level is the one of web/src/quality.ts that the page has come to. Wall-clock time of the second half: run it on an idle machine.
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { openBrowser, openView, runs, source, startView } from "../tests/web/browser.mjs";

const made = resolve(process.argv[2] ?? join(source, "out/browser"));
const shown = process.argv[3] ?? "wavy-84";
const seconds = Number(process.argv[4] ?? 20);
const live = !shown.endsWith(".h5");

const chrome = await openBrowser();
const view = live ? null : await startView(dirname(resolve(shown)), resolve(shown));
const url = view?.url ?? `${pathToFileURL(join(made, "live/index.html")).href}?scene=${shown}`;
const page = await openView(chrome.newPage, url, { viewport: { width: 1280, height: 720 } });
if (live) await runs(page, true);
const found = await page.evaluate(
  ([most, turning]) =>
    new Promise((done) => {
      const { capstan } = window;
      const begin = performance.now();
      let [half, steps, time, pictures] = [0, 0, 0, 0];
      const step = () => capstan.status?.step ?? 0;
      const next = () => {
        const now = performance.now();
        if (half === 0 && now - begin > 500 * most) [half, steps, pictures] = [now, step(), 0];
        if (turning) {
          const { eye, target } = capstan.camera;
          const [x, y] = [eye[0] - target[0], eye[1] - target[1]];
          const [c, s] = [Math.cos(0.01), Math.sin(0.01)];
          capstan.look([target[0] + c * x - s * y, target[1] + s * x + c * y, eye[2]], target);
        }
        if (turning || capstan.time !== time) pictures++;
        time = capstan.time;
        if (now - begin < 1000 * most) return requestAnimationFrame(next);
        done({ pictures, steps: step() - steps, seconds: (now - half) / 1000, level: capstan.quality });
      };
      requestAnimationFrame(next);
    }),
  [seconds, !live],
);
await chrome.close();
await view?.stop();
const rate = (count) => (count / found.seconds).toFixed(1);
console.log("| shown | pictures/s | steps/s | level |\n|---|---:|---:|---:|");
console.log(`| ${shown} | ${rate(found.pictures)} | ${live ? rate(found.steps) : "–"} | ${found.level} |`);
