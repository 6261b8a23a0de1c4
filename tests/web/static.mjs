// Live scenes from a folder of static files, opened from disk, and the npm package in Node. Skipped where `make browser` was not run: compiling
// the library to WebAssembly takes minutes.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { command, folder, openBrowser, openView, run, runs, skip, source } from "./browser.mjs";

const made = process.env.CAPSTAN_BROWSER ?? join(source, "out/browser");
if (!existsSync(join(made, "npm/index.js"))) skip("out/browser is not there: run make browser, which needs Emscripten");
const { World, CapstanError } = await import(pathToFileURL(join(made, "npm/index.js")));
const where = folder();

// What the command says about the same scene at the same time.
function commandAt(text, time) {
  writeFileSync(join(where, "scene.yaml"), text);
  const done = spawnSync(command, ["run", "scene.yaml", "--until", String(time), "--json", "-q", "-o", "scene.h5"], { cwd: where, encoding: "utf8" });
  return JSON.parse(done.stdout);
}

test("the same bits as the command: boxes that slide and stand, a ball that spins, ropes", async () => {
  const text = `
solver: {method: gs, tolerance: 1e-10}
time: {step: 1 ms}
obstacles: {floor: {plane: {}}}
bodies:
  slides: {box: {size: [0.2, 0.1, 0.1]}, position: [0, 0, 0.05], velocity: [1, 0.3, 0]}
  below: {box: {size: [0.2, 0.1, 0.1]}, position: [0, 1, 0.05]}
  above: {box: {size: [0.1, 0.1, 0.1]}, position: [0.02, 1.01, 0.15]}
  spins: {sphere: {radius: 0.1}, position: [1, 0, 0.1], angular_velocity: [1, 20, 3]}
fibres:
  helix: {length: 0.4, elements: 8, root: clamped, radius: 2 mm, position: [0, 2, 0.1]}
  rope: {model: der-inextensible, length: 0.4, elements: 20, root: clamped, radius: 2 mm, position: [0, 3, 0.1]}
`;
  const world = await World.create(text);
  const info = world.step(100);
  assert.ok(info.stick > 0 && info.slide > 0, "both kinds of contacts are there");
  assert.equal(world.hash, commandAt(text, world.time).hash);
  world.dispose();
});

test("a ball falls as it should, rests, and is lifted by a pull", async () => {
  const world = await World.create({
    bodies: { ball: { sphere: { radius: 0.05 }, position: [0, 0, 0.15], mass: 1 } },
    obstacles: { floor: { plane: {} } },
    time: { step: 0.001 },
  });
  assert.equal(world.things.bodies[0].name, "ball");
  world.step(100);
  // the scheme is exact for a constant force: z = 0.15 - g t^2 / 2, the drift of the first order is g h t / 2
  const z = world.read("body", "position")[2];
  assert.ok(Math.abs(z - (0.15 - 0.5 * 9.81 * 0.1 ** 2)) < 9.81 * 0.001 * 0.1, `z = ${z}`);
  const state = world.save();
  world.step(400);
  assert.ok(Math.abs(world.read("body", "position")[2] - 0.05) < 1e-6);
  const [contact] = world.contacts().impulses.slice(2, 3);
  assert.ok(Math.abs(contact - 9.81 * 0.001) < 1e-9, "the floor bears the weight");
  const pull = world.pull("body", 0, [0, 0, 0], [0, 0, 0.3], 100, 20);
  world.step(2000);
  // a spring of 100 N/m bears 9.81 N when it is stretched by 98 mm
  assert.ok(Math.abs(world.read("body", "position", 0)[2] - (0.3 - 0.0981)) < 1e-4);
  pull.remove();
  world.load(state);
  assert.equal(world.read("body", "position")[2], z);
  world.write("body", "velocity", [1, 0, 0]);
  assert.equal(world.read("body", "velocity")[0], 1);
  world.dispose();
  assert.throws(() => world.step(), CapstanError);
});

test("mistakes in a scene are told with their line", async () => {
  await assert.rejects(World.create("bodies:\n  a: {sphere: {radius: -1}}\n"), { message: "scene.yaml:2:24: bodies.a.sphere.radius: expected a length > 0, found '-1'" });
  await assert.rejects(World.create("bodies: {a: {sphere: {radius: 1}}}\nbodies: {}\n"), /scene.yaml:2:1: the key 'bodies' stands twice; it was first in line 1/);
  await assert.rejects(World.create("title: [a\n"), /scene.yaml:2:1: not YAML/);
  await assert.rejects(World.create("title: !!str a\n"), /tags/);
  await assert.rejects(World.create("include: [other.yaml]\n"), /other.yaml/);
  const world = await World.create("include: other.yaml\n", {
    "other.yaml": "bodies: {a: &ball {sphere: {radius: 1}, position: [0, 0, 9]}, b: {<<: *ball, position: [5, 0, 9]}}",
  });
  assert.deepEqual([...world.read("body", "position")], [0, 0, 9, 5, 0, 9]);
  world.dispose();
});

const chrome = await openBrowser();
after(() => chrome.close());

test("from disk: a knot runs, is pulled, feels the slider, and is saved as a scene that the command runs", async () => {
  const page = await openView(chrome.newPage, pathToFileURL(join(made, "live/index.html")).href + "?scene=knot", { acceptDownloads: true });
  assert.deepEqual(
    await page.locator("#scenes option").evaluateAll((all) => all.map((option) => option.value)),
    ["knot", "arch", "cards", "plectoneme", "lock", "wavy-84"],
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
