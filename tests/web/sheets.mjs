// Sheets in the browser: drawn from both sides where they are, pulled by a vertex, pinned and released; the tangle of
// everything can be pulled about.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { apart, folder, look, openBrowser, openView, rewind, runs, settle, source, startView } from "./browser.mjs";

// A square of cloth that hangs from two corners, 20 cm above a floor, in the plane of x and z; vertices 0 to 8 are its upper edge.
const SCENE = `
title: A cloth on a line
obstacles:
  floor: {plane: {}}
sheets:
  cloth:
    grid: {size: [40 cm, 40 cm], cells: [8, 8]}
    rotation: {axis: [1, 0, 0], angle: -90 deg}
    position: [0, 0, 40 cm]
    thickness: 4 mm
    fabric: cotton
    pins: [{vertices: [0, 8]}]
contact: {mu: 0.4}
time: {step: 4 ms, end: 0.5 s}
camera: {eye: [0.4, -1.3, 0.7], target: [0, 0, 0.4]}
`;

let chrome, view, page;

before(async () => {
  const where = folder();
  writeFileSync(join(where, "line.yaml"), SCENE);
  chrome = await openBrowser();
  view = await startView(where, "line.yaml");
  page = await openView(chrome.newPage, view.url);
});
after(async () => {
  await chrome?.close();
  await view?.stop();
});

const vertex = (k, which = page) => which.evaluate((k) => window.capstan.vertex(0, k), k);
const blueish = ([r, , b]) => b > r + 12;

test("a sheet is drawn where its vertices are, from both sides, with its pins", async () => {
  const [middle, corner] = [await vertex(40), await vertex(0)];
  assert.deepEqual(middle.world.map((x) => Math.round(1000 * x) + 0), [0, 0, 400]);
  assert.deepEqual(await page.evaluate(() => window.capstan.pins), [0, 8]);
  let seen = await look(page);
  assert.ok(blueish(seen(middle.x, middle.y)), `the front: ${seen(middle.x, middle.y)}`);
  const mark = seen(corner.x, corner.y);
  assert.ok(apart(mark, seen(middle.x, middle.y)) > 60, `a pin is marked: ${mark}`);
  await page.evaluate(() => window.capstan.look([0.4, 1.3, 0.7], [0, 0, 0.4]));
  await settle(page);
  const behind = await vertex(40);
  seen = await look(page);
  assert.ok(blueish(seen(behind.x, behind.y)), `the back: ${seen(behind.x, behind.y)}`);
  await page.evaluate(() => window.capstan.look([0.4, -1.3, 0.7], [0, 0, 0.4]));
  await settle(page);
});

// From the start, standing: takes hold of the lower corner, then lets the simulation go.
async function grabCorner() {
  await rewind(page);
  const corner = await vertex(80);
  await page.mouse.move(corner.x - 2, corner.y - 2);
  await page.mouse.down();
  await page.waitForFunction(() => window.capstan.status.hand);
  await runs(page, true);
  return corner;
}

test("a vertex that is pulled follows the hand and swings back", async () => {
  const corner = await grabCorner();
  await page.mouse.move(corner.x + 50, corner.y - 60, { steps: 6 });
  await page.waitForFunction(([x, y]) => {
    const now = window.capstan.vertex(0, 80);
    return Math.hypot(now.x - x, now.y - y) < 18;
  }, [corner.x + 52, corner.y - 58]);
  const { hand } = await page.evaluate(() => window.capstan.status);
  assert.ok(Math.hypot(...hand.force) > 0, "by a spring");
  const held = await vertex(80);
  assert.ok(Math.hypot(...hand.point.map((x, i) => x - held.world[i])) < 0.05, "which holds at the vertex");
  await page.mouse.up();
  await page.waitForFunction((z) => window.capstan.vertex(0, 80).world[2] < z + 0.03, corner.world[2]);
});

test("p pins what is held in hand: it stays where it is left, moves with a hand, and falls when released", async () => {
  const corner = await grabCorner();
  await page.mouse.move(corner.x + 20, corner.y - 70, { steps: 6 });
  await page.waitForFunction((z) => window.capstan.vertex(0, 80).world[2] > z + 0.1, corner.world[2]);
  await page.keyboard.press("p");
  await page.waitForFunction(() => window.capstan.pins.includes(80));
  await page.mouse.up();
  await page.waitForFunction(() => window.capstan.status.hand === null);
  await runs(page, false);
  const left = await vertex(80);
  await runs(page, true);
  const from = await page.evaluate(() => window.capstan.status.step);
  await page.waitForFunction((k) => window.capstan.status.step > k + 25, from);
  assert.ok(Math.hypot(...(await vertex(80)).world.map((x, i) => x - left.world[i])) < 1e-6, "it stays to rounding");
  // a pinned vertex goes with the hand, exactly
  await page.mouse.move(left.x, left.y);
  await page.mouse.down();
  await page.mouse.move(left.x + 30, left.y + 10, { steps: 4 });
  await page.waitForFunction(([x, y]) => {
    const now = window.capstan.vertex(0, 80);
    return Math.hypot(now.x - x, now.y - y) < 2;
  }, [left.x + 30, left.y + 10]);
  await page.mouse.up();
  await runs(page, false);
  const moved = await vertex(80);
  await page.mouse.move(moved.x, moved.y);
  await page.keyboard.press("p");
  await runs(page, true);
  await page.waitForFunction((z) => !window.capstan.pins.includes(80) && window.capstan.vertex(0, 80).world[2] < z - 0.05, moved.world[2]);
  // the pins of the scene can be released too; a reset brings them back
  const pin = await vertex(0);
  await page.mouse.dblclick(pin.x + 2, pin.y + 2);
  await page.waitForFunction(() => !window.capstan.pins.includes(0));
  await rewind(page);
  await page.waitForFunction(() => window.capstan.pins.join() === "0,8");
});

