// Hands in a living simulation: how deep they reach, how far they twist, several of them, and one whose page is killed.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { apart, look, openLive, openView, PATIENCE, rewind, runs, settle, source, startView } from "./browser.mjs";

let where, chrome, view, page, stop;

before(async () => ({ where, chrome, view, page, stop } = await openLive()));
after(() => stop?.());

const minus = (a, b) => a.map((x, i) => x - b[i]);
const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
const cross = (a, b) => [0, 1, 2].map((i) => a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3]);
const unit = (a) => a.map((x) => x / Math.hypot(...a));
const hand = (which) => which.evaluate(() => window.capstan.status.hand);

// Takes hold of the rope at its tip.
async function grabTip(which) {
  const tip = await which.evaluate(() => window.capstan.line(0, -1));
  await which.mouse.move(tip.x, tip.y - 2);
  await which.mouse.down();
  await which.waitForFunction(() => window.capstan.status?.hand);
  return tip;
}

test("with Shift the hand goes away from the eye and comes nearer, and its shadow tells where it is", async () => {
  const bare = await look(page);
  const tip = await grabTip(page);
  await runs(page, true);
  const [x, y] = [tip.x, tip.y - 32]; // a little higher first: the rope then has room
  await page.mouse.move(x, y);
  await page.waitForFunction((z) => window.capstan.status.hand.target[2] > z + 0.03, tip.world[2]);
  const start = (await hand(page)).target;
  const { eye, target: middle, fov } = await page.evaluate(() => window.capstan.camera);
  await page.keyboard.down("Shift");
  await page.mouse.move(x, y - 35);
  // each pixel upwards is one across the view at that distance: the arm from the eye gets longer by 35 times that
  const pixel = (2 * Math.tan((fov * Math.PI) / 360)) / (await page.evaluate(() => document.querySelector("#canvas").clientHeight));
  const wanted = start.map((x, i) => eye[i] + (x - eye[i]) * (1 + 35 * pixel));
  await page.waitForFunction((p) => Math.hypot(...window.capstan.status.hand.target.map((x, i) => x - p[i])) < 1e-4, wanted);
  const line = unit(minus(middle, eye));
  const deep = dot(minus(wanted, start), line);
  assert.ok(deep > 0.08, `deep enough to be seen: ${deep} m`);
  // the tip comes after the hand, which went 8 cm and more; it hangs up to a twentieth of the rope, 2 cm, below it, and what
  // was grabbed is some millimetres above it
  await page.waitForFunction((p) => Math.hypot(...window.capstan.line(0, -1).world.map((x, i) => x - p[i])) < 0.035, wanted);
  assert.match(await page.locator("#force").innerText(), /N, [\d.]+ m?m away$/);

  const shadow = await page.evaluate(() => window.capstan.shadow);
  assert.ok(Math.abs(shadow.world[2]) < 1e-6, "it lies on the floor");
  const light = unit(minus(wanted, shadow.world));
  assert.ok(dot(light, unit([-0.45, -0.55, 1.25])) > 0.99999, `along the light: ${light}`);
  assert.ok(apart((await look(page))(shadow.x, shadow.y), bare(shadow.x, shadow.y)) > 40, "and is drawn");

  await page.mouse.move(x, y + 20);
  await page.waitForFunction(() => /nearer$/.test(document.querySelector("#force").textContent));
  await page.keyboard.up("Shift");
  // across the view again, from where it is now: by as much as the pointer
  const before = await page.evaluate(() => window.capstan.screen(...window.capstan.status.hand.target));
  await page.mouse.move(x - 30, y + 20);
  await page.waitForFunction((was) => {
    const now = window.capstan.screen(...window.capstan.status.hand.target);
    return Math.hypot(now.x - was.x + 30, now.y - was.y) < 1;
  }, before);
  await page.mouse.up();
  await page.waitForFunction(() => window.capstan.status.hand === null && window.capstan.shadow === null);
  assert.deepEqual(await page.evaluate(() => window.capstan.camera.eye), eye, "the camera stays");
});

test("two pages pull at one rope; one is killed, and its hand lets go", async () => {
  await rewind(page);
  const other = await openView(chrome.newPage, view.url);
  const middle = await page.evaluate(() => window.capstan.line(0, 30));
  await page.mouse.move(middle.x, middle.y);
  await page.mouse.down();
  await page.waitForFunction(() => window.capstan.status.hand);
  await page.mouse.move(middle.x - 45, middle.y, { steps: 4 }); // at rest the rope follows by a good third of it
  const tip = await page.evaluate(() => window.capstan.line(0, -1));
  const held = await grabTip(other);
  await other.mouse.move(held.x + 30, held.y, { steps: 4 });
  await runs(page, true);
  // the rope is bent between the hands: its middle to the left of where it hung, its tip to the right
  await page.waitForFunction(([m, t]) => window.capstan.line(0, 30).x < m - 12 && window.capstan.line(0, -1).x > t + 12,
    [middle.x, tip.x]);
  assert.ok(await hand(page), "the first still holds");
  await other.close({ runBeforeUnload: false });
  // the tip swings back below the hand that is left
  await page.waitForFunction((t) => window.capstan.line(0, -1).x < t, tip.x);
  assert.ok(await hand(page), "and goes on holding");
  await page.mouse.up();
});

