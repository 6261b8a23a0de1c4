// Live scenes from a folder of static files, opened from disk, and the example of the npm package, in chromium. What needs no browser is in
// wasm.mjs. With CAPSTAN_LONG (make test-long) the scenes that take long without a graphics card run too.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { folder, openBrowser, openView, run, runs, source, webAssembly } from "./browser.mjs";

const made = webAssembly();
const where = folder();

const chrome = await openBrowser();
after(() => chrome.close());

test("from disk: a knot runs, is pulled, feels the slider, and is saved as a scene that the command runs", async () => {
  const page = await openView(chrome.newPage, pathToFileURL(join(made, "live/index.html")).href + "?scene=knot", { acceptDownloads: true });
  assert.deepEqual(
    await page.locator("#scenes option").evaluateAll((all) => all.map((option) => option.value)),
    ["knot", "arch", "cards", "plectoneme", "loop", "towel", "lock", "wavy-84"],
  );
  const tip = await page.evaluate(() => window.capstan.line(0, -1));
  await page.mouse.move(tip.x, tip.y);
  await page.mouse.down();
  await page.waitForFunction(() => window.capstan.status?.hand);
  await page.mouse.move(tip.x, tip.y - 40, { steps: 4 });
  await runs(page, true);
  await page.waitForFunction(() => Math.hypot(...window.capstan.status.hand.force) > 0.01 && window.capstan.status.step > 3);
  await page.mouse.up();
  await page.waitForFunction(() => window.capstan.status.hand === null);
  await runs(page, false);
  await page.locator("#mu").fill("0.7");
  await page.waitForFunction(() => document.querySelector("#mu-value").textContent === "0.7");
  const files = {};
  page.on("download", async (download) => {
    files[download.suggestedFilename()] = download.saveAs(join(where, download.suggestedFilename()));
  });
  await page.click("#save-scene");
  await page.waitForFunction(() => /knot-1.yaml/.test(document.querySelector("#saved").textContent));
  while (Object.keys(files).length < 2) await page.waitForTimeout(20);
  await Promise.all(Object.values(files));
  const time = await page.evaluate(() => window.capstan.status.time);
  run(where, "knot-1.yaml", "again.h5", "--until", String(time + 0.002));
  assert.deepEqual(chrome.errors, []);
});

test("from disk: the double loop runs live; so does the towel, which is slow", async () => {
  for (const name of process.env.CAPSTAN_LONG ? ["loop", "towel"] : ["loop"]) {
    const page = await openView(chrome.newPage, pathToFileURL(join(made, "live/index.html")).href + `?scene=${name}&embed=1`);
    await runs(page, true);
    await page.waitForFunction(() => window.capstan.status?.step > 10);
    await runs(page, false);
    if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, `live-${name}.png`) });
    await page.close();
  }
  assert.deepEqual(chrome.errors, []);
});

// Its three.js comes from a server of packages; here it is the one that the page is built with.
test("the example with three.js draws a rope that falls on a bar", async () => {
  const server = createServer((request, answer) => {
    const path = join(made, "npm", new URL(request.url, "http://x").pathname);
    if (!existsSync(path)) return answer.writeHead(404).end();
    answer.writeHead(200, { "content-type": path.endsWith(".html") ? "text/html" : "text/javascript" }).end(readFileSync(path));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const page = await chrome.newPage();
  await page.route("https://unpkg.com/**", (route) =>
    route.fulfill({ path: join(source, "web/node_modules/three/build", route.request().url().split("/").pop()), headers: { "content-type": "text/javascript", "access-control-allow-origin": "*" } }),
  );
  await page.route("**/favicon.ico", (route) => route.fulfill({ body: "" }));
  await page.goto(`http://127.0.0.1:${server.address().port}/example/index.html`);
  await page.waitForSelector("canvas");
  const first = await page.screenshot();
  await page.waitForTimeout(3000);
  const picture = await page.screenshot(process.env.SCREENSHOTS ? { path: join(process.env.SCREENSHOTS, "three.png") } : {});
  assert.ok(!first.equals(picture), "nothing moves");
  assert.deepEqual(chrome.errors, []);
  server.close();
});
