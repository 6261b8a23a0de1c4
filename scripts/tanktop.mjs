// usage: node scripts/tanktop.mjs BODY.msh FILE.obj [AROUND]
//
// A sleeveless shirt for the armadillo of scenes/armadillo-fit.yaml: rings of vertices from the waist to the chest, `AROUND` on each, and
// two straps over the shoulders. BODY is MSH 4.1 text with tetrahedra, y up; the shirt is in metres with z up, as the scene turns and
// scales the body.
//
//   1. a ring is the convex hull of the body's section at its height, CLEAR outside of it; no ring is narrower than what is above it needs
//   2. a strap lies in planes x = const, on the convex hull of the body's section there
//
// Nothing is random: the same program writes the same file.
import { readFileSync } from "node:fs";
import { addStrap, tube, writeObj } from "./garment.mjs";

const SCALE = 0.01; // metres for a unit of the body
const [HEM, CHEST] = [0.13, 0.37]; // heights of the lowest and the highest ring, m
const TRUNK = 0.36; // what is farther from the axis is an arm or the tail, m
const CLEAR = 0.012; // from the body to the shirt, m
const [STRAP_X, STRAP_WIDTH] = [0.165, 0.06]; // middle of a strap, and its width, m
const STRAP_LOW = 0.2; // straps see what is above this height only,
const EAR = [0.1, 0.7]; // and not the ears, which are in front of and above this, m

function readSurface(path) {
  const lines = readFileSync(path, "utf8").split("\n");
  const find = (name) => lines.indexOf(name) + 1;
  const numbers = (line) => line.trim().split(/\s+/).map(Number);
  let at = find("$Nodes");
  const [, count] = numbers(lines[at]);
  const place = new Map(); // tag to vertex
  at += 2;
  for (let i = 0; i < count; ++i) {
    const [x, y, z] = numbers(lines[at + count + i]);
    place.set(Number(lines[at + i]), [SCALE * x, -SCALE * z, SCALE * y]);
  }
  at = find("$Elements");
  const [, cells] = numbers(lines[at]);
  const faces = new Map();
  for (let i = 0; i < cells; ++i) {
    const [, a, b, c, d] = numbers(lines[at + 2 + i]);
    for (const face of [[b, c, d], [a, c, d], [a, b, d], [a, b, c]]) {
      const key = [...face].sort((p, q) => p - q).join(" ");
      faces.set(key, faces.has(key) ? null : face);
    }
  }
  return [...faces.values()].filter(Boolean).map((face) => face.map((tag) => place.get(tag)));
}

// Points in which the triangles meet the plane p[axis] = value, as the two other coordinates.
function section(triangles, axis, value) {
  const points = [];
  const [u, v] = [0, 1, 2].filter((k) => k !== axis);
  for (const t of triangles)
    for (let e = 0; e < 3; ++e) {
      const [p, q] = [t[e], t[(e + 1) % 3]];
      if (p[axis] < value === q[axis] < value) continue;
      const s = (value - p[axis]) / (q[axis] - p[axis]);
      points.push([p[u] + s * (q[u] - p[u]), p[v] + s * (q[v] - p[v])]);
    }
  return points;
}

// How far the convex hull of points reaches from a place along each direction. The support h of the hull gives it: the least h(n) / n.d.
function reaches(points, [cx, cy], directions) {
  const normals = [...Array(720).keys()].map((k) => [Math.cos((k * Math.PI) / 360), Math.sin((k * Math.PI) / 360)]);
  const support = normals.map(([nx, ny]) => Math.max(...points.map(([x, y]) => nx * (x - cx) + ny * (y - cy))));
  return directions.map(([dx, dy]) => {
    let least = Infinity;
    normals.forEach(([nx, ny], k) => {
      const along = nx * dx + ny * dy;
      if (along > 1e-3) least = Math.min(least, (support[k] + CLEAR) / along);
    });
    return least;
  });
}

function tankTop(body, around) {
  const cells = Math.round(0.22 * around); // rings
  const width = Math.max(2, Math.round(0.05 * around)); // cells across a strap
  const along = Math.round(0.45 * around); // and along it
  const angle = (i) => (2 * Math.PI * (i + 0.5)) / around;
  const ways = [...Array(around).keys()].map((i) => [Math.cos(angle(i)), Math.sin(angle(i))]);
  const middle = [0, -0.06]; // of the trunk
  const radii = [];
  for (let k = 0; k <= cells; ++k) {
    const z = HEM + ((CHEST - HEM) * k) / cells;
    const near = [-0.012, 0, 0.012].flatMap((d) => section(body, 2, z + d));
    const trunk = near.filter(([x, y]) => Math.abs(x) < TRUNK && Math.hypot(x - middle[0], y - middle[1]) < TRUNK);
    radii.push(reaches(trunk, middle, ways));
  }
  const vertices = radii.flatMap((ring, k) =>
    ring.map((r, i) => [middle[0] + r * ways[i][0], middle[1] + r * ways[i][1], HEM + ((CHEST - HEM) * k) / cells]),
  );
  const made = { vertices, triangles: tube(around, cells) };
  for (const side of [1, -1]) {
    const places = (q, A, B) => {
      const x = side * STRAP_X + (q / width - 0.5) * STRAP_WIDTH;
      const near = [-0.02, -0.01, 0, 0.01, 0.02].flatMap((d) => section(body, 0, x + d)).filter(([y, z]) => z > STRAP_LOW && (z < EAR[1] || y < EAR[0]));
      const centre = [middle[1], CHEST];
      const start = Math.atan2(A[2] - centre[1], A[1] - centre[0]), end = Math.atan2(B[2] - centre[1], B[1] - centre[0]) + (B[2] < centre[1] ? 2 * Math.PI : 0);
      const angles = [...Array(along - 1).keys()].map((k) => start + ((end - start) * (k + 1)) / along);
      const reach = reaches(near, centre, angles.map((a) => [Math.cos(a), Math.sin(a)]));
      return angles.map((a, k) => {
        const t = (k + 1) / along;
        // from where it is sewn on, in front and at the back, to its own plane
        const [ease, from0] = t < 0.5 ? [Math.min(1, 4 * t), A[0]] : [Math.min(1, 4 * (1 - t)), B[0]];
        return [from0 + ease * (x - from0), centre[0] + reach[k] * Math.cos(a), centre[1] + reach[k] * Math.sin(a)];
      });
    };
    addStrap(made, { top: cells * around, around, width, along, x: side * STRAP_X, middle: middle[1], places });
  }
  return made;
}

const [bodyFile, file, size] = process.argv.slice(2);
if (!bodyFile || !file) {
  console.error("usage: node scripts/tanktop.mjs BODY.msh FILE.obj [AROUND]");
  process.exit(2);
}
const made = tankTop(readSurface(bodyFile), Number(size ?? 72));
writeObj(file, "A tank top for scenes/armadillo-fit.yaml, cut by scripts/tanktop.mjs; metres, z up, front to +y", made, 1);
