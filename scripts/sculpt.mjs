// usage: node scripts/sculpt.mjs head|bust|figure FILE.obj
//        node scripts/sculpt.mjs dress FILE.obj [AROUND]
//
// Sculpts the mannequins of the scenes: smooth unions of ellipsoids and round cones, polygonised. Lengths are centimetres here
// and metres in the file; z is up, the face looks to +y, left and right are mirror images.
//
//   1. the surface f = 0 on a grid, one vertex for each cell that it crosses (surface nets), and onto f = 0 by Newton's steps
//   2. edges are collapsed, those of the least quadric error first (Garland and Heckbert 1997), to the number asked for
//   3. vertices are evened out along the surface and put back onto f = 0
//
// Nothing is random: the same program writes the same file. It refuses to write a surface that is not closed and two-manifold.
import { addStrap, tube, writeObj } from "./garment.mjs";

// -- distances, cm -----------------------------------------------------------------------------------------------------

// Of an ellipsoid, to first order near its surface. `turn` tilts it about x (radians).
const ellipsoid = (x, y, z, a, b, c, turn = 0) => {
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
  return (p, q, r) => {
    const [u, v, w] = [p - x, cos * (q - y) + sin * (r - z), -sin * (q - y) + cos * (r - z)];
    const near = Math.sqrt((u / a) ** 2 + (v / b) ** 2 + (w / c) ** 2);
    const slope = Math.sqrt((u / a ** 2) ** 2 + (v / b ** 2) ** 2 + (w / c ** 2) ** 2);
    return slope > 1e-12 ? (near * (near - 1)) / slope : -Math.min(a, b, c);
  };
};

// Two balls and all between them, flattened by `flat` along y about the axis.
const cone = ([x, y, z, r], [X, Y, Z, R], flat = 1) => {
  const [dx, dy, dz] = [X - x, (Y - y) / flat, Z - z];
  const square = dx * dx + dy * dy + dz * dz;
  return (p, q, s) => {
    const [u, v, w] = [p - x, (q - y) / flat, s - z];
    const t = Math.max(0, Math.min(1, (u * dx + v * dy + w * dz) / square));
    return Math.sqrt((u - t * dx) ** 2 + (v - t * dy) ** 2 + (w - t * dz) ** 2) - (r + t * (R - r));
  };
};

// Smooth minimum with a blend as wide as k (polynomial, C2).
const blend = (a, b, k) => {
  const h = Math.max(k - Math.abs(a - b), 0) / k;
  return Math.min(a, b) - (h * h * h * k) / 6;
};

// A shape is a list of [k, distance] that are blended in one after the other; a negative k carves.
const shape = (parts) => (x, y, z) => {
  const p = Math.abs(x);
  let f = parts[0][1](p, y, z);
  for (let i = 1; i < parts.length; ++i) {
    const [k, part] = parts[i];
    f = k > 0 ? blend(f, part(p, y, z), k) : -blend(-f, part(p, y, z), -k);
  }
  return f;
};

// -- what is sculpted --------------------------------------------------------------------------------------------------

