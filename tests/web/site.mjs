// The site as a reader uses it, opened from disk: it builds, which checks every link, anchor and equation; a search finds
// the section, dark stays dark on the next page, and a phone shows the contents. A link that leads nowhere stops the build.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { folder, openBrowser, source } from "./browser.mjs";

const where = folder();
const build = (root) =>
  spawnSync(process.execPath, [join(root, "web/site/build.mjs"), join(where, "site")], { encoding: "utf8" });

// a book of one page with one wrong link of each kind and one wrong equation
function wrongBook() {
  const root = join(where, "wrong");
  mkdirSync(join(root, "docs"), { recursive: true });
  cpSync(join(source, "web/site"), join(root, "web/site"), { recursive: true });
  for (const file of ["build-browser.mjs", "notices.mjs"]) cpSync(join(source, "web", file), join(root, "web", file));
  symlinkSync(join(source, "web/node_modules"), join(root, "web/node_modules"));
  writeFileSync(join(root, "README.md"), "# A\n[b](docs/b.md) [c](docs/README.md#c) [d](#a)\n\n![e](e.png)\n\n$\\frak{$\n\n<!-- live: nothing -->\n");
  writeFileSync(join(root, "docs/README.md"), "# B\n- **G**: [a](../README.md)\n");
  return root;
}

const wrong = build(wrongBook());
assert.equal(wrong.status, 1);
for (const said of ["docs/b.md is not there", "docs/README.md has no section #c", "e.png is not there", "KaTeX", "there is no live scene nothing"])
  assert.ok(wrong.stderr.includes(said), `not said: ${said} in ${wrong.stderr}`);
assert.ok(!wrong.stderr.includes("#a"), "a good anchor is called wrong");

const made = build(source);
assert.equal(made.status, 0, made.stderr);
assert.match(readFileSync(join(where, "site/site/licences.txt"), "utf8"), /^katex .*\(MIT\)\n[^]*^minisearch .*\(MIT\)$/m);
const at = (path) => pathToFileURL(join(where, "site", path)).href;

const chrome = await openBrowser();
try {
  const page = await chrome.newPage({ viewport: { width: 1300, height: 800 } });
  await page.goto(at("index.html"));
  assert.ok(await page.evaluate(() => [...document.images].every((image) => image.complete && image.naturalWidth > 0)));

  await page.keyboard.press("/");
  await page.keyboard.type("painleve rod");
  await page.waitForSelector("#hits a");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/painleve.html#*");
  // equation (1) of that page is set, with its letters loaded
  assert.ok((await page.locator(".equation .katex").count()) > 0);
  assert.ok(await page.evaluate(() => document.fonts.ready.then(() => [...document.fonts].some((f) => f.family === "KaTeX_Main" && f.status === "loaded"))));

  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await page.click("#theme");
  const dark = await background();
  assert.notEqual(dark, light);
  await page.click(".neighbours .next");
  await page.waitForURL((url) => !url.pathname.endsWith("painleve.html"));
  assert.equal(await background(), dark);

  // no section has all of these words; short ones are not taken for the beginnings of others
  await page.fill("#query", "friction coefficient per pair");
  const titles = () => page.$$eval("#hits a strong", (all) => all.map((title) => title.textContent));
  await page.waitForFunction(() => document.querySelectorAll("#hits a").length >= 10);
  assert.ok((await titles()).includes("Materials and friction"), String(await titles()));
  // code and equations of a page fit into a window of this width
  await page.goto(at("docs/theory/super-clothoid.html"));
  assert.deepEqual(await page.$$eval(".equation", (all) => all.filter((e) => e.scrollWidth > e.clientWidth + 1).length), 0);
  await page.goto(at("index.html"));
  assert.ok(await page.$eval("pre", (block) => block.scrollWidth <= block.clientWidth), "the first commands are cut off");

  const phone = await chrome.newPage({ viewport: { width: 360, height: 700 } });
  for (const name of ["CHANGELOG", "docs/scenes/willow", "docs/theory/super-helix", "docs/theory/newton"]) {
    await phone.goto(at(`${name}.html`));
    assert.ok(await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} is wider than the phone`);
  }
  assert.ok(!(await phone.isVisible("#contents")));
  await phone.click("#menu");
  assert.ok(await phone.isVisible("#contents [aria-current]"));
  assert.deepEqual(chrome.errors, []);
} finally {
  await chrome.close();
}