test("fingers: the first one holds, a second one moves away", async (t) => {
  await runs(page, false);
  const touch = await openView(chrome.newPage, view.url, { hasTouch: true });
  t.after(() => touch.close());
  const driver = await touch.context().newCDPSession(touch);
  const fingers = (type, ...points) => driver.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
  const eye = await touch.evaluate(() => window.capstan.camera.eye);
  const tip = await touch.evaluate(() => window.capstan.line(0, -1));
  await fingers("touchStart", [tip.x, tip.y - 2]);
  await touch.waitForFunction(() => window.capstan.status?.hand);
  await fingers("touchMove", [tip.x - 20, tip.y - 22]);
  await touch.waitForFunction((x) => window.capstan.screen(...window.capstan.status.hand.target).x < x - 15, tip.x);
  await fingers("touchStart", [tip.x - 20, tip.y - 22], [100, 300]);
  await fingers("touchMove", [tip.x - 20, tip.y - 22], [100, 260]);
  await touch.waitForFunction(() => /away$/.test(document.querySelector("#force").textContent));
  await fingers("touchEnd");
  await touch.waitForFunction(() => window.capstan.status.hand === null);
  assert.deepEqual(await touch.evaluate(() => window.capstan.camera.eye), eye, "the camera stays");
});

// How often a curve winds about itself: Gauss' double integral over the segments of a polygon (Klenin and Langowski 2000).
function writhe(points) {
  let sum = 0;
  for (let i = 0; i + 1 < points.length; ++i)
    for (let j = i + 2; j + 1 < points.length; ++j) {
      const [a, b, c, d] = [points[i], points[i + 1], points[j], points[j + 1]];
      const [ac, ad, bd, bc] = [minus(c, a), minus(d, a), minus(d, b), minus(c, b)];
      const normals = [cross(ac, ad), cross(ad, bd), cross(bd, bc), cross(bc, ac)].map(unit);
      let area = 0;
      for (let k = 0; k < 4; ++k) area += Math.asin(Math.max(-1, Math.min(1, dot(normals[k], normals[(k + 1) % 4]))));
      const sign = Math.sign(dot(cross(minus(d, c), minus(b, a)), ac));
      if (Number.isFinite(area)) sum += (area * sign) / (2 * Math.PI);
    }
  return sum;
}

test("the wheel turns the held end by its angle, and a rod that has room throws a loop", async (t) => {
  await runs(page, false);
  const scene = readFileSync(join(source, "scenes/plectoneme.yaml"), "utf8").replace("elements: 120", "elements: 40");
  writeFileSync(join(where, "plectoneme.yaml"), scene);
  const rod = await startView(where, "plectoneme.yaml", "--set", "turns=0", "--set", "nearer=0");
  t.after(() => rod.stop());
  const run = await openView(chrome.newPage, rod.url, { viewport: { width: 640, height: 360 } });
  t.after(() => run.close());
  await run.evaluate(() => window.capstan.look([0.25, -1.5, 0.2], [0.25, 0, 0])); // from the front: the hand moves along the rod
  await settle(run);
  const eye = await run.evaluate(() => window.capstan.camera.eye);
  await runs(run, true);
  await run.waitForFunction(() => window.capstan.axis(0, -1) !== null);
  const tip = await run.evaluate(() => window.capstan.line(0, -1));
  const before = await run.evaluate(() => window.capstan.axis(0, -1));
  await run.mouse.move(tip.x, tip.y);
  await run.mouse.down();
  await run.waitForFunction(() => window.capstan.status.hand);
  assert.ok(Math.hypot(...minus((await hand(run)).point, tip.world)) < 1e-3, "it is the end that was taken");
  await run.mouse.wheel(0, -250); // 0.004 rad for each pixel: one radian
  // the axis comes as bytes: a hundredth of a radian is what can be seen
  await run.waitForFunction((a) => {
    const b = window.capstan.axis(0, -1); // the rod lies along x
    return Math.abs(Math.atan2(a[1] * b[2] - a[2] * b[1], a[1] * b[1] + a[2] * b[2]) - 1) < 0.02;
  }, before);
  await settle(run);
  assert.deepEqual(await run.evaluate(() => window.capstan.camera.eye), eye, "the wheel does not move the camera");
  assert.equal(await run.locator("#notice").isVisible(), false, "and nobody complains");
  assert.ok(Math.abs(writhe(await run.evaluate(() => window.capstan.points(0)))) < 1e-3, "it is straight");

  // eight turns more; then 15 cm of room
  await run.mouse.wheel(0, (-8 * 2 * Math.PI) / 0.004);
  const nearer = await run.evaluate(([x, y, z]) => window.capstan.screen(x - 0.15, y, z), tip.world);
  await run.mouse.move(nearer.x, nearer.y, { steps: 10 });
  await run.waitForFunction((x) => window.capstan.line(0, -1).world[0] < x - 0.14, tip.world[0]);
  // what was twist becomes writhe, of the sign of the turns: a loop has about one
  const began = Date.now();
  let wound = 0;
  while (wound < 1.5 && Date.now() - began < PATIENCE) {
    await run.waitForTimeout(300);
    wound = Math.abs(writhe(await run.evaluate(() => window.capstan.points(0))));
  }
  assert.ok(wound >= 1.5, `writhe ${wound}`);
  await run.mouse.up();
});

test("the pages made no errors", () => assert.deepEqual(chrome.errors, []));
