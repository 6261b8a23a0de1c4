// A result in the browser, as a person would look at it: the picture is right, it plays, scrubs, shows contacts, charts
// and the numbers of what is clicked.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { apart, folder, look, openBrowser, openView, run, settle, source, startView } from "./browser.mjs";

const where = folder();
let chrome, view, page;

before(async () => {
  chrome = await openBrowser();
  run(where, join(source, "tests/web/scene.yaml"), "scene.h5");
  view = await startView(where, "scene.h5");
  page = await openView(chrome.newPage, view.url);
});

after(async () => {
  await chrome?.close();
  await view?.stop();
});

const inside = (read, argument) => page.evaluate(read, argument);
const frameIs = (index) => page.waitForFunction((k) => window.capstan.frame === k, index);

test("known objects are drawn where they are", async () => {
  const picture = await look(page);
  const ball = await inside(() => window.capstan.body(0));
  // a pixel of the sky, and of the floor between the things
  const sky = picture(20, 60);
  const floor = await inside(() => window.capstan.screen(-0.1, 0.3, 0));
  const [r, g, b] = picture(ball.x, ball.y);
  assert.ok(r > 1.4 * g && r > 1.4 * b, `the ball of clay is red in its middle: ${[r, g, b]}`);
  assert.ok(apart(picture(floor.x, floor.y), [r, g, b]) > 60, "the floor is not the ball");
  assert.ok(apart(sky, [238, 240, 243]) < 12, `the sky is the background: ${sky}`);
  // the silhouette: 0.9 radii to the right of its middle is ball, 1.15 radii is not
  const camera = await inside(() => window.capstan.camera);
  const [ex, ey] = [camera.eye[0] - ball.world[0], camera.eye[1] - ball.world[1]];
  const side = [-ey, ex].map((x) => x / Math.hypot(ex, ey));
  for (const [radii, hits] of [[0.9, true], [1.15, false], [-0.9, true], [-1.15, false]]) {
    const at = await inside((p) => window.capstan.screen(...p), [
      ball.world[0] + 0.1 * radii * side[0], ball.world[1] + 0.1 * radii * side[1], ball.world[2]]);
    const [red, green] = picture(at.x, at.y);
    assert.equal(red > 1.3 * green, hits, `${radii} radii aside: ${picture(at.x, at.y)}`);
  }
  const rope = await inside(() => window.capstan.line(0, 10));
  const on = picture(rope.x, rope.y);
  const beside = picture(rope.x + 25, rope.y);
  assert.ok(apart(on, beside) > 50, `the rope differs from what is beside it: ${on} against ${beside}`);
});

test("it plays, pauses, steps and scrubs", async () => {
  await page.selectOption("#speed", "0.25");
  await page.keyboard.press("Space");
  await page.waitForFunction(() => window.capstan.frame > 3);
  await page.click("#play");
  const stood = await inside(() => window.capstan.frame);
  await page.waitForTimeout(150);
  assert.equal(await inside(() => window.capstan.playing), false);
  assert.ok((await inside(() => window.capstan.frame)) - stood <= 1, "it stands when it was paused");
  await page.keyboard.press("End");
  await frameIs(30);
  await page.keyboard.press("ArrowLeft");
  await frameIs(29);
  await page.keyboard.press("Home");
  await frameIs(0);
  const bar = await page.locator("#scrub").boundingBox();
  await page.mouse.click(bar.x + bar.width / 2, bar.y + bar.height / 2);
  await frameIs(15);
  assert.ok(Math.abs((await inside(() => window.capstan.time)) - 0.25) < 0.003, "frame 15 of 60 Hz is at 0.25 s");
});

test("the brick moves as the formula says", async () => {
  // it stops after v / (mu g) = 0.204 s and v^2 / (2 mu g) = 0.102 m; the implicit step errs by about v h / 2 = 1 mm
  await page.keyboard.press("End");
  await frameIs(30);
  const brick = await inside(() => window.capstan.body(1));
  assert.ok(Math.abs(brick.world[0] - 0.102) < 0.002, `it slid ${brick.world[0]} m`);
  const [r, g] = (await look(page))(brick.x, brick.y);
  assert.ok(r > 1.3 * g, "and is drawn there");
});

