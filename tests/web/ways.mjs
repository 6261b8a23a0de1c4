// What the page says and offers: arrows of contacts in pairs or on what is picked, one card, pictures and the command for them, the scale, what
// can be pulled, small windows and fingers.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { command, look, openLive, openView, run, settle, source, startView } from "./browser.mjs";

const { build } = createRequire(join(source, "web/package.json"))("esbuild");

const SCENE = `
bodies: {below: {box: {size: [0.3, 0.3, 0.2]}, position: [0, 0, 0.1]}, above: {box: {size: [0.2, 0.2, 0.2]}, position: [0, 0, 0.3]}}
obstacles: {floor: {plane: {}}}
time: {step: 1 ms, end: 20 ms}
output: {frames: 100 Hz}
`;

let where, chrome, view, page, stop;
before(async () => ({ where, chrome, view, page, stop } = await openLive(SCENE, { viewport: { width: 900, height: 500 } })));
after(() => stop?.());

test("the picture gets coarser until there are 15 in a second, and fine again at rest", async () => {
  const code = await build({ entryPoints: [join(source, "web/src/quality.ts")], format: "esm", write: false });
  const { QualityWatch } = await import("data:text/javascript," + encodeURIComponent(code.outputFiles[0].text));
  // a machine that needs `full` ms for all pixels with shadows, which are half of the work
  const play = (full, pictures = 200) => {
    const watch = new QualityWatch();
    let [now, took] = [0, 0];
    for (let i = 0; i < pictures; ++i) {
      watch.moved(now);
      const { ratio, shadows } = watch.quality;
      now += took = Math.max(16, full * ratio * ratio * (shadows ? 1 : 0.5));
    }
    return { watch, now, took };
  };
  assert.equal(play(20).watch.level, 0, "a fast machine is left alone");
  const { watch, now, took } = play(1000);
  assert.ok(took <= 1000 / 15, `${took} ms`);
  // pictures that each take seconds count as well, and the level falls within a few of them
  assert.ok(play(8000, 8).watch.level === 4, "the coarsest after eight pictures");
  // only where even that is too slow, drawing and simulation take turns
  assert.ok(!watch.crowded && !play(20).watch.crowded && play(8000, 12).watch.crowded);
  // pictures of a simulation that come every third turn, each of which holds up the turn after the next
  const live = new QualityWatch();
  for (let i = 0, at = 0; i < 12; ++i) {
    live.moved((at += 500));
    live.rests((at += 8));
    live.rests((at += 8));
  }
  assert.equal(live.level, 4, "a picture that is felt later");
  // a turn of the loop that is late because of a slow picture is no rest
  const late = play(8000, 3);
  assert.ok(!late.watch.rests(late.now), "one quiet turn after a slow picture");
  // ms without a picture, in turns of 16 ms; whether a picture was due
  const wait = (idle, from, ms) => {
    let due = 0;
    for (let at = from; at <= from + ms; at += 16) due += idle.rests(at);
    return due;
  };
  assert.equal(wait(watch, now, 600), 0, "not yet at rest");
  assert.equal(wait(watch, now + 608, 400), 1);
  assert.deepEqual([watch.quality.ratio, watch.quality.shadows], [1, true], "all of it at rest");
  assert.equal(wait(watch, now + 1100, 900), 0, "and once only");
  watch.moved(now + 5000);
  assert.ok(watch.quality.ratio < 1, "what moves again is as coarse as before");
  // at rest fibres are round, unless such a picture stops the page for more than a second; a picture that is saved has everything
  const atRest = (full) => {
    const { watch: other, now: end } = play(full);
    wait(other, end, 1000);
    return other;
  };
  assert.equal(atRest(800).quality.coarse, 0);
  const slow = atRest(3000);
  assert.deepEqual(slow.quality, { ratio: 1, shadows: true, coarse: 1 });
  slow.settle();
  assert.deepEqual(slow.quality, { ratio: 1, shadows: true, coarse: 0 });
});

