// Grains in the browser: drawn where they are, of their size, coloured by numbers with a scale; a body is pulled out of living
// sand.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { apart, folder, look, openBrowser, openView, run, runs, settle, startView } from "./browser.mjs";

// A block of sand, 24 cm x 8 cm in the plane of x and z, between a wall and nothing, and a brick that stands in it.
const SCENE = `
title: A brick in sand
obstacles:
  floor: {plane: {}, mu: 0.5}
  left: {plane: {}, rotation: {axis: [0, 1, 0], angle: 90 deg}, mu: 0}
grid: {plane: xz, cell: 2 cm}
grains:
  sand: {box: {to: [24 cm, 0, 8 cm]}, mu: 0.5}
bodies:
  brick: {box: {size: [4 cm, 1 m, 8 cm]}, density: 1500, position: [8 cm, 0, 14 cm], mu: 0.5}
solver: {tolerance: 1e-3}
time: {step: 4 ms, end: 0.2 s}
output: {frames: 50 Hz}
camera: {eye: [0.12, -1.6, 0.3], target: [0.12, 0, 0.1]}
`;
const PARTICLES = 12 * 4 * 4; // 2 x 2 in each cell

const where = folder();
let chrome;

before(async () => {
  writeFileSync(join(where, "brick.yaml"), SCENE);
  chrome = await openBrowser();
});
after(() => chrome?.close());

const grains = (page) => page.evaluate((n) => Array.from({ length: n }, (_, k) => window.capstan.grain(k)), PARTICLES);
const yellow = ([r, g, b]) => r > b + 25 && g > b + 15;