test("contacts are arrows coloured by status, with a cone and numbers on hover", async () => {
  await page.keyboard.press("Home");
  await frameIs(0);
  await page.keyboard.press("ArrowRight");
  await frameIs(1);
  const before = await look(page);
  await page.keyboard.press("c");
  await page.waitForFunction(() => window.capstan.counts.slide > 0);
  await settle(page);
  const counts = await inside(() => window.capstan.counts);
  assert.ok(counts.slide >= 3, "the corners of the brick slide");
  const contacts = await inside(() =>
    Array.from({ length: window.capstan.counts.stick + window.capstan.counts.slide + window.capstan.counts.takeoff }, (_, i) =>
      window.capstan.contact(i)));
  const sliding = contacts.filter((contact) => contact.status === 2);
  const picture = await look(page);
  const orange = sliding.some(({ x, y }) => {
    for (let dy = -25; dy <= 2; ++dy)
      for (let dx = -12; dx <= 12; ++dx) {
        const [r, g, b] = picture(x + dx, y + dy);
        if (r > 190 && g > 90 && g < 170 && b < 80 && apart(picture(x + dx, y + dy), before(x + dx, y + dy)) > 40) return true;
      }
    return false;
  });
  assert.ok(orange, "there is orange where something slides, and was not before");

  await page.mouse.move(sliding[0].x, sliding[0].y);
  await page.waitForFunction(() => window.capstan.hovered !== null);
  const text = await page.locator("#tip").innerText();
  assert.match(text, /slide/);
  assert.match(text, /between brick and floor/);
  assert.match(text, /friction used\s+(99\.\d|100)/, "sliding is on the boundary of the cone");
  await page.keyboard.press("c");
  assert.equal(await page.locator("#legend").isVisible(), false);
});

test("a chart says what the result's series says", async () => {
  await page.keyboard.press("g");
  await page.waitForFunction(() => document.querySelector("#chart-energy [data-series=kinetic]")?.dataset.value);
  await page.keyboard.press("ArrowRight");
  await frameIs(2);
  await settle(page);
  const time = await inside(() => window.capstan.time);
  const script =
    "import h5py,sys,json; f=h5py.File(sys.argv[1]); t=list(f['steps/time'][:]); " +
    "i=min(range(len(t)), key=lambda k: abs(t[k]-float(sys.argv[2]))); " +
    "print(json.dumps({n: float(f['steps/'+n][i]) for n in ('kinetic','contacts','residual','nu')}))";
  const python = ["python3", "/usr/bin/python3"].find((path) => spawnSync(path, ["-c", "import h5py"]).status === 0);
  if (!python) return console.log("not compared: python3-h5py is missing");
  const read = spawnSync(python, ["-c", script, join(where, "scene.h5"), String(time)], { encoding: "utf8" });
  assert.equal(read.status, 0, read.stderr);
  for (const [name, value] of Object.entries(JSON.parse(read.stdout))) {
    const shown = Number(await page.locator(`[data-series=${name}]`).first().getAttribute("data-value"));
    assert.equal(shown, value, `${name} at ${time} s`);
  }
  // a click in the middle of a chart moves the cursor there
  const chart = await page.locator("#chart-energy canvas").boundingBox();
  await page.mouse.click(chart.x + 58 + (chart.width - 70) / 2, chart.y + chart.height / 2);
  await frameIs(15);
  await page.keyboard.press("g");
  assert.equal(await page.locator("#charts").isVisible(), false);
});

test("the rope can be coloured by its tension", async () => {
  const before = await look(page);
  await page.keyboard.press("t");
  await page.waitForFunction(() => window.capstan.strongest > 0);
  await settle(page);
  // it hangs still: at the root it carries its weight, rho pi r^2 l g = 1300 pi 1e-4 0.4 9.81 = 1.60 N less half an element
  const strongest = await inside(() => window.capstan.strongest);
  assert.ok(Math.abs(strongest - 1.6) < 0.08, `${strongest} N`);
  const root = await inside(() => window.capstan.line(0, 2));
  const [r, g] = (await look(page))(root.x, root.y);
  const [r0, g0] = before(root.x, root.y);
  assert.ok(r / g > 1.3 * (r0 / g0), `redder at the root: ${[r, g]} after ${[r0, g0]}`);
  await page.keyboard.press("t");
  assert.equal(await page.locator("#scale").isVisible(), false);
});

test("a click shows the numbers of an object", async () => {
  await settle(page);
  const ball = await inside(() => window.capstan.body(0));
  await page.mouse.click(ball.x, ball.y);
  await page.waitForSelector("#info h2");
  assert.equal(await page.locator("#info h2").innerText(), "ball");
  assert.match(await page.locator("#info").innerText(), /sphere, radius 0\.1 m/);
  const rope = await inside(() => window.capstan.line(0, 10));
  await page.mouse.click(rope.x, rope.y);
  await page.waitForFunction(() => document.querySelector("#info h2")?.textContent === "rope");
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#info").isVisible(), false);
});

test("dark and light, small and large windows", async () => {
  const light = (await look(page))(20, 60);
  await page.keyboard.press("d");
  await settle(page);
  const dark = (await look(page))(20, 60);
  assert.ok(light[0] > 200 && dark[0] < 60, `${light} and ${dark}`);
  await page.keyboard.press("d");
  await page.setViewportSize({ width: 500, height: 700 });
  await settle(page);
  const ball = await inside(() => window.capstan.body(0));
  assert.ok(ball.x > 0 && ball.x < 500 && ball.y > 0 && ball.y < 700, "the view is fitted to the new window");
  await page.keyboard.press("?");
  assert.ok(await page.locator("#help").isVisible());
  await page.keyboard.press("Escape");
});

