// usage: node build.mjs FOLDER FILE.c   Bundles the page into FOLDER and writes it as C arrays (src/server/bundle.h) to
// FILE.c, which is touched only if it changes.
import { build } from "esbuild";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const [folder, target] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });

await build({
  entryPoints: [join(here, "src/main.ts")],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2020",
  charset: "ascii",
  legalComments: "inline",
  outfile: join(folder, "app.js"),
  logLevel: "warning",
});
await build({
  entryPoints: [join(here, "src/app.css")],
  minify: true,
  outfile: join(folder, "app.css"),
  logLevel: "warning",
});

const files = [
  ["/", "text/html; charset=utf-8", join(here, "src/index.html")],
  ["/app.js", "text/javascript; charset=utf-8", join(folder, "app.js")],
  ["/app.css", "text/css; charset=utf-8", join(folder, "app.css")],
  ["/icon.svg", "image/svg+xml", join(here, "src/icon.svg")],
];

const parts = ["// Made from web/ by scripts/web.sh.\n#include \"server/bundle.h\"\n"];
const rows = [];
files.forEach(([path, type, file], i) => {
  const bytes = readFileSync(file);
  const lines = [];
  for (let at = 0; at < bytes.length; at += 40) lines.push(bytes.subarray(at, at + 40).join(","));
  parts.push(`static const unsigned char file_${i}[] = {\n${lines.join(",\n")}};\n`);
  rows.push(`    {"${path}", "${type}", file_${i}, sizeof file_${i}},`);
});
parts.push(`const CpsBundleFile cps_bundle[] = {\n${rows.join("\n")}\n};`);
parts.push(`const int cps_bundle_count = ${files.length};\n`);
const text = parts.join("\n");
if (!existsSync(target) || readFileSync(target, "utf8") !== text) {
  writeFileSync(target + ".new", text);
  renameSync(target + ".new", target);
}