test("a result: grains where they are, coloured by material, speed, pressure, fraction and status; a slice", async (t) => {
  run(where, "brick.yaml", "brick.h5");
  const view = await startView(where, "brick.h5");
  t.after(() => view.stop());
  const page = await openView(chrome.newPage, view.url);
  t.after(() => page.close());
  const first = await grains(page);
  assert.equal(first.length, PARTICLES);
  // 2 x 2 particles in each cell of 2 cm: at 5 mm, 15 mm, ...
  for (const { world } of first)
    for (const i of [0, 2]) assert.ok(Math.abs(((world[i] / 0.01 - 0.5 + 100) % 1) - Math.round((world[i] / 0.01 - 0.5 + 100) % 1)) < 1e-3, `${world}`);
  let picture = await look(page);
  for (const k of [0, 50, PARTICLES - 1]) assert.ok(yellow(picture(first[k].x, first[k].y)), `sand at ${k}: ${picture(first[k].x, first[k].y)}`);
  // no holes between neighbours, and nothing 2 cm beside the bed
  const between = await page.evaluate(() => window.capstan.screen(0.2, 0, 0.055));
  assert.ok(yellow(picture(between.x, between.y)), `between: ${picture(between.x, between.y)}`);
  const beside = await page.evaluate(() => window.capstan.screen(0.26, 0, 0.055));
  assert.ok(!yellow(picture(beside.x, beside.y)), `beside: ${picture(beside.x, beside.y)}`);

  await page.keyboard.press("v"); // speed: the right side slumps
  await page.keyboard.press("End");
  await page.waitForFunction(() => window.capstan.frame === 10 && window.capstan.grains.most > 0);
  assert.equal(await page.locator("#grain-colour").inputValue(), "speed");
  const speeds = (await grains(page)).map(({ value }) => value);
  assert.match(await page.locator("#grain-scale").innerText(), /0[\s\S]*speed [\d.]+ mm\/s/);
  assert.ok(Math.max(...speeds) < 1.4, "no faster than falling 10 cm");

  await page.selectOption("#grain-colour", "pressure");
  await page.waitForFunction(() => /pressure [\d.]+ k?Pa/.test(document.querySelector("#grain-scale").innerText));
  await settle(page);
  const last = await grains(page);
  assert.ok(last.every(({ value }) => value >= 0), "pressure is not negative");
  // far from the brick the bottom carries about rho g z of 8 cm, 1.2 kPa, the top nearly nothing
  const sorted = last.filter(({ world }) => world[0] < 0.05).sort((a, b) => a.world[2] - b.world[2]);
  const mean = (list) => list.reduce((sum, { value }) => sum + value, 0) / list.length;
  const [low, high] = [mean(sorted.slice(0, 8)), mean(sorted.slice(-8))];
  assert.ok(low > 500 && low < 4000 && high < 0.5 * low, `pressure grows with depth: ${low} Pa below, ${high} Pa above`);
  picture = await look(page);
  const [deep, shallow] = [sorted[0], sorted[sorted.length - 1]].map(({ x, y }) => picture(x, y));
  assert.ok(apart(deep, shallow) > 60, `and so do the colours: ${deep}, ${shallow}`);
  await page.keyboard.press("v"); // fraction
  await page.waitForFunction(() => /fraction 0.\d+/.test(document.querySelector("#grain-scale").innerText));
  assert.ok((await grains(page)).every(({ value }) => value > 0 && value <= 0.6 + 1e-6), "no more than the densest");
  await page.keyboard.press("v"); // status
  await page.waitForFunction(() => window.capstan.grains.by === "status" && window.capstan.grains.most === 2);
  assert.match(await page.locator("#grain-status").innerText(), /flying[\s\S]*solid[\s\S]*flowing/);
  const statuses = (await grains(page)).map(({ value }) => value);
  assert.ok(statuses.every((value) => [0, 1, 2].includes(value)) && new Set(statuses).size > 1, `${new Set(statuses)}`);
  await settle(page);
  picture = await look(page);
  const of = (status) => last[statuses.indexOf(status)];
  const two = [...new Set(statuses)].slice(0, 2).map((status) => picture(of(status).x, of(status).y));
  assert.ok(apart(...two) > 40, `colours of statuses: ${two}`);

  // a slice: in each square pressure, and principal stresses that obey Coulomb's law, r <= mu p
  await page.keyboard.press("v");
  await page.waitForFunction(() => window.capstan.slice.squares.length > 20);
  assert.equal(await page.locator("#grain-colour").inputValue(), "slice-pressure");
  const slice = await page.evaluate(() => window.capstan.slice);
  assert.ok(slice.squares.length <= 60 && slice.most > 500 && slice.most < 6000, `${slice.squares.length} squares up to ${slice.most} Pa`);
  for (const { value, major, minor } of slice.squares) {
    const p = -(major + minor) / 2;
    assert.ok(Math.abs(p - value) < 1e-3 * slice.most, `the mean of the principal stresses is the pressure: ${p}, ${value}`);
    assert.ok(major <= minor && (minor - major) / 2 <= 0.5 * p + 1e-2 * slice.most, `within the cone: ${major}, ${minor}`);
  }
  await settle(page);
  picture = await look(page);
  const ends = [0.01, 0.07].map((z) => slice.squares.filter((s) => Math.abs(s.x - 0.03) < 0.011 && Math.abs(s.z - z) < 0.011)[0]);
  const shown = await page.evaluate((list) => list.map(({ x, z }) => window.capstan.screen(x + 0.006, 0, z + 0.007)), ends);
  assert.ok(ends[0].value > 2 * ends[1].value && apart(...shown.map(({ x, y }) => picture(x, y))) > 40, "darker above than below");
  await page.selectOption("#grain-colour", "slice-fraction");
  await page.waitForFunction(() => /fraction 0.\d+/.test(document.querySelector("#grain-scale").innerText));
  await page.keyboard.press("v");
  await page.waitForFunction(() => window.capstan.grains.by === "places" && document.querySelector("#grain-scale").hidden && !window.capstan.slice.on);
});

test("living sand: a brick is pulled out of it", async (t) => {
  const view = await startView(where, "brick.yaml");
  t.after(() => view.stop());
  const page = await openView(chrome.newPage, view.url);
  t.after(() => page.close());
  await page.selectOption("#grain-colour", "speed");
  await runs(page, true);
  await page.waitForFunction(() => window.capstan.status.time > 0.1 && window.capstan.grains.most > 0); // it falls, stands, and sand moves
  await runs(page, false);
  await settle(page);
  const brick = await page.evaluate(() => window.capstan.body(0));
  await page.mouse.move(brick.x, brick.y);
  await page.mouse.down();
  await page.waitForFunction(() => window.capstan.status.hand);
  await runs(page, true);
  await page.mouse.move(brick.x + 5, brick.y - 60, { steps: 5 });
  await page.waitForFunction((z) => window.capstan.body(0).world[2] > z + 0.03, brick.world[2]);
  const { sentence } = await page.evaluate(() => window.capstan.status);
  assert.equal(sentence, "", "every step is solved");
  await page.mouse.up();
  // sand without friction inside
  await page.locator("#grain-mu").fill("0");
  await page.waitForFunction(() => document.querySelector("#grain-mu-value").textContent === "0");
  await page.locator("#mu-scene").click();
  await page.waitForFunction(() => document.querySelector("#grain-mu-value").textContent === "scene");
  await page.waitForFunction(() => window.capstan.status.hand === null);
});

test("the pages made no errors", () => assert.deepEqual(chrome.errors, []));
