// Garments of triangles, shared by sculpt.mjs (the dress) and tanktop.mjs (the tank top): a tube of rings with `around` vertices on each,
// the lowest ring first, and straps from the highest ring over the shoulders.
import { writeFileSync } from "node:fs";

// Two triangles for the cell a b c d; the diagonal alternates, so that the cloth has no preferred direction.
function addQuad(triangles, a, b, c, d, odd) {
  if (odd) triangles.push([a, b, c], [a, c, d]);
  else triangles.push([a, b, d], [b, c, d]);
}

// The triangles between `cells` + 1 rings.
export function tube(around, cells) {
  const triangles = [];
  for (let k = 0; k < cells; ++k)
    for (let i = 0; i < around; ++i) {
      const j = (i + 1) % around;
      addQuad(triangles, k * around + i, k * around + j, (k + 1) * around + j, (k + 1) * around + i, (i + k) % 2);
    }
  return triangles;
}

// Adds a strap of `width` cells, `along` cells long, from the front (y > middle) of the ring that begins at vertex `top` to its back, both where
// x is nearest to `x`. places(q, A, B) gives the along - 1 places between the ends A and B of column q.
export function addStrap({ vertices, triangles }, { top, around, width, along, x, middle, places }) {
  const nearest = (front) => {
    let best = -1;
    for (let i = 0; i < around; ++i) {
      const p = vertices[top + i];
      const better = best < 0 || Math.abs(p[0] - x) < Math.abs(vertices[top + best][0] - x);
      if (front ? p[1] > middle : p[1] < middle) if (better) best = i;
    }
    return best;
  };
  const [front, back] = [nearest(true), nearest(false)];
  const grid = [...Array(width + 1).keys()].map((q) => {
    // q runs along +x in front and at the back
    const shift = q - Math.floor(width / 2);
    const [from, to] = [top + ((front - shift + around) % around), top + ((back + shift + around) % around)];
    const between = places(q, vertices[from], vertices[to]).map((p) => vertices.push(p) - 1);
    return [from, ...between, to];
  });
  for (let q = 0; q < width; ++q)
    for (let k = 0; k < along; ++k) addQuad(triangles, grid[q + 1][k], grid[q][k], grid[q][k + 1], grid[q + 1][k + 1], (q + k) % 2);
}

// Writes a mesh as OBJ; `scale` converts its lengths to metres.
export function writeObj(file, title, { vertices, triangles }, scale) {
  const lines = [`# ${title}`];
  for (const p of vertices) lines.push("v " + p.map((x) => (x * scale).toFixed(5)).join(" "));
  for (const t of triangles) lines.push("f " + t.map((v) => v + 1).join(" "));
  writeFileSync(file, lines.join("\n") + "\n");
  console.log(`${file}: ${vertices.length} vertices, ${triangles.length} triangles`);
}
