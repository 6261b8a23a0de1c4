// The line of thrust through an arch: a segment for each stone, from joint to joint, within the ring and the same on both sides.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { folder, openBrowser, openView, run, settle, source, startView } from "./browser.mjs";

const where = folder();
let chrome, view, page;

before(async () => {
  chrome = await openBrowser();
  run(where, join(source, "scenes/arch.yaml"), "arch.h5", "--until", "0.05");
  view = await startView(where, "arch.h5");
  page = await openView(chrome.newPage, view.url);
});

after(async () => {
  await chrome?.close();
  await view?.stop();
});

test("fifteen stones, fifteen segments, from springing to springing", async () => {
  await page.click("#toggle-contacts");
  await page.keyboard.press("End");
  await page.waitForFunction(() => window.capstan.thrust.length > 0);
  await settle(page);
  const ends = await page.evaluate(() => window.capstan.thrust);
  if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, "thrust.png") });
  assert.equal(ends.length, 2 * 15);
  // each joint but the two at the springings is in two segments
  const places = new Set(ends.map((end) => end.map((x) => x.toFixed(6)).join()));
  assert.equal(places.size, 16);
  const xs = [...places].map((place) => Number(place.split(",")[0])).sort((a, b) => a - b);
  for (let i = 0; i < 8; ++i) assert.ok(Math.abs(xs[i] + xs[15 - i]) < 0.02 * (xs[15] - xs[0]), `the two sides differ: ${xs}`);
  assert.deepEqual(chrome.errors, []);
});
