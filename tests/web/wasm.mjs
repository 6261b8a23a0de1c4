// The library as WebAssembly, by the npm package in Node: no browser is needed. `make test` builds it (scripts/browser.sh with `quick`); skipped
// where there is no Emscripten.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { command, folder, source, webAssembly } from "./browser.mjs";

const made = webAssembly();
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

// Scenes of the project as they are, and with Gauss-Seidel in place of `auto`, whose direct methods eliminate in another order here. Scenes
// with sines in their expressions are not among them: the C library of Emscripten rounds them differently.
test("the same bits as the command: scenes of the project", async () => {
  for (const [name, time, method] of [
    ["ramp", 0.05],
    ["dominoes", 0.05],
    ["column", 0.2],
    ["hair", 0.05],
    ["puck", 0.1],
    ["roll", 0.1],
    ["tower", 0.1, "gs"],
    ["pinch", 0.05, "gs"],
  ]) {
    const scene = readFileSync(join(source, `scenes/${name}.yaml`), "utf8");
    const text = method ? `include: base.yaml\nsolver: {method: ${method}}\n` : scene;
    writeFileSync(join(where, "base.yaml"), scene);
    const world = await World.create(text, { "base.yaml": scene });
    while (world.time < time - 1e-12) world.step();
    assert.equal(world.hash, commandAt(text, world.time).hash, name);
    world.dispose();
  }
});

// `auto` eliminates in another order, and both programs stop within the tolerance of the scene: the arch stands, and no stone is elsewhere.
test("where the bits differ, the motion does not: an arch by the direct methods", async () => {
  const text = readFileSync(join(source, "scenes/arch.yaml"), "utf8");
  const world = await World.create(text);
  const before = world.read("body", "position");
  let worst = 0;
  while (world.time < 0.05 - 1e-12) worst = Math.max(worst, world.step().residual);
  const after = world.read("body", "position");
  const moved = Math.max(...after.map((x, i) => Math.abs(x - before[i])));
  const { tolerance, unsolved_steps: unsolved } = commandAt(text, world.time);
  assert.equal(unsolved, 0);
  assert.ok(worst <= tolerance, `residual ${worst}`);
  assert.ok(moved < 1e-6, `a stone moved by ${moved} m`);
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
  await assert.rejects(World.create("bodies: {a: {sphere: {radius: 1}}}\nbodies: {}\n"), /scene.yaml:2:1: the key 'bodies' appears twice; it was first used in line 1/);
  await assert.rejects(World.create("title: [a\n"), /scene.yaml:2:1: not YAML/);
  await assert.rejects(World.create("title: !!str a\n"), /tags/);
  await assert.rejects(World.create("include: [other.yaml]\n"), /other.yaml/);
  const world = await World.create("include: other.yaml\n", {
    "other.yaml": "bodies: {a: &ball {sphere: {radius: 1}, position: [0, 0, 9]}, b: {<<: *ball, position: [5, 0, 9]}}",
  });
  assert.deepEqual([...world.read("body", "position")], [0, 0, 9, 5, 0, 9]);
  world.dispose();
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

test("the licences of all that was compiled in go with the page and the package", () => {
  assert.match(readFileSync(join(made, "npm/LICENSE"), "utf8"), /Apache License/);
  for (const [place, names] of Object.entries({ npm: ["yaml"], live: ["three", "yaml"] })) {
    const text = readFileSync(join(made, place, "licences.txt"), "utf8");
    for (const name of [...names, "Emscripten", "musl"]) assert.match(text, new RegExp(`^${name}\\b.*\\((MIT|ISC)\\)\n\n[^]*Permission`, "m"));
  }
});

test("wrong arguments are errors that say what was expected", async () => {
  const world = await World.create({ bodies: { ball: { sphere: { radius: 0.05 }, position: [0, 0, 1] } } });
  for (const [call, said] of [
    [() => world.step(-1), /count: -1/],
    [() => world.step(NaN), /count: NaN/],
    [() => world.step(1.5), /count: 1.5/],
    [() => world.read("bodi", "position"), /kind: 'bodi' is none of body, fibre/],
    [() => world.read("body", "constructor"), /quantity: 'constructor' is none of position/],
    [() => world.read("body", "position", 1), /no position of body 1/],
    [() => world.read("body", "position", -1), /index: -1/],
    [() => world.read("body", "position", NaN), /index: NaN/],
    [() => world.write("body", "position", [0, 0]), /2 values are not a multiple of 3/],
    [() => world.write("body", "position", null), /number of values/],
    [() => world.pull("body", 0, 3, [0, 0, 3], 100), /place: expected three numbers, found 3/],
    [() => world.pull("body", 0, [0, 0, 0], [0, 3], 100), /target: expected three numbers/],
    [() => world.pull("fibre", 0, [0, 0, 0], [0, 0, 3], 100), /place: expected a number for a fibre/],
    [() => world.load("state"), /Uint8Array/],
  ])
    assert.throws(call, (error) => error instanceof CapstanError && error.name === "CapstanError" && said.test(error.message), String(said));
  assert.equal(world.time, 0);
  world.dispose();
});
