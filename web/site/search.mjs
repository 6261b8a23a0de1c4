// The search index: one entry per section, so that a hit leads to the heading and not to the top of a long page. It is a
// script and not a JSON file, because a page that was opened from disk may not fetch files.
import MiniSearch from "minisearch";
import { urlOf } from "./book.mjs";
import { words } from "./markdown.mjs";
import { FIELDS } from "./fields.mjs";

// Text of each section; `tokens` are flat, a heading begins a section.
function sections(page) {
  const found = [];
  let current = null;
  page.tokens.forEach((token, i) => {
    if (token.type === "heading_open") {
      const { title, slug } = page.headings[found.length];
      current = { id: `${urlOf(page.path)}#${slug}`, page: page.title, title, text: "" };
      found.push(current);
    } else if (current && token.type === "inline" && page.tokens[i - 1].type !== "heading_open") current.text += " " + words(token);
    else if (current && token.type === "fence") current.text += " " + token.content;
  });
  return found;
}

export function indexOf(pages) {
  const search = new MiniSearch(FIELDS);
  for (const page of pages) search.addAll(sections(page).map((s) => ({ ...s, excerpt: s.text.trim().slice(0, 160) })));
  return `window.capstanIndex=${JSON.stringify(JSON.stringify(search))};`;
}