// A face in the axes of a head whose cranium is about the origin; s scales it.
const face = (s) => {
  const E = (x, y, z, a, b, c, turn) => ellipsoid(s * x, s * y, s * z, s * a, s * b, s * c, turn);
  const C = ([x, y, z, r], [X, Y, Z, R], flat) => cone([s * x, s * y, s * z, s * r], [s * X, s * Y, s * Z, s * R], flat);
  return [
    [4 * s, E(0, 2.2, -5.2, 6.9, 7.0, 7.6)], // the face
    [4.5 * s, C([4.5, 0.6, -7.0, 2.5], [1.8, 6.0, -11.0, 2.3])], // jaw
    [3 * s, E(0, 6.9, -11.5, 2.1, 1.8, 1.7)], // chin
    [3 * s, E(4.3, 4.7, -7.2, 2.5, 2.8, 3.2)], // cheeks
    [3 * s, E(4.8, 5.8, -4.3, 2.2, 1.9, 1.6)],
    [1.8 * s, C([0.8, 8.6, -1.1, 0.9], [4.4, 7.5, -1.0, 0.8])], // brow
    [-1.8 * s, E(3.1, 9.6, -2.8, 1.9, 1.6, 1.0)], // sockets
    [0.7 * s, E(3.05, 7.35, -2.85, 1.6, 1.3, 1.0)], // eyes behind their lids
    [1.1 * s, C([0, 8.6, -1.9, 0.7], [0, 10.45, -5.7, 0.95])], // nose
    [0.9 * s, C([0, 10.2, -5.9, 0.85], [1.15, 9.0, -6.2, 0.75])], // wings
    [1.8 * s, E(0, 8.4, -8.3, 2.7, 1.4, 1.7)], // around the mouth
    [0.6 * s, C([0, 9.75, -7.85, 0.55], [1.9, 8.9, -8.3, 0.35])], // lips
    [0.6 * s, C([0, 9.55, -8.95, 0.65], [1.6, 8.85, -8.75, 0.4])],
    [-0.5 * s, C([0, 10.5, -8.38, 0.22], [2.1, 9.35, -8.5, 0.12])], // between them
    [-1.2 * s, E(0, 9.9, -10.1, 1.6, 0.6, 0.4)], // above the chin
  ];
};

const ear = (x, y, z, s) => [
  [0.8 * s, ellipsoid(x, y, z, 1.05 * s, 1.7 * s, 2.9 * s, -0.18)],
  [-0.9 * s, ellipsoid(x + 1.2 * s, y + 0.1 * s, z + 0.3 * s, 0.75 * s, 0.95 * s, 1.7 * s, -0.18)],
];

// The head of scenes/parts/head.yaml: its cranium is the ball of 9.5 cm that hair touches, half a millimetre thicker.
const head = shape([
  [0, ellipsoid(0, 0, 0, 9.55, 9.55, 9.55)],
  ...face(1),
  ...ear(9.15, -0.9, -3.4, 1),
  [3.5, cone([0, -1.0, -9.5, 5.6], [0, -1.0, -20, 5.5])],
  [-2, (x, y, z) => z + 16.5],
]);

// Neck, shoulders and back of the same file, which stand still.
const bust = shape([
  [0, cone([0, -1, -13, 5.05], [0, -1, -24, 5.1])],
  [3, cone([0, -2, -26, 6.05], [14, -2, -26, 6.05])], // shoulders
  [3, cone([14.2, -2, -26.3, 6.0], [19.6, -1.4, -54, 4.8])], // upper arms
  [5, cone([0, 1, -32, 10.1], [0, 1, -38, 10.1])], // back
  [6, ellipsoid(0, 0.2, -38, 13.5, 9.6, 20)], // chest
  [6, ellipsoid(6.6, 2.6, -34, 8.4, 7.6, 9)],
  [5, cone([4.5, -2.5, -21, 2.4], [12, -2.6, -23.5, 3.2])], // from neck to shoulders
  [3, cone([2.5, 4.2, -22.8, 1.4], [13, 2.6, -22.8, 1.1])], // collar bones
  [-1.5, ellipsoid(0, 8.0, -21.4, 1.5, 1.9, 1.4)], // hollow of the throat
  [-3.5, (x, y, z) => z + 48.4],
]);

