// usage: node bench/browser.mjs [FOLDER] [STEPS]   A step of 84 strands (scenes/wavy-84.yaml) in WebAssembly, by the npm package that `make browser`
// writes to FOLDER (out/browser), and by the command on one thread: milliseconds of processor time per step, and their ratio. A page at 30
// frames per second has 33 ms for the steps and the drawing of a frame.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const made = resolve(process.argv[2] ?? join(root, "out/browser"));
const steps = Number(process.argv[3] ?? 100);
const { World } = await import(pathToFileURL(join(made, "npm/index.js")));

// A scene with the files that it names.
function filesOf(path, files = {}) {
  files[path] = readFileSync(join(root, "scenes", path), "utf8");
  for (const [, other] of files[path].matchAll(/(?:include|file): *([\w./-]+)/g)) {
    const next = posix.join(posix.dirname(path), other);
    if (files[next] === undefined && existsSync(join(root, "scenes", next))) filesOf(next, files);
  }
  return files;
}

const files = filesOf("wavy-84.yaml");
const world = await World.create(files["wavy-84.yaml"], files);
const from = 20; // the first steps compile the code and grow the memory
world.step(from);
const begin = process.cpuUsage();
const info = world.step(steps);
const used = process.cpuUsage(begin);
const wasm = (used.user + used.system) / 1e3 / steps;


// The same by the command; the difference of two runs leaves out reading and building the scene.
const folder = mkdtempSync(join(tmpdir(), "capstan-"));
function seconds(until) {
  const words = ["run", join(root, "scenes/wavy-84.yaml"), "-j", "1", "-q", "-s", "output.frames=1Hz", "-o", join(folder, "x.h5"), "--until", String(until)];
  const done = spawnSync("bash", ["-c", 'TIMEFORMAT=%U; time "$@"', "bash", join(root, "build/capstan"), ...words], { encoding: "utf8" });
  return Number(done.stderr.trim().split("\n").pop());
}
const h = world.time / (from + steps);
const native = (1e3 * (seconds(world.time) - seconds(from * h))) / steps;
rmSync(folder, { recursive: true });

console.log("| strands | contacts | WebAssembly, ms | command, ms | ratio |\n|---:|---:|---:|---:|---:|");
console.log(`| 84 | ${info.contacts} | ${wasm.toFixed(1)} | ${native.toFixed(1)} | ${(wasm / native).toFixed(1)} |`);
world.dispose();