test("where one processor does both, drawing and simulation take turns", async () => {
  const code = await build({ entryPoints: [join(source, "web/src/pace.ts")], format: "esm", write: false });
  const { Pace } = await import("data:text/javascript," + encodeURIComponent(code.outputFiles[0].text));
  const said = [];
  const pace = new Pace((on) => said.push(on));
  let finished = false;
  assert.ok(pace.ready(0), "before the first picture");
  pace.draws(100, () => finished);
  assert.ok(!pace.ready(116) && !pace.ready(132), "one picture at a time");
  assert.deepEqual(said, [true], "the simulation pauses while it is drawn");
  finished = true;
  assert.ok(!pace.ready(140), "and has the processor for itself afterwards");
  assert.deepEqual(said, [true, false]);
  // 15 pictures in a second: the next begins 60 ms after this one
  assert.ok(!pace.ready(159) && pace.ready(160));
  // but the simulation has some time after a slow picture, and after a fast one no more than the picture took
  for (const [took, free] of [[100, 12], [20, 20], [29, 29]]) {
    pace.draws(1000, () => true);
    assert.ok(!pace.ready(1000 + took) && !pace.ready(999 + took + free) && pace.ready(1000 + took + free));
  }
});

test("the simulation goes on as soon as a picture is finished, between two turns of the loop", async () => {
  const code = await build({ entryPoints: [join(source, "web/src/pace.ts")], format: "esm", write: false });
  const { Pace } = await import("data:text/javascript," + encodeURIComponent(code.outputFiles[0].text));
  const went = new Promise((done) => new Pace((on) => on || done()).draws(performance.now(), () => true));
  await went; // without ready()
});

test("a contact has a pair of arrows; of what is picked, only those on it, and the card says so", async () => {
  assert.equal(await page.locator("#hint").innerText(), "Drag a body to pull it.");
  for (let i = 0; i < 3; ++i) await page.click("#step");
  await page.keyboard.press("c");
  await page.waitForFunction(() => window.capstan.counts.stick === 8 && window.capstan.status.step === 3);
  await settle(page);
  const all = await page.evaluate(() => Array.from({ length: 8 }, (_, i) => window.capstan.arrows(i)));
  assert.deepEqual(all, Array(8).fill([true, true]));
  // from the top: the upper box is picked, the contacts of the lower one with the floor show nothing
  const box = await page.evaluate(() => window.capstan.body(1));
  await page.mouse.click(box.x, box.y);
  await page.waitForFunction(() => window.capstan.selected?.index === 1);
  const sides = await page.evaluate(() =>
    Array.from({ length: 8 }, (_, i) => ({ on: window.capstan.contact(i).sides.map((side) => side.kind === "body" && side.index === 1), drawn: window.capstan.arrows(i) })),
  );
  for (const { on, drawn } of sides) assert.deepEqual(drawn, on);
  // the one farthest to the right: the card of the box lies at the left
  const numbers = sides.flatMap(({ on }, i) => (on[0] || on[1] ? [i] : []));
  const points = await page.evaluate((list) => list.map((i) => window.capstan.contact(i)), numbers);
  const point = points.reduce((best, other) => (other.x > best.x ? other : best));
  // frames that the click brought may still come, and each hides the tip until the mouse moves
  for (let i = 0; !(await page.isVisible("#tip")); ++i) {
    assert.ok(i < 200, "the tip never came");
    await page.mouse.move(point.x + (i % 2), point.y);
    await settle(page);
  }
  assert.match(await page.locator("#tip").innerText(), /on above, by below/);
  await page.mouse.click(point.x, point.y);
  await page.waitForFunction(() => /on above, by below/.test(document.querySelector("#info").innerText));
  assert.ok(!(await page.isVisible("#tip")), "one card for one contact");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => window.capstan.selected === null);
});

test("the cursor shows what can be pulled, the bar is as long as it says, Escape closes the help", async () => {
  const box = await page.evaluate(() => window.capstan.body(1));
  await page.mouse.move(box.x, box.y - 3);
  await page.waitForFunction(() => document.querySelector("#canvas").classList.contains("grab"));
  await page.mouse.move(12, 240);
  await page.waitForFunction(() => !document.querySelector("#canvas").classList.contains("grab"));

  const { eye, target } = await page.evaluate(() => window.capstan.camera);
  // two points in the plane through the target that faces the eye, one bar apart
  const [value, unit] = (await page.locator("#ruler-text").innerText()).split(" ");
  const length = Number(value) * { m: 1, mm: 1e-3, km: 1e3 }[unit];
  const side = [eye[1] - target[1], target[0] - eye[0], 0];
  const at = target.map((x, i) => x + (side[i] * length) / Math.hypot(...side));
  const [p, q] = await page.evaluate(([a, b]) => [window.capstan.screen(...a), window.capstan.screen(...b)], [target, at]);
  const drawn = await page.evaluate(() => document.querySelector("#ruler").getBoundingClientRect().width);
  assert.ok(Math.abs(Math.hypot(p.x - q.x, p.y - q.y) - drawn) < 1, `${drawn} px`);

  await page.keyboard.press("?");
  assert.match(await page.locator("#help").innerText(), /Two fingers/);
  assert.deepEqual(await page.evaluate(() => [document.querySelector("#help").scrollTop, document.activeElement.textContent]), [0, "Close"], "its beginning shows");
  await page.keyboard.press("Escape");
  assert.ok(!(await page.isVisible("#help")));
});