// A figure of 1.70 m on the floor z = 0, arms a little apart, with the plain face of a mannequin.
const figureHead = (() => {
  const f = shape([
    [0, ellipsoid(0, -0.4, 0, 7.4, 9.1, 8.8)],
    [3.5, ellipsoid(0, 2.4, -5.0, 5.7, 5.9, 6.8)], // the face
    [3.5, cone([3.4, 1.4, -6.4, 2.2], [1.2, 5.4, -9.6, 1.9])], // jaw
    [2.5, ellipsoid(0, 6.0, -9.9, 1.8, 1.5, 1.4)], // chin
    [3, cone([0.6, 7.3, -1.0, 0.9], [3.6, 6.4, -0.9, 0.8])], // brow
    [-3, ellipsoid(2.7, 9.3, -2.7, 2.2, 2.2, 1.5)], // sockets
    [1.4, cone([0, 7.3, -1.8, 0.75], [0, 8.7, -4.8, 0.95])], // nose
    [1.6, ellipsoid(0, 6.7, -7.3, 1.9, 1.2, 1.2)], // mouth
    ...ear(7.0, -0.9, -3.0, 0.85),
  ]);
  return (x, y, z) => f(x, y - 1.2, z - 161.2);
})();
const trunk = [
  [0, ellipsoid(0, 0.6, 126, 14.0, 9.6, 15)], // ribs
  [9, ellipsoid(0, 0.3, 107, 11.3, 8.2, 12)], // waist
  [9, ellipsoid(0, 0, 94, 14.4, 9.8, 10)], // pelvis
  [8, ellipsoid(8.6, -0.8, 87, 7.8, 8.8, 11)], // hips
  [6, ellipsoid(6.4, -5.2, 88, 6.6, 6.0, 7.4)], // seat
  [5, ellipsoid(6.8, 6.4, 122.8, 5.4, 4.8, 5.4)], // breast
  [6, cone([0, -0.6, 139.5, 4.6], [15.2, -1.4, 137.2, 4.2])], // shoulders
  [5, cone([3, -2.4, 145, 3.0], [11, -2.2, 140, 2.8])],
  [4, cone([0, -1.0, 140, 5.1], [0, 0.5, 154, 4.9])], // neck
];
const arms = [
  [4, cone([15.8, -1.4, 136.8, 4.9], [25.0, -3.2, 112, 3.5])], // upper arms
  [3, cone([25.0, -3.2, 112, 3.4], [32.6, 1.4, 88.5, 2.3])], // forearms
  [5, cone([26.0, -2.8, 108, 3.4], [28.4, -1.2, 101, 3.2])],
  [2, cone([32.8, 1.6, 87, 2.0], [34.2, 2.8, 80, 2.1], 1.6)], // hands
  [1.5, cone([34.3, 3.0, 80, 1.7], [35.0, 4.6, 70.5, 1.0], 2)],
  [1.5, cone([33.2, 4.6, 85.5, 1.2], [34.0, 7.0, 78.5, 0.9])], // thumbs
];
const legs = [
  [8, cone([8.8, -0.2, 84, 8.4], [8.6, 0.4, 50, 5.2])], // thighs
  [7, ellipsoid(8.9, 0.8, 70, 7.0, 7.4, 15)],
  [5, ellipsoid(8.6, 1.0, 48, 4.9, 5.0, 6)], // knees
  [5, cone([8.6, 0.2, 48, 4.7], [8.8, -0.9, 9, 2.9])], // shins
  [6, ellipsoid(8.7, -2.0, 33, 4.6, 4.7, 11)], // calves
  [4, ellipsoid(8.8, -2.2, 4.6, 2.9, 3.4, 4.6)], // heels
  [4, cone([8.9, 0, 6.5, 3.2], [9.5, 8.0, 3.6, 3.1])], // feet
  [3, cone([9.5, 8.0, 3.2, 3.2], [10.2, 14.0, 1.9, 2.5])],
];
const figure = shape([...trunk, ...arms, ...legs, [3, figureHead], [-0.8, (x, y, z) => z]]);

// distance, corners of the box, size of a cell, triangles
const WHAT = {
  head: { f: head, low: [-12, -12, -21], high: [12, 13, 11], cell: 0.42, triangles: 5000 },
  bust: { f: bust, low: [-28, -15, -51], high: [28, 15, -6], cell: 0.9, triangles: 3000 },
  figure: { f: figure, low: [-40, -17, -2], high: [40, 20, 174], cell: 0.85, triangles: 6400 },
};

// -- 1. the surface on a grid --------------------------------------------------------------------------------------------

const CORNERS = [...Array(8).keys()].map((c) => [c & 1, (c >> 1) & 1, c >> 2]);

