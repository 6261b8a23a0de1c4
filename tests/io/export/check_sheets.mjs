// usage: node check_sheets.mjs EXPECTED.json FILE.glb FILE.usda FOLDER-OF-OBJ
// Reads the surfaces (a sheet and a solid) and the tapered fibre of exports back and compares them with what the result holds: positions of all frames,
// triangles, impulses, widths. Parses the formats itself.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const [expectedFile, glbFile, usdaFile, objFolder] = process.argv.slice(2);
const expected = JSON.parse(readFileSync(expectedFile, "utf8"));
const { surfaces, radii } = expected;
assert.deepEqual(surfaces.map(({ name }) => name), ["cloth", "cube"]);

function near(a, b, tolerance, what) {
  assert.equal(a.length, b.length, what);
  a.forEach((x, i) => assert.ok(Math.abs(x - b[i]) <= tolerance, `${what}[${i}]: ${x} is not ${b[i]}`));
}

// -- glTF: y up, (x, z, -y) of ours --------------------------------------------------------------------------------------
const glb = readFileSync(glbFile);
assert.equal(glb.toString("latin1", 0, 4), "glTF");
const jsonLength = glb.readUInt32LE(12);
const gltf = JSON.parse(glb.toString("utf8", 20, 20 + jsonLength));
const data = glb.subarray(28 + jsonLength);
function accessor(i) {
  const { bufferView, byteOffset = 0, componentType, count, type } = gltf.accessors[i];
  const size = { SCALAR: 1, VEC3: 3, VEC4: 4 }[type];
  const read = { 5126: ["readFloatLE", 4], 5125: ["readUInt32LE", 4], 5123: ["readUInt16LE", 2] }[componentType];
  const at = (gltf.bufferViews[bufferView].byteOffset ?? 0) + byteOffset;
  return Array.from({ length: size * count }, (_, k) => data[read[0]](at + read[1] * k));
}
for (const { name, frames, triangles } of surfaces) {
  const node = gltf.nodes.find((n) => n.name === name);
  const [primitive] = gltf.meshes[node.mesh].primitives;
  const first = accessor(primitive.attributes.POSITION);
  near(first, frames[0].vertices, 1e-6, "glTF positions");
  assert.deepEqual(accessor(primitive.indices), triangles);
  near(accessor(primitive.attributes._IMPULSE), frames[0].impulses, 1e-9, "glTF impulses");
  assert.equal(primitive.targets.length, frames.length - 1);
  primitive.targets.forEach((target, k) => {
    const moved = accessor(target.POSITION).map((d, i) => d + first[i]);
    near(moved, frames[k + 1].vertices, 2e-6, `glTF frame ${k + 1}`);
    const pushed = accessor(target._IMPULSE).map((d, i) => d + frames[0].impulses[i]);
    near(pushed, frames[k + 1].impulses, 1e-8, `glTF impulses of frame ${k + 1}`);
  });
}
// the fibre is a tube of six sides about its first line: rings have the radius of their point
const rod = gltf.nodes.find((n) => n.name === "horn" || n.name === "fibres" || /horn|fibre/i.test(n.name ?? ""));
const tube = accessor(gltf.meshes[rod.mesh].primitives[0].attributes.POSITION);
radii.forEach((radius, k) => {
  const ring = Array.from({ length: 6 }, (_, j) => tube.slice(3 * (6 * k + j), 3 * (6 * k + j) + 3));
  const middle = [0, 1, 2].map((d) => ring.reduce((sum, p) => sum + p[d] / 6, 0));
  for (const p of ring) near([Math.hypot(...p.map((x, d) => x - middle[d]))], [radius], 1e-6, `ring ${k}`);
});

// -- USD ----------------------------------------------------------------------------------------------------------------
const usda = readFileSync(usdaFile, "utf8");
function samples(text, name) {
  const from = text.indexOf(`${name}.timeSamples = {`);
  assert.ok(from >= 0, name);
  const block = text.slice(from, text.indexOf("\n        }", from));
  return [...block.matchAll(/: \[(.*)\],/g)].map(([, list]) => [...list.matchAll(/-?[\d.]+(?:e[-+]?\d+)?/g)].map(Number));
}
for (const { name, frames, triangles } of surfaces) {
  const mesh = usda.slice(usda.indexOf(`def Mesh "${name}"`));
  const points = samples(mesh, "point3f[] points");
  assert.equal(points.length, frames.length);
  points.forEach((list, k) => near(list, frames[k].vertices, 1e-6, `USD frame ${k} of ${name}`));
  assert.match(mesh, /vector3f\[\] primvars:impulse \(\s*interpolation = "vertex"\s*\)/);
  const impulses = samples(mesh, "vector3f[] primvars:impulse");
  assert.equal(impulses.length, frames.length);
  impulses.forEach((list, k) => near(list, frames[k].impulses, 1e-9, `USD impulses ${k} of ${name}`));
  const indices = /faceVertexIndices = \[(.*)\]/.exec(mesh)[1].split(",").map(Number);
  assert.deepEqual(indices, triangles);
}
const widths = /float\[\] widths = \[(.*)\] \(\s*interpolation = "vertex"/.exec(usda)[1].split(",").map(Number);
near(widths, radii.map((r) => 2 * r), 1e-9, "USD widths");

// -- OBJ: places alone ----------------------------------------------------------------------------------------------------
const files = readdirSync(objFolder).filter((name) => name.endsWith(".obj")).sort();
assert.equal(files.length, surfaces[0].frames.length);
files.forEach((file, k) => {
  const text = readFileSync(join(objFolder, file), "utf8");
  assert.ok(!/impulse/.test(text));
  for (const { name, frames, triangles } of surfaces) {
    const before = [...text.slice(0, text.indexOf(`o ${name}\n`)).matchAll(/^v /gm)].length;
    const own = text.slice(text.indexOf(`o ${name}\n`) + 2).split(/^o /m)[0];
    const places = [...own.matchAll(/^v (\S+) (\S+) (\S+)$/gm)].flatMap(([, ...p]) => p.map(Number));
    near(places, frames[k].vertices, 1e-6, `${file}: ${name}`);
    const corners = [...own.matchAll(/^f (\d+)\S* (\d+)\S* (\d+)\S*$/gm)].flatMap(([, ...c]) => c.map(Number));
    assert.deepEqual(corners.map((c) => c - 1 - before), triangles, `${file}: triangles of ${name}`);
  }
});