test("the picture is saved, and the command makes a picture of the same view", async () => {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save-picture")]);
  const png = readFileSync(await download.path());
  assert.equal(png.toString("latin1", 1, 4), "PNG");
  assert.equal(png.readUInt32BE(16), await page.evaluate(() => document.querySelector("#canvas").clientWidth));

  run(where, "scene.yaml", "scene.h5");
  const result = await startView(where, "scene.h5");
  try {
    const shown = await openView(chrome.newPage, result.url);
    await shown.evaluate(() => (navigator.clipboard.writeText = async (text) => void (window.copied = text)));
    await shown.keyboard.press("j");
    await settle(shown);
    await shown.click("#copy-command");
    await shown.waitForFunction(() => window.copied);
    const words = (await shown.evaluate(() => window.copied)).split(" ");
    assert.deepEqual(words.slice(0, 5), ["capstan", "render", "scene.h5", "--frames", "0"]);
    const small = words.slice(1).map((word, i) => (words[i] === "--size" ? "32x20" : word));
    const done = spawnSync(command, [...small, "--samples", "1", "--json"], { cwd: where, encoding: "utf8" });
    assert.equal(done.status, 0, done.stderr);
    const { eye, fov } = JSON.parse(done.stdout);
    const camera = await shown.evaluate(() => window.capstan.camera);
    camera.eye.forEach((x, i) => assert.ok(Math.abs(eye[i] - x) < 1e-4, `eye ${eye}, ${camera.eye}`));
    assert.ok(Math.abs(fov - camera.fov) < 1e-4);
  } finally {
    await result.stop();
  }
});

test("a scene without planes floats above a floor that is only drawn, whatever its axis upwards", async () => {
  for (const up of ["[0, 0, 1]", "[0, 1, 0]"]) {
    writeFileSync(join(where, "floats.yaml"), `bodies: {ball: {sphere: {radius: 0.1}, gravity: false}}\ncamera: {eye: [1, 1, 1], target: [0, 0, 0], up: ${up}}\ntime: {step: 1 ms, end: 1 s}\n`);
    const live = await startView(where, "floats.yaml");
    try {
      const shown = await openView(chrome.newPage, live.url, { viewport: { width: 500, height: 400 } });
      const pixel = await look(shown);
      // along a row below the ball there are lines and cells of the grid, at the top there is nothing
      const colours = (y) => new Set(Array.from({ length: 480 }, (_, k) => pixel(10 + k, y).join())).size;
      assert.ok(colours(290) > 5, `${colours(290)} colours with up: ${up}`);
      await shown.close();
    } finally {
      await live.stop();
    }
  }
});

test("charts fit into 900 x 500; a phone shows all buttons, large enough, and folds the settings", async () => {
  await page.keyboard.press("s"); // the charts alone
  await page.keyboard.press("g");
  const bottom = await page.evaluate(() => Math.max(...[...document.querySelectorAll(".chart")].map((chart) => chart.getBoundingClientRect().bottom)));
  const room = await page.evaluate(() => document.querySelector("#bar").getBoundingClientRect().top);
  assert.ok(bottom <= room + 1, `charts end at ${bottom}, the bar begins at ${room}`);
  await page.keyboard.press("s"); // one of the two: both do not fit
  assert.ok((await page.isVisible("#settings")) && !(await page.isVisible("#charts")));

  const phone = await openView(chrome.newPage, view.url, { viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true });
  assert.ok(!(await phone.isVisible("#settings")));
  for (const button of await phone.locator("#top button:visible, #controls button:visible").all()) {
    const { x, width, height } = await button.boundingBox();
    assert.ok(width >= 44 && height >= 44 && x >= 0 && x + width <= 390, `${await button.getAttribute("id")}: ${x} ${width} ${height}`);
  }
  assert.deepEqual(chrome.errors, []);
});
