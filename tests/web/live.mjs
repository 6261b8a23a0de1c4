// A living simulation in the browser: it runs, stands and begins again; a rope follows the hand; friction is a slider;
// what was changed by one page is seen by the other.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { command, openLive, openView, rewind, runs, settle, source, startView } from "./browser.mjs";
import { spawnSync } from "node:child_process";

let where, chrome, view, page, stop;

before(async () => ({ where, chrome, view, page, stop } = await openLive()));
after(() => stop?.());

const inside = (read, argument) => page.evaluate(read, argument);
const status = () => inside(() => window.capstan.status);

test("it runs, stands, makes one step, begins again", async () => {
  await page.waitForFunction(() => window.capstan.status !== null);
  await page.keyboard.press("Space");
  await page.waitForFunction(() => window.capstan.status.time > 0.05);
  await page.click("#run");
  await page.waitForFunction(() => !window.capstan.status.running);
  const stood = (await status()).step;
  await page.click("#step");
  await page.waitForFunction((k) => window.capstan.status.step === k + 1, stood);
  await page.keyboard.press("Home");
  await page.waitForFunction(() => window.capstan.status.time === 0);
  assert.match(await page.locator("#status").innerText(), /contacts.*residual.*real time/);
});

test("a rope that is pulled follows the hand and swings back when let go", async () => {
  await rewind(page);
  const tip = await inside(() => window.capstan.line(0, -1));
  await page.mouse.move(tip.x, tip.y - 2);
  await page.mouse.down();
  await page.waitForFunction(() => window.capstan.status.hand);
  await runs(page, true);
  await page.mouse.move(tip.x - 50, tip.y - 20, { steps: 8 });
  // where the hand is, within some pixels: the spring gives way to the weight of the rope
  await page.waitForFunction(
    ([x, y]) => {
      const now = window.capstan.line(0, -1);
      return Math.hypot(now.x - x, now.y - y) < 15;
    },
    [tip.x - 50, tip.y - 20],
  );
  const { hand } = await status();
  assert.ok(Math.hypot(...hand.force) > 0, "the spring pulls");
  assert.match(await page.locator("#force").innerText(), /N$/);
  await page.mouse.up();
  await page.waitForFunction((x) => window.capstan.line(0, -1).x > x - 25, tip.x);
  await page.waitForFunction(() => window.capstan.status.hand === null);
});

test("a body follows the hand, the camera does not turn", async () => {
  await runs(page, false);
  await settle(page);
  const eye = await inside(() => window.capstan.camera.eye);
  const ball = await inside(() => window.capstan.body(0));
  await page.mouse.move(ball.x, ball.y);
  await page.mouse.down();
  await page.waitForFunction(() => window.capstan.status.hand);
  await runs(page, true);
  await page.mouse.move(ball.x + 60, ball.y - 60, { steps: 6 });
  await page.waitForFunction((z) => window.capstan.body(0).world[2] > z + 0.03, ball.world[2]);
  await page.mouse.up();
  assert.deepEqual(await inside(() => window.capstan.camera.eye), eye);
});

test("gravity off, and everybody is told", async (t) => {
  await runs(page, false);
  const other = await openView(chrome.newPage, view.url);
  t.after(() => other.close());
  await page.focus("#gravity");
  await page.keyboard.press("Home");
  await other.waitForFunction(() => document.querySelector("#gravity-value").textContent === "0 m/s²");
  await other.focus("#gravity");
  await other.keyboard.press("End");
  await page.waitForFunction(() => document.querySelector("#gravity").value === "30");
  const { time } = await status();
  await runs(page, true);
  await page.waitForFunction((t) => window.capstan.status.time > t, time);
});

