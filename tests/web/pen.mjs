// The pen and the scissors in the browser, as a person would use them: a cat's tail is drawn on a ball, stands as it was drawn, comes
// back from a tug, is drawn again and cut (after figures 4.4 and 4.8 of the habilitation of Bertails-Descoubes 2017).
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { apart, look, openLive, openView, runs, settle } from "./browser.mjs";

const SCENE = `
title: Cat
obstacles: {cat: {sphere: {radius: 0.1}}, floor: {plane: {}, position: [0, 0, -0.6]}}
fibres: {straw: {length: 0.3, elements: 6, position: [-0.4, 0.3, 0], direction: [0, 0, 1], radius: 4 mm, young: 1e8, root: clamped, natural: equilibrium}}
time: {step: 4 ms, end: 1 s}
camera: {eye: [0.2, -2, 0.2], target: [0.2, 0, 0], fov: 32 deg}
`;

let where, chrome, view, page, stop;

before(async () => {
  ({ where, chrome, view, page, stop } = await openLive(SCENE, { viewport: { width: 900, height: 600 } }));
  await page.waitForFunction(() => window.capstan.status !== null);
});
after(() => stop?.());

const inside = (read, argument) => page.evaluate(read, argument);
const curve = (i = 0) => inside((k) => window.capstan.curves[k], i);
const screen = (point) => inside((p) => window.capstan.screen(...p), point);
const middleOf = async () => {
  const { target } = await inside(() => window.capstan.camera);
  return screen(target);
};

test("a curve that is drawn on a ball begins there and becomes helices that stand", async () => {
  await page.click("#pen");
  const bare = await look(page);
  const root = await screen([0.06, 0, 0]); // of the ball, which is in front of it
  await page.mouse.move(root.x, root.y);
  await page.mouse.down();
  for (let i = 1; i <= 40; ++i) await page.mouse.move(root.x + 5 * i, root.y - 50 * Math.sin((4.7 * i) / 40) * Math.sqrt(i / 40));
  await page.mouse.up();
  await page.waitForFunction(() => window.capstan.curves[0]?.young > 0 && window.capstan.curves[0].points.length >= 15);
  const drawn = await curve();
  const first = drawn.points.slice(0, 3);
  assert.ok(Math.abs(Math.hypot(...first) - 0.1) < 2e-3, `it begins on the ball: ${first}`);
  assert.ok(drawn.least < 0.51, `stiffer than it must be: ${drawn.least}`);
  assert.equal(drawn.line.length, drawn.natural.length);
  assert.ok(Math.hypot(...drawn.natural.slice(-3).map((x, i) => x - drawn.line.at(i - 3))) > 1e-3, "the natural shape is another one");
  console.log(`${drawn.elements} helices: ${drawn.ms.toFixed(2)} ms on the server, ${(await inside(() => window.capstan.penLag)).toFixed(1)} ms to the page`);
  await settle(page);
  const k = 3 * Math.floor(drawn.line.length / 6);
  const at = await screen(drawn.line.slice(k, k + 3));
  assert.ok(apart((await look(page, join(where, "pen.png")))(at.x, at.y), bare(at.x, at.y)) > 40, "and is drawn");
});

test("points are dragged across the view, and with Shift away from the eye; the rod follows", async () => {
  const before = await curve();
  const k = before.screen.length - 1;
  await page.mouse.move(before.screen[k].x, before.screen[k].y);
  await page.mouse.down();
  await page.mouse.move(before.screen[k].x + 10, before.screen[k].y - 30, { steps: 5 });
  await page.waitForFunction(([j, z]) => window.capstan.curves[0].points[3 * j + 2] > z + 0.02, [k, before.points[3 * k + 2]]);
  await page.keyboard.down("Shift");
  await page.mouse.move(before.screen[k].x + 10, before.screen[k].y - 60, { steps: 5 });
  await page.waitForFunction(([j, y]) => window.capstan.curves[0].points[3 * j + 1] > y + 0.03, [k, before.points[3 * k + 1]]);
  await page.keyboard.up("Shift");
  await page.mouse.up();
  const now = await curve();
  const tip = now.line.slice(-3);
  const point = now.points.slice(-3);
  assert.ok(Math.hypot(...tip.map((x, i) => x - point[i])) < 0.03 * now.length, `the rod ends at ${tip}, the curve at ${point}`);
  assert.ok(Math.abs(now.points[1] - before.points[1]) < 1e-9, "the others stay");
});