// The crossed edges of a cell, sorted by the pieces of the surface in it. On a face with four crossings the two corners inside are
// taken to be apart; its other cell sees the same.
function pieces(v) {
  const crossed = [];
  for (let a = 0; a < 8; ++a)
    for (let d = 0; d < 3; ++d) if (!(a & (1 << d)) && v[a] < 0 !== v[a | (1 << d)] < 0) crossed.push(3 * a + d);
  const group = new Map(crossed.map((edge) => [edge, edge]));
  const root = (edge) => (group.get(edge) === edge ? edge : root(group.get(edge)));
  const join = (a, b) => group.set(root(a), root(b));
  for (let d = 0; d < 3; ++d)
    for (const side of [0, 1 << d]) {
      const [u, w] = [(d + 1) % 3, (d + 2) % 3];
      const edges = [3 * side + u, 3 * (side | (1 << u)) + w, 3 * (side | (1 << w)) + u, 3 * side + w];
      const here = edges.filter((edge) => group.has(edge));
      if (here.length === 2) join(...here);
      if (here.length < 4) continue;
      // the corner between neighbours edges[e], edges[e + 1]: side + w-bit or u-bit by turns
      const between = [side | (1 << u), side | (1 << u) | (1 << w), side | (1 << w), side];
      for (let e = 0; e < 4; ++e) if (v[between[e]] < 0) join(edges[e], edges[(e + 1) % 4]);
    }
  const sorted = new Map();
  for (const edge of crossed) sorted.set(root(edge), [...(sorted.get(root(edge)) ?? []), edge]);
  return [...sorted.values()];
}

function polygonise({ f, low, high, cell }) {
  const n = low.map((x, i) => Math.ceil((high[i] - x) / cell) + 1);
  const at = (i, j, k) => (k * n[1] + j) * n[0] + i;
  const place = (i, j, k) => [low[0] + i * cell, low[1] + j * cell, low[2] + k * cell];
  const value = new Float64Array(n[0] * n[1] * n[2]);
  for (let k = 0; k < n[2]; ++k)
    for (let j = 0; j < n[1]; ++j) for (let i = 0; i < n[0]; ++i) value[at(i, j, k)] = f(...place(i, j, k));
  // of each cell and each of its edges that is crossed (corner * 3 + axis): the vertex of that piece of the surface
  const vertexOf = new Map();
  const vertices = [];
  for (let k = 0; k + 1 < n[2]; ++k)
    for (let j = 0; j + 1 < n[1]; ++j)
      for (let i = 0; i + 1 < n[0]; ++i) {
        const corners = CORNERS.map(([a, b, c]) => [i + a, j + b, k + c]);
        const v = corners.map((c) => value[at(...c)]);
        if (v.every((x) => x < 0) || v.every((x) => x >= 0)) continue;
        const vertexOfEdge = new Map();
        for (const piece of pieces(v)) {
          const sum = [0, 0, 0];
          for (const edge of piece) {
            const [a, b] = [Math.floor(edge / 3), Math.floor(edge / 3) | (1 << (edge % 3))];
            const t = v[a] / (v[a] - v[b]);
            const [p, q] = [place(...corners[a]), place(...corners[b])];
            for (let d = 0; d < 3; ++d) sum[d] += (p[d] + t * (q[d] - p[d])) / piece.length;
            vertexOfEdge.set(edge, vertices.length);
          }
          vertices.push(sum);
        }
        vertexOf.set(at(i, j, k), vertexOfEdge);
      }
  const triangles = [];
  for (let k = 1; k + 1 < n[2]; ++k)
    for (let j = 1; j + 1 < n[1]; ++j)
      for (let i = 1; i + 1 < n[0]; ++i)
        for (let d = 0; d < 3; ++d) {
          const step = [0, 1, 2].map((e) => (e === d ? 1 : 0));
          const inside = value[at(i, j, k)] < 0;
          if (inside === value[at(i + step[0], j + step[1], k + step[2])] < 0) continue;
          const [u, w] = [(d + 1) % 3, (d + 2) % 3];
          const around = [[0, 0], [-1, 0], [-1, -1], [0, -1]].map(([a, b]) => {
            const c = [i, j, k];
            c[u] += a;
            c[w] += b;
            return vertexOf.get(at(...c)).get(3 * (-a * (1 << u) - b * (1 << w)) + d);
          });
          if (!inside) around.reverse();
          const far = (a, b) => Math.hypot(...vertices[around[a]].map((x, e) => x - vertices[around[b]][e]));
          const [a, b, c, e] = around;
          if (far(0, 2) < far(1, 3)) triangles.push([a, b, c], [a, c, e]);
          else triangles.push([b, c, e], [b, e, a]);
        }
  return { vertices, triangles };
}

