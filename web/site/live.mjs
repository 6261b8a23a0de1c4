// Live scenes in the book: a line `<!-- live: NAME -->` in a page becomes a scene that runs there (make browser; web/build-browser.mjs has the
// list). Nothing is loaded before the reader opens it. Where the library was not compiled for the browser, and on GitHub, the line is a comment.
import { cpSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { relative } from "./book.mjs";

const MARK = /^<!-- live: ([\w-]+) -->$/;
const NAMES = /const SCENES = \[(.*?)\]/s;

// The folder of the page of live scenes, undefined: there is none.
export const findLive = (root) => [join(root, "out/browser/live")].find((path) => existsSync(join(path, "index.html")));

const sceneNames = (root) => [...NAMES.exec(readFileSync(join(root, "web/build-browser.mjs"), "utf8"))[1].matchAll(/"([^"]+)"/g)].map(([, name]) => name);

// Every mark names a scene, whether or not the scenes can be shown.
export function embedLive(root, pages, live, problems) {
  const marks = pages.flatMap((page) =>
    page.tokens
      .filter((token) => token.type === "html_block")
      .map((token) => ({ page, name: MARK.exec(token.content.trim())?.[1] }))
      .filter(({ name }) => name),
  );
  if (marks.length === 0) return;
  const names = sceneNames(root);
  for (const { page, name } of marks) {
    if (!names.includes(name)) problems.push(`${page.path}: there is no live scene ${name}`);
    const address = `${relative(page.path, "live/index.html")}?scene=${name}&amp;embed=1`;
    const frame = `<details class="live"><summary>Run this scene here</summary><iframe loading="lazy" src="${address}" title="${name}, live"></iframe></details>`;
    page.html = page.html.replace(`<!-- live: ${name} -->`, live ? frame : "");
  }
}

export const copyLive = (live, target) => cpSync(live, join(target, "live"), { recursive: true });