test("a result that is still being written grows in the page", async (t) => {
  // stops in the middle and is resumed while the page looks at it
  const slow = join(source, "tests/web/scene.yaml");
  run(where, slow, "grows.h5", "--until", "0.2");
  const growing = await startView(where, "grows.h5");
  t.after(() => growing.stop());
  const second = await openView(chrome.newPage, growing.url, { viewport: { width: 480, height: 320 } });
  t.after(() => second.close());
  await second.keyboard.press("g");
  await second.keyboard.press("End");
  await second.waitForFunction(() => window.capstan.frame === 12);
  await second.waitForFunction(() => window.capstan.chart("kinetic", 1) !== null);
  const before = await second.evaluate(() => window.capstan.chart("kinetic", 1)); // that of the last step there is
  run(where, slow, "grows.h5", "--resume");
  // who stands on the last frame goes along
  await second.waitForFunction(() => window.capstan.frames === 31 && window.capstan.frame === 30);
  await second.waitForFunction((old) => window.capstan.chart("kinetic", 1) !== old, before);
  assert.match(await second.locator("#status").innerText(), /^frame 30 of 30, end 0.5 s$/);
  assert.equal(await second.locator("#scrub").getAttribute("max"), "30");
  await second.keyboard.press("Home");
  await second.waitForFunction(() => window.capstan.frame === 0);
});

// In the page: every text that is seen, its size and its contrast against what is behind it (WCAG 2.1, relative luminance).
function readTexts() {
  const parse = (text) => text.match(/[\d.]+/g).map(Number);
  // computed colours of color-mix() are "color(srgb r g b / a)" from 0 to 1
  const rgba = (text) => {
    const [r, g, b, a = 1] = parse(text);
    return text.startsWith("color(") ? [255 * r, 255 * g, 255 * b, a] : [r, g, b, a];
  };
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a)];
  const behind = (element) => (element ? over(rgba(getComputedStyle(element).backgroundColor), behind(element.parentElement)) : [255, 255, 255]);
  const light = (colour) => {
    const [r, g, b] = colour.map((x) => (x / 255 <= 0.04045 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const list = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || !element.checkVisibility() || element.matches("script, option, :disabled")) continue;
    const back = behind(element);
    const style = getComputedStyle(element);
    const [a, b] = [light(over(rgba(style.color), back)), light(back)];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    list.push({ text: element.textContent.trim().slice(0, 30), contrast, size: parseFloat(style.fontSize) });
  }
  return list;
}

test("every text can be read on a projector, dark and light; nothing lies over anything else", async (t) => {
  const big = await openView(chrome.newPage, view.url, { viewport: { width: 1280, height: 720 } });
  t.after(() => big.close());
  await big.keyboard.press("End");
  await big.waitForFunction(() => window.capstan.frame === 30);
  for (const key of ["c", "t", "g", "n"]) await big.keyboard.press(key);
  await big.waitForSelector("#info h2");
  await big.waitForFunction(() => window.capstan.counts.stick > 0 && document.querySelector("[data-series=stick]")?.dataset.value);
  for (const theme of ["light", "dark"]) {
    assert.equal(await big.evaluate(() => document.documentElement.dataset.theme), theme);
    const texts = await big.evaluate(readTexts);
    assert.ok(texts.length > 30, `there is text: ${texts.length}`);
    for (const { text, contrast, size } of texts) {
      assert.ok(contrast >= 4.5, `${theme}: '${text}' has a contrast of ${contrast.toFixed(2)}`);
      assert.ok(size >= 12, `'${text}' has ${size} pixels`);
    }
    await big.keyboard.press("d");
  }
  for (const [width, height] of [[1280, 720], [1920, 1080]]) {
    await big.setViewportSize({ width, height });
    await settle(big);
    const names = ["#legend", "#scale", "#info", "#side", "#top", "#bar"];
    const boxes = await Promise.all(names.map((name) => big.locator(name).boundingBox()));
    boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b, k) => {
      const apartBoxes = a.x + a.width <= b.x + 1 || b.x + b.width <= a.x + 1 || a.y + a.height <= b.y + 1 || b.y + b.height <= a.y + 1;
      assert.ok(apartBoxes, `${names[i]} lies over ${names[i + 1 + k]} at ${width} x ${height}`);
    }));
    const wide = await big.evaluate(() => document.documentElement.scrollWidth > innerWidth || document.querySelector("#top").scrollWidth > innerWidth);
    assert.equal(wide, false, "nothing sticks out");
    const letters = await big.evaluate(() => parseFloat(getComputedStyle(document.documentElement).fontSize));
    assert.ok(letters >= height / 60, `letters grow with the window: ${letters} at ${height}`);
  }
});

test("nothing went wrong in the page, nothing was asked from elsewhere", async () => {
  const asked = await inside(() => performance.getEntriesByType("resource").map((entry) => entry.name));
  for (const address of asked) assert.ok(address.startsWith(view.url), address);
  assert.deepEqual(chrome.errors, []);
});