const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

function slope(f, [x, y, z]) {
  const e = 1e-3;
  return [f(x + e, y, z) - f(x - e, y, z), f(x, y + e, z) - f(x, y - e, z), f(x, y, z + e) - f(x, y, z - e)].map((d) => d / (2 * e));
}

// Newton's steps onto f = 0, none longer than `most`.
function settle(f, vertices, most) {
  for (const p of vertices)
    for (let round = 0; round < 4; ++round) {
      const g = slope(f, p);
      const square = Math.max(dot(g, g), 1e-6);
      const by = f(...p) / square;
      const length = Math.abs(by) * Math.sqrt(square);
      const part = length > most ? most / length : 1;
      for (let d = 0; d < 3; ++d) p[d] -= part * by * g[d];
    }
}

// Moves vertices towards the middle of their neighbours, along the surface.
function even(f, { vertices, triangles }, rounds, amount) {
  for (let round = 0; round < rounds; ++round) {
    const sum = vertices.map(() => [0, 0, 0, 0]);
    for (const t of triangles)
      for (let e = 0; e < 3; ++e) {
        const [a, b] = [t[e], t[(e + 1) % 3]];
        for (let d = 0; d < 3; ++d) sum[a][d] += vertices[b][d];
        sum[a][3]++;
      }
    vertices.forEach((p, i) => {
      const g = slope(f, p);
      const move = [0, 1, 2].map((d) => sum[i][d] / sum[i][3] - p[d]);
      const along = dot(move, g) / Math.max(dot(g, g), 1e-6);
      for (let d = 0; d < 3; ++d) p[d] += amount * (move[d] - along * g[d]);
    });
    settle(f, vertices, 0.2);
  }
}

// -- 2. fewer triangles --------------------------------------------------------------------------------------------------

class Heap {
  items = [];
  push(item) {
    const a = this.items;
    a.push(item);
    for (let i = a.length - 1; i > 0; ) {
      const up = (i - 1) >> 1;
      if (a[up].cost <= a[i].cost) break;
      [a[up], a[i]] = [a[i], a[up]];
      i = up;
    }
  }
  pop() {
    const a = this.items;
    const first = a[0];
    const last = a.pop();
    if (a.length > 0) {
      a[0] = last;
      for (let i = 0; ; ) {
        let least = i;
        for (const c of [2 * i + 1, 2 * i + 2]) if (c < a.length && a[c].cost < a[least].cost) least = c;
        if (least === i) break;
        [a[least], a[i]] = [a[i], a[least]];
        i = least;
      }
    }
    return first;
  }
}

// Quadric of a plane n.x + d = 0 with weight w, ten numbers.
const plane = (n, d, w) => [n[0] * n[0], n[0] * n[1], n[0] * n[2], n[0] * d, n[1] * n[1], n[1] * n[2], n[1] * d, n[2] * n[2], n[2] * d, d * d].map((x) => w * x);
const error = (q, [x, y, z]) =>
  q[0] * x * x + 2 * q[1] * x * y + 2 * q[2] * x * z + 2 * q[3] * x + q[4] * y * y + 2 * q[5] * y * z + 2 * q[6] * y + q[7] * z * z + 2 * q[8] * z + q[9];