test("the help says how to pin; a sheet can be picked", async () => {
  await page.keyboard.press("?");
  const text = await page.locator("#help").innerText();
  assert.match(text, /pin or release the vertex of a sheet or a solid under the pointer/);
  assert.match(text, /Double click on a sheet or a solid/);
  await page.keyboard.press("Escape");
  await runs(page, false);
  const middle = await vertex(40);
  await page.mouse.click(middle.x + 3, middle.y + 3);
  await page.waitForFunction(() => /vertices\s*81/.test(document.querySelector("#info").innerText));
  assert.match(await page.locator("#info").innerText(), /cloth[\s\S]*triangles\s*128[\s\S]*mass/);
});

test("a tangle of crates, cloth and rope can be pulled about", async (t) => {
  const tangle = await startView(folder(), join(source, "scenes/tangle.yaml"), "--set", "cells=6", "--set", "step=4 ms");
  t.after(() => tangle.stop());
  const run = await openView(chrome.newPage, tangle.url);
  t.after(() => run.close());
  await runs(run, true);
  await run.waitForFunction(() => window.capstan.status.time > 0.3);
  await runs(run, false); // a hand can only be aimed at what stands
  await settle(run);
  // the corner towards the eye, grasped a little inside the cloth, where the pointer cannot miss it by rounding
  const { eye } = await run.evaluate(() => window.capstan.camera);
  const far = ({ world }) => Math.hypot(...world.map((x, i) => x - eye[i]));
  const corners = await Promise.all([0, 6, 42, 48].map(async (k) => ({ k, ...(await vertex(k, run)) })));
  const near = corners.reduce((best, at) => (far(at) < far(best) ? at : best));
  const middle = await vertex(24, run);
  await run.mouse.move(near.x + 0.05 * (middle.x - near.x), near.y + 0.05 * (middle.y - near.y));
  await run.mouse.down();
  await run.waitForFunction(() => window.capstan.status.hand);
  await runs(run, true);
  await run.mouse.move(near.x + 40, near.y - 90, { steps: 5 });
  await run.waitForFunction(([k, z]) => window.capstan.vertex(0, k).world[2] > z + 0.06, [near.k, near.world[2]]);
  const status = await run.evaluate(() => window.capstan.status);
  assert.ok(status.running && status.sentence === "", `it goes on: ${status.sentence}`);
  await run.mouse.up();
  await run.waitForFunction(() => window.capstan.status.hand === null);
});

// A soft cube beside a pinned sheet, so that the numbers of solids do not begin at 0.
const SOFT = `
title: A soft cube
obstacles:
  floor: {plane: {}}
sheets:
  rug: {grid: {size: [10 cm, 10 cm], cells: [1, 1]}, position: [1, 0, 1], pins: [{vertices: [0, 1, 2, 3]}]}
solids:
  cube: {box: {size: [20 cm, 20 cm, 20 cm], cells: [2, 2, 2]}, position: [0, 0, 10.2 cm], young: 2e5, damping: 5 ms, mass_damping: 3, radius: 2 mm}
contact: {mu: 0.4}
time: {step: 4 ms, end: 0.5 s}
camera: {eye: [0.4, -1.1, 0.5], target: [0, 0, 0.15]}
`;

test("a solid is pulled, pinned and picked as a sheet is", async (t) => {
  const where = folder();
  writeFileSync(join(where, "soft.yaml"), SOFT);
  const soft = await startView(where, "soft.yaml");
  t.after(() => soft.stop());
  const run = await openView(chrome.newPage, soft.url);
  t.after(() => run.close());
  await runs(run, false);
  await settle(run);
  const cube = (k) => run.evaluate((k) => window.capstan.vertex(1, k), k);
  // the upper corner towards the eye, grasped a little inside
  const all = await Promise.all(Array.from({ length: 27 }, (_, k) => cube(k)));
  const best = all.reduce((b, at, k) => (at.world[2] - at.world[1] > all[b].world[2] - all[b].world[1] + 1e-6 ? k : b), 0);
  const middle = await run.evaluate(() => window.capstan.screen(0, -0.1, 0.1));
  const at = all[best];
  await run.mouse.move(at.x + 0.06 * (middle.x - at.x), at.y + 0.06 * (middle.y - at.y));
  await run.mouse.down();
  await run.waitForFunction(() => window.capstan.status.hand);
  await runs(run, true);
  await run.mouse.move(at.x, at.y - 90, { steps: 5 });
  await run.waitForFunction(([k, z]) => window.capstan.vertex(1, k).world[2] > z + 0.06, [best, at.world[2]]);
  await run.keyboard.press("p");
  await run.waitForFunction((k) => window.capstan.pins.includes(k), 4 + best);
  await run.mouse.up();
  await run.waitForFunction(() => window.capstan.status.hand === null);
  await runs(run, false);
  const hung = await cube(best);
  await runs(run, true);
  const from = await run.evaluate(() => window.capstan.status.step);
  await run.waitForFunction((k) => window.capstan.status.step > k + 25, from);
  assert.ok(Math.hypot(...(await cube(best)).world.map((x, i) => x - hung.world[i])) < 1e-6, "it hangs where it is pinned");
  await runs(run, false);
  await settle(run);
  const front = await cube(best);
  await run.mouse.click(front.x + 2, front.y + 6);
  await run.waitForFunction(() => /vertices\s*27/.test(document.querySelector("#info").innerText));
  assert.match(await run.locator("#info").innerText(), /cube/);
});

test("the pages made no errors", () => assert.deepEqual(chrome.errors, []));