test("the bar is green where the rod holds, and says so", async () => {
  const { least } = await curve();
  assert.ok(least > 0 && least < 1);
  assert.match(await page.locator("#pen-words").innerText(), /the stiffness it needs/);
  await page.focus("#stiffness");
  await page.keyboard.press("Home"); // two decades softer
  await page.waitForFunction(() => window.capstan.curves[0].least > 1);
  assert.match(await page.locator("#pen-words").innerText(), /stiffness would hold/);
  const left = parseFloat(await inside(() => document.querySelector("#stable").style.left));
  assert.ok(left > 10 && left < 90, `green from ${left} % on`);
  await page.fill("#stiffness", "0.6");
  await page.waitForFunction(() => window.capstan.curves[0].least < 1);
});

test("let go, it stands; tugged at, it comes back; the pen returns", async () => {
  const drawn = await curve();
  await page.click("#let-go");
  await page.waitForFunction(() => window.capstan.points(1)?.length > 0 && window.capstan.status.running);
  await page.waitForFunction(() => window.capstan.status.time > 0.3);
  const still = (await inside(() => window.capstan.points(1))).at(-1);
  const end = drawn.line.slice(-3);
  assert.ok(Math.hypot(...still.map((x, i) => x - end[i])) < 1e-6 * drawn.length, `it was drawn to ${end} and is at ${still}`);
  const tip = await screen(still);
  await page.mouse.move(tip.x, tip.y);
  await page.mouse.down();
  await page.waitForFunction(() => window.capstan.status.hand);
  await page.mouse.move(tip.x + 10, tip.y + 60, { steps: 5 });
  await page.waitForFunction(([x, y, z]) => Math.hypot(...window.capstan.points(1).at(-1).map((v, i) => v - [x, y, z][i])) > 0.02, still);
  await page.mouse.up();
  await page.waitForFunction(([x, y, z]) => Math.hypot(...window.capstan.points(1).at(-1).map((v, i) => v - [x, y, z][i])) < 0.002, still);
  await page.click("#pen");
  await page.waitForFunction(() => window.capstan.status.time === 0 && !window.capstan.status.running && window.capstan.points(1).length === 0);
  assert.deepEqual((await curve()).points, drawn.points, "as it was drawn");
});

test("another page sees what was drawn, and one that comes later", async (t) => {
  const other = await openView(chrome.newPage, view.url, { viewport: { width: 480, height: 320 } });
  t.after(() => other.close());
  await other.waitForFunction(() => window.capstan.curves.length === 1);
  await other.click("#pen");
  await other.click("#erase");
  await page.waitForFunction(() => window.capstan.curves.length === 0);
});

test("scissors cut a fibre where it is clicked, and a reset makes it whole", async () => {
  await runs(page, false);
  await page.click("#scissors");
  await settle(page);
  const points = await inside(() => window.capstan.points(0));
  const at = await screen(points[Math.floor(points.length / 2)]);
  await page.mouse.click(at.x, at.y);
  await page.waitForFunction(() => {
    const line = window.capstan.points(0);
    return line.length > 0 && Math.abs(line.at(-1)[2] - line[0][2]) < 0.2;
  });
  const { z } = await inside(() => ({ z: window.capstan.points(0).at(-1)[2] }));
  assert.ok(Math.abs(z - 0.15) < 0.02, `cut at ${z}`);
  await page.click("#scissors");
  await page.keyboard.press("Home");
  await page.waitForFunction(() => window.capstan.points(0).at(-1)?.[2] > 0.299);
});

test("in the plane of the screen, where there is no surface", async () => {
  await page.click("#pen");
  const { x, y } = await middleOf();
  await page.mouse.move(x + 150, y - 150);
  await page.mouse.down();
  await page.mouse.move(x + 300, y - 150, { steps: 12 });
  await page.mouse.up();
  await page.waitForFunction(() => window.capstan.curves[0]?.young > 0);
  const { points } = await curve();
  for (let k = 0; k < points.length; k += 3) assert.ok(Math.abs(points[k + 1]) < 0.05, `near y = 0: ${points.slice(k, k + 3)}`);
});

test("the pages made no errors", () => assert.deepEqual(chrome.errors, []));
