// usage: CAPSTAN=build/capstan node screenshots.mjs FOLDER   Takes the pictures of the viewer that the docs show
// (`make screenshots`).
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { folder, openBrowser, openView, run, settle, source, startView } from "./browser.mjs";

const target = resolve(process.argv[2]);
const where = folder();
const size = { viewport: { width: 1280, height: 720 } };
const chrome = await openBrowser();
const scene = (name) => join(source, "scenes", name + ".yaml");

// Opens a result or a scene, does something with the page, takes the picture.
async function shot(name, file, act, options = {}) {
  const view = await startView(where, file);
  const page = await openView(chrome.newPage, view.url, { ...size, ...options });
  page.setDefaultTimeout(180000); // a busy machine draws slowly
  await act(page);
  await settle(page);
  await page.screenshot({ path: join(target, `view-${name}.png`) });
  console.log(`wrote view-${name}.png`);
  await page.close();
  await view.stop();
}

const frameIs = (page, index) => page.waitForFunction((k) => window.capstan.frame === k, index);
async function seek(page, index) {
  await page.fill("#scrub", String(index));
  await frameIs(page, index);
}
const counted = (page) => page.waitForFunction(() => window.capstan.counts.stick + window.capstan.counts.slide > 0);

run(where, scene("wavy-84"), "wavy-84.h5", "--until", "0.6");
await shot("hair", "wavy-84.h5", async (page) => {
  await page.selectOption("#speed", "0.25");
  await page.evaluate(() => {
    const { eye, target } = window.capstan.camera;
    window.capstan.look(eye.map((x, i) => target[i] + 0.62 * (x - target[i])), [target[0], target[1], target[2] + 0.03]);
  });
  await page.keyboard.press("Space");
  await page.waitForFunction(() => window.capstan.frame >= 8);
});

run(where, scene("arch"), "arch.h5", "--until", "0.5");
await shot("masonry", "arch.h5", async (page) => {
  await seek(page, 5);
  await page.keyboard.press("c");
  await counted(page);
  await settle(page);
  const contact = await page.evaluate(() => {
    const { stick, slide, takeoff } = window.capstan.counts;
    const all = Array.from({ length: stick + slide + takeoff }, (_, i) => window.capstan.contact(i));
    return all.reduce((best, next) => (next.impulse[0] > best.impulse[0] ? next : best));
  });
  await page.mouse.move(contact.x, contact.y);
  await page.waitForFunction(() => window.capstan.hovered !== null);
});

run(where, scene("tower"), "tower.h5");
await shot("charts", "tower.h5", async (page) => {
  await page.keyboard.press("g");
  await page.waitForFunction(() => window.capstan.chart("nu", 0) !== null);
  await page.keyboard.press("c");
  await seek(page, 14);
  await counted(page);
});

run(where, scene("dominoes"), "dominoes.h5", "--until", "0.8");
await shot("dark", "dominoes.h5", async (page) => {
  await page.keyboard.press("c");
  await seek(page, 48);
  await counted(page);
}, { colorScheme: "dark" });

await shot("live", scene("tie"), async (page) => {
  const tip = await page.evaluate(() => window.capstan.line(0, -1));
  await page.mouse.move(tip.x, tip.y);
  await page.mouse.down();
  await page.keyboard.press("Space");
  await page.waitForFunction(() => window.capstan.status?.running);
  for (const [x, y] of [[-150, -150], [-380, -120], [-420, 60]]) {
    await page.mouse.move(tip.x + x, tip.y + y, { steps: 20 });
    await page.waitForTimeout(800);
  }
  // a last pull, taken while the rope comes after the hand
  await page.mouse.move(tip.x - 480, tip.y + 120);
  await page.waitForFunction(() => Math.hypot(...(window.capstan.status.hand?.force ?? [0])) > 0.05);
});

// A cat and its tail, drawn by a pen.
writeFileSync(join(where, "cat.yaml"), `
title: Draw a tail
obstacles:
  body: {capsule: {radius: 6 cm, length: 12 cm}, rotation: {axis: [0, 1, 0], angle: 90 deg}, position: [-0.05, 0, 0]}
  head: {sphere: {radius: 5 cm}, position: [-0.2, 0, 0.06]}
  floor: {plane: {}, position: [0, 0, -0.25]}
camera: {eye: [0.1, -1.3, 0.15], target: [0.08, 0, 0.03], fov: 32 deg}
`);
await shot("pen", "cat.yaml", async (page) => {
  await page.waitForFunction(() => window.capstan.status !== null);
  await page.click("#pen");
  const root = await page.evaluate(() => window.capstan.screen(0.06, 0, 0.02));
  await page.mouse.move(root.x, root.y);
  await page.mouse.down();
  for (let i = 1; i <= 60; ++i) {
    const t = i / 60;
    await page.mouse.move(root.x + 420 * t + 40 * Math.sin(6 * t), root.y + 150 * Math.sin(5.2 * t) * Math.sqrt(t) - 60 * t);
  }
  await page.mouse.up();
  await page.waitForFunction(() => window.capstan.curves[0]?.young > 0);
});

await chrome.close();
