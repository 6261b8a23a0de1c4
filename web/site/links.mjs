// Follows every relative link: to a page that is there and has the anchor, or to a file, which joins the site.
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";

export function checkLinks(root, pages, problems) {
  const known = new Map(pages.map((page) => [page.path, new Set(page.headings.map((heading) => heading.slug))]));
  const files = new Set();
  for (const page of pages)
    for (const { path, anchor, target } of page.links) {
      const anchors = known.get(path);
      if (anchors && anchor && !anchors.has(anchor)) problems.push(`${page.path}: ${path} has no section #${anchor}`);
      if (anchors) continue;
      if (path.startsWith("..") || !existsSync(join(root, path))) problems.push(`${page.path}: ${target} is not there`);
      else if (!statSync(join(root, path)).isDirectory()) files.add(path);
      else problems.push(`${page.path}: ${target} is a folder, which a site cannot show`);
    }
  return [...files].sort();
}
