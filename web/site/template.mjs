// The frame around a page: contents on the left, sections on the right, search above, the neighbours below.
import { relative, urlOf } from "./book.mjs";

const escape = (text) => text.replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]);

function navigation(page, contents) {
  return contents
    .map((group) => {
      // the guide is open on pages that are in no group, such as the first one
      const lost = !contents.some((other) => other.pages.some((entry) => entry.path === page.path));
      const here = lost ? group === contents[0] : group.pages.some((entry) => entry.path === page.path);
      const items = group.pages.map((entry) => {
        const current = entry.path === page.path ? ' aria-current="page"' : "";
        return `<li><a href="${urlOf(relative(page.path, entry.path))}"${current}>${escape(entry.title)}</a></li>`;
      });
      return `<details${here ? " open" : ""}><summary>${escape(group.title)}</summary><ul>${items.join("")}</ul></details>`;
    })
    .join("\n");
}

// Long references have hundreds of sections: only the first level is listed then.
function outline(page) {
  const below = page.headings.filter((heading) => heading.level > 1 && heading.level < 4);
  const shown = below.length > 30 ? below.filter((heading) => heading.level === 2) : below;
  if (shown.length < 2) return "";
  const items = shown.map((h) => `<li class="level-${h.level}"><a href="#${h.slug}">${escape(h.title)}</a></li>`);
  return `<nav class="outline" aria-label="On this page"><h2>On this page</h2><ul>${items.join("")}</ul></nav>`;
}

function neighbours(page, contents) {
  const order = contents.flatMap((group) => group.pages);
  const at = order.findIndex((entry) => entry.path === page.path);
  const link = (entry, name) =>
    entry ? `<a class="${name}" href="${urlOf(relative(page.path, entry.path))}"><small>${name}</small>${escape(entry.title)}</a>` : "<span></span>";
  return at < 0 ? "" : `<nav class="neighbours" aria-label="Previous and next page">${link(order[at - 1], "previous")}${link(order[at + 1], "next")}</nav>`;
}

export function dress(page, contents) {
  const to = (path) => relative(page.path, path);
  const title = page.path === "README.md" ? "Capstan" : `${page.title} · Capstan`;
  return `<!doctype html>
<html lang="en" data-root="${to("index.html").replace(/index\.html$/, "")}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>
<link rel="icon" href="${to("site/icon.svg")}">
<link rel="stylesheet" href="${to("site/katex.css")}">
<link rel="stylesheet" href="${to("site/site.css")}">
<script>document.documentElement.dataset.theme = (() => { try { return localStorage.capstanTheme; } catch { return ""; } })() || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");</script>
<script src="${to("site/client.js")}" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header>
<button id="menu" aria-label="Contents" aria-expanded="false" aria-controls="contents">☰</button>
<a class="name" href="${to("index.html")}">Capstan</a>
<a href="${to("docs/index.html")}">Docs</a>
<a href="${to("docs/scenes/gallery.html")}">Gallery</a>
<div class="search"><input id="query" type="search" placeholder="Search (press /)" aria-label="Search the documentation" autocomplete="off"><ul id="hits" hidden></ul></div>
<button id="theme" aria-label="Switch between light and dark">◐</button>
</header>
<nav id="contents" aria-label="Contents">
${navigation(page, contents)}
</nav>
<main id="content"${page.path === "README.md" ? ' class="front"' : ""}>
${page.html}
${neighbours(page, contents)}
</main>
${outline(page)}
</body>
</html>
`;
}
