// Markdown to HTML: tables and fences as GitHub shows them, equations set by KaTeX, code coloured, an anchor on every
// heading by GitHub's rule (so that one link works in both places), links to pages turned into links to HTML.
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import GithubSlugger from "github-slugger";
import highlight from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cmake from "highlight.js/lib/languages/cmake";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import typescript from "highlight.js/lib/languages/typescript";
import yaml from "highlight.js/lib/languages/yaml";
import katex from "katex";
import markdownIt from "markdown-it";
import { urlOf } from "./book.mjs";

for (const [name, language] of Object.entries({ c, cmake, javascript, json, python, typescript, yaml, sh: bash }))
  highlight.registerLanguage(name, language);

const markdown = markdownIt({
  html: true,
  highlight: (text, language) => (highlight.getLanguage(language) ? highlight.highlight(text, { language }).value : ""),
});

// $…$ in a line, by GitHub's rule: no space inside the dollars, no digit after them.
markdown.inline.ruler.after("escape", "math", (state, silent) => {
  if (state.src[state.pos] !== "$" || /[\s$]/.test(state.src[state.pos + 1] ?? " ")) return false;
  let end = state.pos + 1;
  while ((end = state.src.indexOf("$", end)) > 0 && state.src[end - 1] === "\\") end++;
  if (end < 0 || end > state.posMax || /\s/.test(state.src[end - 1]) || /\d/.test(state.src[end + 1] ?? "")) return false;
  if (!silent) state.push("math", "", 0).content = state.src.slice(state.pos + 1, end);
  state.pos = end + 1;
  return true;
});

// $$ … $$, on one line or on several.
markdown.block.ruler.before(
  "fence",
  "equation",
  (state, first, last, silent) => {
    const line = (i) => state.src.slice(state.bMarks[i] + state.tShift[i], state.eMarks[i]).trim();
    if (!line(first).startsWith("$$")) return false;
    let text = line(first).slice(2);
    let end = first;
    while (!text.endsWith("$$") && ++end < last) text += "\n" + line(end);
    if (end >= last) return false;
    if (silent) return true;
    state.push("equation", "", 0).content = text.slice(0, -2);
    state.line = end + 1;
    return true;
  },
  { alt: ["paragraph", "list"] },
);

const set = (content, env, displayMode) => {
  try {
    return katex.renderToString(content, { displayMode, strict: "error", trust: false });
  } catch (error) {
    env.problems.push(`${env.path}: ${error.message} in the equation ${content.trim()}`);
    return "";
  }
};
markdown.renderer.rules.math = (tokens, i, options, env) => set(tokens[i].content, env, false);
markdown.renderer.rules.equation = (tokens, i, options, env) => `<div class="equation">${set(tokens[i].content, env, true)}</div>\n`;
markdown.renderer.rules.table_open = () => '<div class="table"><table>\n';
markdown.renderer.rules.table_close = () => "</table></div>\n";
markdown.renderer.rules.heading_close = (tokens, i) => {
  const { slug, tag } = tokens[i];
  return slug ? ` <a class="anchor" href="#${slug}" aria-label="Link to this section">#</a></${tag}>\n` : `</${tag}>\n`;
};

// The words of an inline token, for titles and the search.
export const words = (inline) =>
  (inline.children ?? []).map((t) => (t.type === "softbreak" ? " " : t.type === "image" ? words(t) : t.content)).join("");

function anchorHeadings(tokens) {
  const slugger = new GithubSlugger();
  const headings = [];
  tokens.forEach((token, i) => {
    if (token.type !== "heading_open") return;
    const title = words(tokens[i + 1]);
    const slug = slugger.slug(title);
    token.attrSet("id", slug);
    if (token.tag !== "h1") tokens[i + 2].slug = slug;
    headings.push({ level: Number(token.tag[1]), title, slug });
  });
  return headings;
}

// Every link and picture, as {target, anchor}; those that lead to pages are changed to their HTML.
function followLinks(tokens, links) {
  for (const token of tokens) {
    const name = token.type === "image" ? "src" : "href";
    if (token.type === "image" || token.type === "link_open") {
      const [target, anchor] = token.attrGet(name).split("#");
      token.meta = { target };
      if (!/^[a-z]+:/.test(target)) {
        links.push({ target, anchor });
        if (target.endsWith(".md")) token.attrSet(name, urlOf(target) + (anchor ? `#${anchor}` : ""));
      }
    }
    if (token.children) followLinks(token.children, links);
  }
}

// Pictures and films given as HTML, for their width.
function followHtml(tokens, links) {
  for (const token of tokens) {
    if (token.type.startsWith("html"))
      for (const [, target] of token.content.matchAll(/<(?:img|video) [^>]*src="([^"]*)"/g)) links.push({ target });
    if (token.children) followHtml(token.children, links);
  }
}

export function renderPage(root, path, problems) {
  const env = { path, problems };
  const tokens = markdown.parse(readFileSync(join(root, path), "utf8"), env);
  const headings = anchorHeadings(tokens);
  const links = [];
  followLinks(tokens, links);
  followHtml(tokens, links);
  for (const link of links) link.path = link.target ? posix.normalize(posix.join(posix.dirname(path), decodeURI(link.target))) : path;
  return { path, tokens, headings, links, title: headings[0]?.title ?? path, html: markdown.renderer.render(tokens, markdown.options, env) };
}