function simplify(f, { vertices, triangles }, wanted, cell) {
  const live = triangles.map(() => true);
  const around = vertices.map(() => new Set());
  const quadric = vertices.map(() => Array(10).fill(0));
  const version = vertices.map(() => 0);
  triangles.forEach((t, i) => {
    const [a, b, c] = t.map((v) => vertices[v]);
    const n = cross(minus(b, a), minus(c, a));
    const area = Math.sqrt(dot(n, n));
    const unit = n.map((x) => x / area);
    const q = plane(unit, -dot(unit, a), area);
    for (const v of t) {
      around[v].add(i);
      for (let k = 0; k < 10; ++k) quadric[v][k] += q[k];
    }
  });
  const neighbours = (v) => {
    const all = new Set();
    for (const i of around[v]) for (const w of triangles[i]) if (w !== v) all.add(w);
    return all;
  };
  const heap = new Heap();
  const offer = (a, b) => {
    const p = [0, 1, 2].map((d) => 0.5 * (vertices[a][d] + vertices[b][d]));
    const q = quadric[a].map((x, k) => x + quadric[b][k]);
    const way = minus(vertices[a], vertices[b]);
    const length = dot(way, way);
    // short edges first where the surface is flat: triangles stay even
    heap.push({ cost: Math.max(0, error(q, p)) + 2e-4 * length * length, a, b, p, versions: [version[a], version[b]] });
  };
  for (let v = 0; v < vertices.length; ++v) for (const w of neighbours(v)) if (v < w) offer(v, w);
  const flips = (v, other, p) => {
    for (const i of around[v]) {
      const t = triangles[i];
      if (t.includes(other)) continue;
      const old = t.map((w) => vertices[w]);
      const now = t.map((w) => (w === v ? p : vertices[w]));
      const [m, n] = [old, now].map(([a, b, c]) => cross(minus(b, a), minus(c, a)));
      if (dot(m, n) < 0.35 * Math.sqrt(dot(m, m) * dot(n, n))) return true;
    }
    return false;
  };
  let count = triangles.length;
  while (count > wanted && heap.items.length > 0) {
    const { a, b, p, versions } = heap.pop();
    if (versions[0] !== version[a] || versions[1] !== version[b]) continue;
    const [A, B] = [neighbours(a), neighbours(b)];
    let common = 0;
    for (const w of A) if (B.has(w)) ++common;
    settle(f, [p], 0.5 * cell);
    if (common !== 2 || A.size + B.size > 18 || flips(a, b, p) || flips(b, a, p)) continue;
    for (const i of [...around[b]]) {
      const t = triangles[i];
      if (t.includes(a)) {
        live[i] = false;
        --count;
        for (const w of t) around[w].delete(i);
      } else {
        t[t.indexOf(b)] = a;
        around[a].add(i);
      }
    }
    around[b].clear();
    version[b] = -1;
    vertices[a] = p;
    for (let k = 0; k < 10; ++k) quadric[a][k] += quadric[b][k];
    version[a]++;
    for (const w of neighbours(a)) offer(a, w);
  }
  const number = new Map();
  const kept = [];
  const left = triangles.filter((_, i) => live[i]).map((t) =>
    t.map((v) => {
      if (!number.has(v)) {
        number.set(v, kept.length);
        kept.push(vertices[v]);
      }
      return number.get(v);
    }),
  );
  return { vertices: kept, triangles: left };
}

// -- the file --------------------------------------------------------------------------------------------------------------

function check({ vertices, triangles }) {
  const edges = new Set();
  const bad = [];
  for (const t of triangles)
    for (let e = 0; e < 3; ++e) {
      const key = t[e] * vertices.length + t[(e + 1) % 3];
      if (edges.has(key)) bad.push(vertices[t[e]].map((x) => x.toFixed(1)).join(" "));
      edges.add(key);
    }
  if (bad.length > 0) throw new Error(`more than two triangles meet at ${bad.join(", ")}`);
  for (const key of edges) {
    const [a, b] = [Math.floor(key / vertices.length), key % vertices.length];
    if (!edges.has(b * vertices.length + a)) throw new Error("the surface is open");
  }
  const euler = vertices.length - edges.size / 2 + triangles.length;
  if (euler !== 2) throw new Error(`it is no sphere with a shape: V - E + F = ${euler}`);
}

// -- the dress ---------------------------------------------------------------------------------------------------------------

// A dress with straps for the figure: rings of vertices from the hem up to the chest, `around` on each, and two strips from the chest
// over the shoulders to the back. The bodice is cut to the body: close at the chest, looser at the waist; from the waist down no ring is narrower
// than what is above, and the skirt flares and swings in FOLDS.
const FLARE = 14, HEM = 52, WAIST = 106, CHEST = 128.5, FOLDS = 11;

