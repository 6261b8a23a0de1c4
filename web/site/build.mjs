// usage: node build.mjs FOLDER   Writes the book as a static site: every Markdown page as HTML with its equations set,
// the files that pages link to, a search index and the styles. FOLDER can be opened from disk or put on any web server.
// Fails, with the list, if a link leads nowhere, an anchor is missing, or an equation cannot be set.
import { build } from "esbuild";
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { findPages, readContents, urlOf } from "./book.mjs";
import { checkLinks } from "./links.mjs";
import { copyLive, embedLive, findLive } from "./live.mjs";
import { renderPage } from "./markdown.mjs";
import { indexOf } from "./search.mjs";
import { dress } from "./template.mjs";
import { notices, packagesOf } from "../notices.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, "../..");
const target = process.argv[2] && resolve(process.argv[2]);
if (!target) {
  console.error("usage: node build.mjs FOLDER");
  process.exit(2);
}

const problems = [];
const pages = findPages(root).map((path) => renderPage(root, path, problems));
const files = checkLinks(root, pages, problems);
const live = findLive(root);
embedLive(root, pages, live, problems);
if (problems.length) {
  for (const problem of problems) console.error(problem);
  process.exit(1);
}

rmSync(target, { recursive: true, force: true });
const write = (path, text) => {
  mkdirSync(dirname(join(target, path)), { recursive: true });
  writeFileSync(join(target, path), text);
};
const contents = readContents(root, pages);
for (const page of pages) write(urlOf(page.path), dress(page, contents));
for (const file of files) cpSync(join(root, file), join(target, file), { recursive: true });
write("site/index.js", indexOf(pages));
if (live) copyLive(live, target);

// equations: KaTeX's letters, of its formats only the one that every browser reads
const katex = join(root, "web/node_modules/katex/dist");
write("site/katex.css", readFileSync(join(katex, "katex.min.css"), "utf8").replace(/,url\([^)]*\.(woff|ttf)\) format\("[^"]*"\)/g, ""));
cpSync(join(katex, "fonts"), join(target, "site/fonts"), {
  recursive: true,
  filter: (from) => statSync(from).isDirectory() || from.endsWith(".woff2"),
});
cpSync(join(root, "web/src/icon.svg"), join(target, "site/icon.svg"));
const bundle = { bundle: true, minify: true, logLevel: "warning", metafile: true };
const client = await build({ ...bundle, entryPoints: [join(here, "client.ts")], format: "iife", target: "es2020", outfile: join(target, "site/client.js") });
await build({ ...bundle, entryPoints: [join(here, "site.css")], outfile: join(target, "site/site.css") });
write("site/licences.txt", notices(["katex", ...packagesOf(client.metafile)], false));
console.log(`${pages.length} pages, ${files.length} files${live ? "" : "; without live scenes: run make browser first"}`);
