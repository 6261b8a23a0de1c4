// usage: node build-browser.mjs FOLDER BUILD   Makes of BUILD/capstan.js and capstan.wasm (cmake/browser.cmake) in FOLDER
//   live/  the viewer's page with live scenes: open live/index.html from disk, or put the folder on any web server
//   npm/   the npm package `capstan`
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { notices, ownLicence, packagesOf } from "./notices.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, "..");
const [target, made] = process.argv.slice(2).map((path) => resolve(path));

// Scenes that run well in one thread, in the order of the list.
const SCENES = ["knot", "arch", "cards", "plectoneme", "loop", "towel", "lock", "wavy-84"];

// The scene and every file that it names.
function filesOf(name) {
  const files = {};
  const visit = (path) => {
    if (files[path] !== undefined) return;
    files[path] = readFileSync(join(root, "scenes", path), "utf8");
    const folder = path.includes("/") ? path.slice(0, path.lastIndexOf("/") + 1) : "";
    if (!path.endsWith(".yaml")) return;
    for (const [, other] of files[path].matchAll(/(?:include|file): *([\w./-]+)/g)) if (existsSync(join(root, "scenes", folder + other))) visit(folder + other);
  };
  visit(`${name}.yaml`);
  return files;
}

function scenesOf(names) {
  return Object.fromEntries(
    names.map((name) => {
      const files = filesOf(name);
      return [name, { title: parse(files[`${name}.yaml`]).title, files }];
    }),
  );
}

// Modules that are made: the library, the thread's program as a text, the scenes.
const generated = (modules) => ({
  name: "generated",
  setup(b) {
    b.onResolve({ filter: /^capstan-(module|wasm|worker|scenes)$/ }, ({ path }) => ({ path, namespace: "generated" }));
    b.onLoad({ filter: /.*/, namespace: "generated" }, ({ path }) => ({ ...modules[path], resolveDir: here }));
  },
});
const library = {
  "capstan-module": { contents: readFileSync(join(made, "capstan.js"), "utf8"), loader: "js" },
  "capstan-wasm": { contents: readFileSync(join(made, "capstan.wasm")), loader: "binary" },
};
const common = { bundle: true, minify: true, target: "es2021", charset: "ascii", legalComments: "inline", logLevel: "warning", metafile: true };

rmSync(target, { recursive: true, force: true });
mkdirSync(join(target, "live"), { recursive: true });

const worker = await build({ ...common, entryPoints: [join(here, "src/browser/worker.ts")], format: "iife", write: false, plugins: [generated(library)] });
const scenes = { contents: JSON.stringify(scenesOf(SCENES)), loader: "json" };
const page = await build({
  ...common,
  entryPoints: [join(here, "src/browser/main.ts")],
  format: "iife",
  outfile: join(target, "live/app.js"),
  plugins: [generated({ "capstan-worker": { contents: worker.outputFiles[0].text, loader: "text" }, "capstan-scenes": scenes })],
});
await build({ ...common, entryPoints: [join(here, "src/app.css")], outfile: join(target, "live/app.css") });
for (const file of ["index.html", "icon.svg"]) cpSync(join(here, "src", file), join(target, "live", file));
writeFileSync(join(target, "live/licences.txt"), notices(packagesOf(worker.metafile, page.metafile), true));

const npm = await build({
  ...common,
  entryPoints: [join(here, "src/browser/world.ts")],
  format: "esm",
  outfile: join(target, "npm/index.js"),
  plugins: [generated(library)],
});
cpSync(join(here, "npm"), join(target, "npm"), { recursive: true });
cpSync(ownLicence, join(target, "npm/LICENSE"));
writeFileSync(join(target, "npm/licences.txt"), notices(packagesOf(npm.metafile), true));
const types = spawnSync(
  process.execPath,
  [join(here, "node_modules/typescript/bin/tsc"), "--project", join(here, "tsconfig.npm.json"), "--outDir", join(target, "npm")],
  { encoding: "utf8" },
);
if (types.status !== 0) throw new Error(types.stdout);
writeFileSync(join(target, "npm/index.d.ts"), 'export * from "./world";\n');
