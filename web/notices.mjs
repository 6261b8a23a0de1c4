// The licences of the contents of a bundle, as a text to ship with it.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const read = (path) => readFileSync(path, "utf8").trim();

// The npm packages in a bundle, by esbuild's list of the files that went into it.
export function packagesOf(...metafiles) {
  const files = metafiles.flatMap(({ inputs }) => Object.keys(inputs));
  return [...new Set(files.flatMap((file) => file.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1] ?? []))].sort();
}

function licenceOfPackage(name) {
  const folder = join(here, "node_modules", name);
  const { version, license } = JSON.parse(read(join(folder, "package.json")));
  const file = readdirSync(folder).find((file) => /^licen[sc]e/i.test(file));
  if (!file) throw new Error(`${folder} holds no licence`);
  return `${name} ${version} (${license})\n\n${read(join(folder, file))}`;
}

// Emscripten's own licence: in its folder, or as Debian writes it, a paragraph of a longer file.
function licenceOfEmscripten(root) {
  if (existsSync(join(root, "LICENSE"))) return read(join(root, "LICENSE"));
  const said = read("/usr/share/doc/emscripten/copyright");
  const owner = said.match(/^Files:\n \*\nCopyright:\n +(.*)/m)?.[1];
  const text = said.match(/^License: Expat\n((?: .*\n)+)/m)?.[1];
  if (!owner || !text) throw new Error("the licence of Emscripten was not found");
  return `Copyright ${owner}\n\n${text.replace(/^ \.?/gm, "").trim()}`;
}

// Compiled into every program by Emscripten: its runtime and the C library musl.
function licencesOfRuntime() {
  const root = spawnSync("em-config", ["EMSCRIPTEN_ROOT"], { encoding: "utf8" }).stdout?.trim();
  if (!root) throw new Error("em-config does not say where Emscripten is");
  const [version] = read(join(root, "emscripten-version.txt")).match(/[\d.]+/);
  return [
    `Emscripten ${version}, the runtime (MIT)\n\n${licenceOfEmscripten(root)}`,
    `musl, the C library of Emscripten (MIT)\n\n${read(join(root, "system/lib/libc/musl/COPYRIGHT"))}`,
  ];
}

// The licences of npm packages and, if `webAssembly`, of the libraries compiled into the module.
export function notices(packages, webAssembly) {
  const parts = [...packages.map(licenceOfPackage), ...(webAssembly ? licencesOfRuntime() : [])];
  const own = "Capstan is under the Apache License 2.0. These files contain parts of other programs, under the licences below.";
  return [own, ...parts].join(`\n\n${"-".repeat(100)}\n\n`) + "\n";
}

export const ownLicence = resolve(here, "../LICENSE");
