// Scripts of the site's pages: light and dark, the table of contents on small windows, the search.
import MiniSearch from "minisearch";
import { FIELDS } from "./fields.mjs";

interface Hit {
  id: string;
  title: string;
  page: string;
  excerpt: string;
}
declare global {
  interface Window {
    capstanIndex?: string;
  }
}

const html = document.documentElement;
const root = html.dataset.root ?? "";
const find = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;

find("theme").addEventListener("click", () => {
  html.dataset.theme = html.dataset.theme === "dark" ? "light" : "dark";
  try {
    localStorage.capstanTheme = html.dataset.theme;
  } catch {
    // a page opened from disk may have no storage: the choice then holds for this page only
  }
});

const menu = find("menu");
menu.addEventListener("click", () => {
  const open = document.body.classList.toggle("menu");
  menu.setAttribute("aria-expanded", String(open));
});
document.querySelector("#contents [aria-current]")?.scrollIntoView({ block: "nearest" });

// The index is fetched when somebody first wants to search.
let loading: Promise<MiniSearch> | null = null;
function load(): Promise<MiniSearch> {
  loading ??= new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = `${root}site/index.js`;
    script.onload = () => done(MiniSearch.loadJSON(window.capstanIndex ?? "", FIELDS as never));
    script.onerror = failed;
    document.head.append(script);
  });
  return loading;
}

const query = find<HTMLInputElement>("query");
const hits = find<HTMLUListElement>("hits");

function element(tag: string, text: string, className = ""): HTMLElement {
  const made = document.createElement(tag);
  made.textContent = text;
  made.className = className;
  return made;
}

function show(found: Hit[]): void {
  hits.replaceChildren(
    ...found.slice(0, 12).map((hit) => {
      const link = document.createElement("a");
      link.href = root + hit.id;
      link.append(element("strong", hit.title));
      if (hit.page !== hit.title) link.append(element("small", hit.page));
      link.append(element("p", hit.excerpt));
      const item = document.createElement("li");
      item.append(link);
      return item;
    }),
  );
  if (!found.length) hits.append(element("li", "Nothing found.", "none"));
  hits.hidden = false;
}

async function search(): Promise<void> {
  const text = query.value.trim();
  if (!text) {
    hits.hidden = true;
    return;
  }
  const index = await load();
  if (text !== query.value.trim()) return;
  // sections with all of the words, then those with some of them
  const found = new Map([...index.search(text), ...index.search(text, { combineWith: "OR" })].map((hit) => [hit.id, hit]));
  show([...found.values()] as unknown as Hit[]);
}

query.addEventListener("focus", () => void load());
query.addEventListener("input", () => void search());
document.addEventListener("click", (event) => {
  if (!(event.target as Element).closest(".search")) hits.hidden = true;
});
// "/" searches, Escape leaves, arrows move through the hits
document.addEventListener("keydown", (event) => {
  const links = [...hits.querySelectorAll("a")];
  const at = links.indexOf(document.activeElement as HTMLAnchorElement);
  if (event.key === "/" && document.activeElement !== query) query.focus();
  else if (event.key === "Escape") {
    hits.hidden = true;
    query.blur();
  } else if (event.key === "ArrowDown" && !hits.hidden && (at >= 0 || document.activeElement === query)) links[at + 1]?.focus();
  else if (event.key === "ArrowUp" && at >= 0) (links[at - 1] ?? query).focus();
  else return;
  event.preventDefault();
});