test("what is saved can be run and solved", async () => {
  await page.click("#save-problem");
  await page.waitForFunction(() => /hdf5|h5$/.test(document.querySelector("#saved").textContent));
  const problem = (await page.locator("#saved").innerText()).replace(/^Saved /, "");
  assert.ok(existsSync(join(where, problem.split("/").pop())), problem);
  const solved = spawnSync(command, ["solve", join(where, problem.split("/").pop())], { encoding: "utf8" });
  assert.equal(solved.status, 0, solved.stderr);
  await page.click("#save-scene");
  await page.waitForFunction(() => /yaml$/.test(document.querySelector("#saved").textContent));
  const scene = (await page.locator("#saved").innerText()).replace(/^Saved /, "").split("/").pop();
  const checked = spawnSync(command, ["check", scene], { cwd: where, encoding: "utf8" });
  assert.equal(checked.status, 0, checked.stderr);
});

test("the double loop: friction decides how far the ball goes", async (t) => {
  await runs(page, false);
  const loop = await startView(where, join(source, "scenes/loop.yaml"));
  t.after(() => loop.stop());
  const run = await openView(chrome.newPage, loop.url, { viewport: { width: 480, height: 360 } });
  t.after(() => run.close());
  await run.keyboard.press("s"); // the settings are folded in a small window
  await run.waitForSelector("#mu");
  // sets the slider, begins again, and says where the ball is after 1.6 s or a little more
  const goes = async (mu) => {
    await run.fill("#mu", String(mu));
    await run.waitForFunction((text) => document.querySelector("#mu-value").textContent === text, String(mu));
    await runs(run, false);
    await run.click("#reset");
    await run.waitForFunction(() => window.capstan.status.time === 0);
    await runs(run, true);
    await run.waitForFunction(() => window.capstan.status.time > 1.6 && window.capstan.time > 1.6);
    return run.evaluate(() => window.capstan.body(0).world[0]);
  };
  // the loops begin at x = 0. Without friction the ball stops v^2 / (2 g) = 0.2 m above where it was and comes back; with
  // friction its spin becomes speed, and it passes them
  const stopped = await goes(0);
  assert.ok(stopped < -0.1, `without friction it is at ${stopped} m`);
  const passed = await goes(0.2);
  assert.ok(passed > 0.3, `with friction it is at ${passed} m`);
});

test("the double loop: the friction slider stops the ball", async (t) => {
  // a ball that slides without turning, fast enough for both loops
  const sets = ["bodies.ball.fixed_rotation=true", "spin=0", "speed=6"].flatMap((set) => ["--set", set]);
  const loop = await startView(where, join(source, "scenes/loop.yaml"), ...sets);
  t.after(() => loop.stop());
  const run = await openView(chrome.newPage, loop.url, { viewport: { width: 480, height: 360 } });
  t.after(() => run.close());
  await run.keyboard.press("s"); // the settings are folded in a small window
  await run.waitForSelector("#mu");
  const slide = async (mu) => {
    await run.fill("#mu", String(mu));
    await run.waitForFunction((text) => document.querySelector("#mu-value").textContent === text, String(mu));
  };
  await slide(0);
  await runs(run, true);
  await run.waitForFunction(() => window.capstan.body(0)?.world[0] > 1.4, null); // the loops end at x = 1.26 m
  await runs(run, false);
  await run.click("#reset");
  await run.waitForFunction(() => window.capstan.status.time === 0);
  await slide(0.6);
  await runs(run, true);
  // at rest means at rest: below the tolerance of the solver, not slow
  await run.waitForFunction(() => window.capstan.status.time > 0.5 && window.capstan.status.kinetic < 1e-15);
  const rest = await run.evaluate(() => ({ ball: window.capstan.body(0).world, time: window.capstan.status.time }));
  await run.waitForFunction((t) => window.capstan.status.time > t + 0.2, rest.time);
  const later = await run.evaluate(() => window.capstan.body(0).world);
  assert.ok(Math.hypot(...later.map((x, i) => x - rest.ball[i])) < 1e-6, `${rest.ball} and then ${later}`);
  assert.ok(later[0] < 1.26, `before the end of the loops: ${later}`);
});

test("the pages made no errors", () => assert.deepEqual(chrome.errors, []));
