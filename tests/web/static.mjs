// Live scenes from a folder of static files, opened from disk, and the npm package in Node. Skipped where `make browser` was not run: compiling
// the library to WebAssembly takes minutes.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
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

test("the double loop: Newton's method in the page turns spin into speed, and the ball passes both loops", async () => {
  const world = await World.create(readFileSync(join(source, "scenes/loop.yaml"), "utf8"));
  let highest = 0;
  let unsolved = 0;
  while (world.time < 2) {
    const info = world.step(20);
    highest = Math.max(highest, world.read("body", "position", 0)[2]);
    unsolved += info.residual > 1e-11 ? 1 : 0;
  }
  // the tops of the loops are at 0.8 m; the ball is 0.08 m below them. Behind them x is more than 0.1 * 4 pi = 1.26 m
  assert.ok(highest > 0.6, `it climbs to ${highest}`);
  assert.ok(world.read("body", "position", 0)[0] > 1.3, `it is at ${world.read("body", "position", 0)}`);
  assert.ok(unsolved < 3, `${unsolved} steps were not solved to 1e-11`);
  world.dispose();
});

test("a towel falls over a ball: sheets are factorised without SuiteSparse", async () => {
  const world = await World.create(readFileSync(join(source, "scenes/towel.yaml"), "utf8"));
  const before = world.read("sheet", "position");
  world.step(55);
  const after = world.read("sheet", "position");
  assert.equal(after.length, 3 * 17 * 17);
  let moved = 0;
  for (let i = 0; i < after.length; i += 3) {
    const [x, y, z] = [after[i], after[i + 1], after[i + 2] - 0.12];
    assert.ok(Math.hypot(x, y, z) > 0.0999, "a vertex is in the ball");
    moved = Math.max(moved, before[i + 2] - after[i + 2]);
  }
  assert.ok(moved > 0.04, "its corners hang down");
  assert.ok(world.contacts().impulses.length > 0);
  world.dispose();
});

test("from disk: the double loop and the towel run live", async () => {
  for (const name of ["loop", "towel"]) {
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
