// What the tests of the viewer share: chromium (software GL) driven by playwright-core, the command under test, pictures
// read back. A machine without a browser or without the page skips them (exit 77, the reason printed).
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { inflateSync } from "node:zlib";

export const source = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
export const command = process.env.CAPSTAN ?? join(source, "build/capstan");
const SKIPPED = 77;
export const PATIENCE = Number(process.env.PATIENCE ?? 60000); // ms: the software renderer on a busy machine

export function skip(reason) {
  console.log(`skipped: ${reason}`);
  process.exit(SKIPPED);
}

// The folder with the page of live scenes and the npm package: of the build for the tests, or of `make browser`.
export function webAssembly() {
  const folders = [process.env.CAPSTAN_BROWSER, join(source, "build-browser-quick/made"), join(source, "out/browser")];
  const made = folders.find((folder) => folder && existsSync(join(folder, "npm/index.js")));
  return made ?? skip("the library was not compiled to WebAssembly: make test-builds or make browser does it and needs Emscripten");
}

function findBrowser() {
  for (const folder of (process.env.PATH ?? "").split(delimiter))
    for (const name of ["chromium", "chromium-browser", "google-chrome"])
      if (existsSync(join(folder, name))) return join(folder, name);
  return skip("no chromium is installed");
}

function loadPlaywright() {
  try {
    return createRequire(join(source, "web/package.json"))("playwright-core");
  } catch {
    return skip("playwright-core is not in web/node_modules: was the page built?");
  }
}

// Starts the browser; every page that fails by itself fails the test that looks at `errors`.
export async function openBrowser() {
  const { chromium } = loadPlaywright();
  const browser = await chromium.launch({
    executablePath: findBrowser(),
    args: ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox"],
  });
  const errors = [];
  const newPage = async (options = {}) => {
    const page = await browser.newPage({ viewport: { width: 720, height: 480 }, colorScheme: "light", ...options });
    page.setDefaultTimeout(PATIENCE);
    page.on("pageerror", (error) => errors.push(String(error.stack ?? error)));
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") errors.push(message.text());
    });
    return page;
  };
  return { browser, newPage, errors, close: () => browser.close() };
}

// Opens the page at `url` and waits for its first frame.
export async function openView(newPage, url, options) {
  const page = await newPage(options);
  await page.goto(url);
  await page.waitForFunction(() => window.capstan?.ready, null, { timeout: PATIENCE });
  await settle(page);
  return page;
}

// Until what was asked for is drawn: some pictures of the screen later.
export async function settle(page) {
  await page.evaluate(
    () =>
      new Promise((done) => {
        let left = 4;
        const next = () => (left-- > 0 ? requestAnimationFrame(next) : done());
        next();
      }),
  );
}

// Lets a simulation go or stand, whatever the mouse holds. What stands is not drawn again and again: the software renderer is slow.
// A simulation may stop by itself while the button is on its way, which then starts it again: so look again.
export async function runs(page, on) {
  await page.waitForFunction(() => window.capstan.status !== null);
  for (let tries = 30; tries > 0; --tries) {
    if ((await page.evaluate(() => window.capstan.status.running)) !== on) await page.dispatchEvent("#run", "click");
    const done = page.waitForFunction((state) => window.capstan.status.running === state, on, { timeout: 2000 });
    if (await done.then(() => true, () => false)) return;
  }
  throw new Error(`running is not ${on}: ${JSON.stringify(await page.evaluate(() => window.capstan.status))}`);
}

// Back to the start, standing and drawn: a hand can only be aimed at what does not move.
export async function rewind(page) {
  await runs(page, false);
  await page.keyboard.press("Home");
  await page.waitForFunction(() => window.capstan.status.time === 0 && window.capstan.time === 0);
  await settle(page);
}

// Waits for something outside the page; `met` is asked again and again.
export async function until(met, what) {
  for (const began = Date.now(); !met(); await new Promise((done) => setTimeout(done, 20)))
    if (Date.now() - began > PATIENCE) throw new Error(`it never came to this: ${what}`);
}

export function folder() {
  const path = mkdtempSync(join(tmpdir(), "capstan-web-"));
  process.on("exit", () => rmSync(path, { recursive: true, force: true }));
  return path;
}

// Runs a scene to its end; `where` is its folder.
export function run(where, scene, output, ...more) {
  const done = spawnSync(command, ["run", scene, "-o", output, "-q", ...more], { cwd: where, encoding: "utf8" });
  if (done.status !== 0) throw new Error(`capstan run ${scene}: ${done.stderr}`);
}

// Starts `capstan view` on a free port and waits for its URL.
export async function startView(where, ...args) {
  const child = spawn(command, ["view", ...args, "--no-open"], { cwd: where, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise((done) => child.on("exit", (code) => done(code)));
  process.on("exit", () => child.kill("SIGKILL"));
  let said = "";
  child.stderr.on("data", (data) => (said += data));
  const url = await new Promise((found, failed) => {
    let text = "";
    child.stdout.on("data", (data) => {
      text += data;
      const match = /http:\/\/\S+/.exec(text);
      if (match) found(match[0]);
    });
    ended.then((code) => failed(new Error(`capstan view ended with ${code}: ${said}`)));
  });
  // a test that fails before its stop() must not keep this process, and the viewer with it, waiting
  const handles = [child, child.stdout, child.stderr];
  handles.forEach((handle) => handle.unref());
  const stop = async () => {
    handles.forEach((handle) => handle.ref());
    child.kill("SIGTERM");
    return ended;
  };
  return { url, child, ended, stop, said: () => said };
}

// A living scene in a folder of its own, the one of these tests if none is given, and a page that looks at it.
export async function openLive(scene = readFileSync(join(source, "tests/web/scene.yaml")), options = {}) {
  const where = folder();
  const chrome = await openBrowser();
  let view;
  const stop = async () => {
    await chrome.close();
    await view?.stop();
  };
  try {
    writeFileSync(join(where, "scene.yaml"), scene);
    view = await startView(where, "scene.yaml");
    return { where, chrome, view, page: await openView(chrome.newPage, view.url, options), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

// The picture of the page as a function of x, y (CSS pixels) that gives [red, green, blue].
export async function look(page, path) {
  return readPng(await page.screenshot(path ? { path } : {}));
}

// Just what chromium writes: 8 bits, RGB or RGBA, not interlaced.
function readPng(png) {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const size = png[25] === 6 ? 4 : 3;
  const parts = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const raw = inflateSync(Buffer.concat(parts));
  const row = width * size;
  const out = new Uint8Array(row * height);
  for (let y = 0; y < height; ++y) unfilter(raw, y * (row + 1), out, y * row, row, size, y > 0);
  const at = (x, y) => {
    const k = (Math.round(y) * width + Math.round(x)) * size;
    return [out[k], out[k + 1], out[k + 2]];
  };
  return Object.assign(at, { width, height });
}

function unfilter(raw, from, out, to, row, size, above) {
  const kind = raw[from];
  for (let i = 0; i < row; ++i) {
    const a = i >= size ? out[to + i - size] : 0;
    const b = above ? out[to + i - row] : 0;
    const c = above && i >= size ? out[to + i - row - size] : 0;
    const paeth = () => {
      const [pa, pb, pc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
      return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
    };
    out[to + i] = raw[from + 1 + i] + [0, a, b, (a + b) >> 1, kind === 4 ? paeth() : 0][kind];
  }
}

// How far two colours are from each other, 0 … 441.
export function apart(p, q) {
  return Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}