function dress(around) {
  const cells = Math.round(0.58 * around); // rings
  const width = Math.max(2, Math.round(0.055 * around)); // cells across a strap
  const along = Math.round(0.29 * around); // and along it
  // how far it is from the body; coarse triangles cut corners
  const loose = (z) => 0.35 + 10 / around + 1.3 * Math.max(0, Math.min(1, (122 - z) / 14));
  const body = shape([...trunk, ...legs.slice(0, 2)]);
  // how far from (X, Y, Z) along (x, y, z) the surface outside of the body is
  const reach = ([X, Y, Z], [x, y, z]) => {
    let [low, high] = [0, 40];
    for (let k = 0; k < 50; ++k) {
      const t = 0.5 * (low + high);
      if (body(X + t * x, Y + t * y, Z + t * z) < loose(Z + t * z)) low = t;
      else high = t;
    }
    return high;
  };
  const angle = (i) => (2 * Math.PI * (i + 0.5)) / around;
  // the upper edge is lower under the arms
  const height = (k, i) => HEM + ((CHEST - 7 * Math.cos(angle(i)) ** 4 * (k / cells) ** 3 - HEM) * k) / cells;
  const rings = [];
  for (let k = cells; k >= 0; --k) {
    rings[k] = [...Array(around).keys()].map((i) => {
      const z = height(k, i);
      const down = Math.max(0, (WAIST - z) / (WAIST - HEM));
      const [x, y] = [Math.cos(angle(i)), Math.sin(angle(i))];
      let r = reach([0, 0, z], [x, y, 0]);
      if (down > 0) {
        // without the folds of the ring above
        r = Math.max(r, rings[k + 1][i].plain);
        r += (((FLARE * (CHEST - HEM)) / cells) * down ** 0.4) / (WAIST - HEM);
      }
      const folds = 2.6 * down ** 1.5 * Math.cos(FOLDS * angle(i) + 0.8 * Math.sin(2 * angle(i)));
      return { plain: r, at: [(r + folds) * x, (r + folds) * y, z] };
    });
  }
  const vertices = rings.flatMap((ring) => ring.map((v) => v.at));
  const made = { vertices, triangles: tube(around, cells) };
  // straps: in planes about the shoulder, from the front (+y) to the back
  const places = (q, A, B) =>
    [...Array(along - 1).keys()].map((k) => {
      const t = (k + 1) / along;
      const axis = [A[0] + t * (B[0] - A[0]), -0.8, CHEST + 2];
      const start = Math.atan2(A[2] - axis[2], A[1] - axis[1]);
      const end = Math.atan2(B[2] - axis[2], B[1] - axis[1]) + 2 * Math.PI;
      const a = start + t * (end - start);
      const way = [0, Math.cos(a), Math.sin(a)];
      const r = reach(axis, way);
      return [axis[0], axis[1] + r * way[1], axis[2] + r * way[2]];
    });
  for (const side of [1, -1]) addStrap(made, { top: cells * around, around, width, along, x: side * 8.6, middle: 0, places });
  return made;
}

const [what, file, size] = process.argv.slice(2);
if ((!WHAT[what] && what !== "dress") || !file) {
  console.error("usage: node scripts/sculpt.mjs head|bust|figure FILE.obj\n       node scripts/sculpt.mjs dress FILE.obj [AROUND]");
  process.exit(2);
}

function sculpt(plan) {
  const fine = polygonise(plan);
  check(fine);
  settle(plan.f, fine.vertices, 0.5 * plan.cell);
  even(plan.f, fine, 3, 0.5);
  const coarse = simplify(plan.f, fine, plan.triangles, plan.cell);
  even(plan.f, coarse, 4, 0.4);
  check(coarse);
  return coarse;
}

const made = what === "dress" ? dress(Number(size ?? 100)) : sculpt(WHAT[what]);
writeObj(file, `A ${what}, sculpted by scripts/sculpt.mjs; metres, z up, face to +y`, made, 1 / 100);
