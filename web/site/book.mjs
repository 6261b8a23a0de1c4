// Which pages the book has, in which order. The order and the groups are those of docs/README.md, so that they are
// written once.
import { existsSync, readdirSync } from "node:fs";
import { dirname, join, posix } from "node:path";

// Markdown files at the top of the project that belong to the book.
const FRONT = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"];

export function findPages(root) {
  const pages = FRONT.filter((name) => existsSync(join(root, name)));
  const walk = (folder) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = posix.join(folder, entry.name);
      if (entry.isDirectory()) walk(path);
      else if (path.endsWith(".md")) pages.push(path);
    }
  };
  walk("docs");
  return pages;
}

// README.md is the page of its folder.
export function urlOf(path) {
  return path.replace(/(^|\/)README\.md$/, "$1index.html").replace(/\.md$/, ".html");
}

// The link from one page to another path, both relative to the project.
export function relative(from, to) {
  return posix.relative(dirname(from), to) || posix.basename(to);
}

// [{title, pages: [{title, path}]}] from the list in docs/README.md: an item that begins in bold is a group, and every link
// in it, or in the list below it, is a page of that group.
export function readContents(root, pages) {
  const index = pages.find((page) => page.path === "docs/README.md");
  const groups = [];
  let bold = false;
  let link = null;
  let depth = 0;
  const visit = (token) => {
    if (token.type === "bullet_list_open") depth++;
    if (token.type === "bullet_list_close") depth--;
    if (token.type === "strong_open" && depth === 1) {
      bold = true;
      groups.push({ title: "", pages: [] });
    }
    if (token.type === "strong_close") bold = false;
    if (token.type === "link_open") link = { title: "", path: posix.join("docs", token.meta.target) };
    if (token.type === "text" || token.type === "code_inline") {
      if (bold) groups.at(-1).title += token.content;
      if (link) link.title += token.content;
    }
    if (token.type === "softbreak" && link) link.title += " ";
    if (token.type === "link_close" && groups.length) {
      const title = link.title[0].toUpperCase() + link.title.slice(1);
      groups.at(-1).pages.push({ title, path: link.path });
      link = null;
    }
    token.children?.forEach(visit);
  };
  index.tokens.forEach(visit);
  return groups.filter((group) => group.pages.length);
}
