// Sheets: one mesh of all triangles, seen from both sides, the back a little darker, with normals that are smooth over the
// vertices:
//   n_i = sum of (b - a) x (c - a) over the triangles around vertex i, made unit                                    (1)
// Vertices that are held are marked by small points.
import {
  Box3,
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  DynamicDrawUsage,
  Mesh,
  MeshStandardMaterial,
  Object3D,
  Points,
  PointsMaterial,
  Raycaster,
  Vector3,
} from "three";
import type { Frame, Kind, SceneMessage } from "../protocol";
import type { Theme } from "../theme";
import type { Drawable, Hit, PickContext } from "./drawable";
import { families, sheetColour } from "./palette";

const BACK = "#include <color_fragment>\nif (!gl_FrontFacing) diffuseColor.rgb *= 0.8;";

export class Sheets implements Drawable {
  readonly object = new Object3D();
  readonly overlay = new Object3D();
  held = new Set<number>(); // vertices, numbered over all sheets
  private readonly geometry = new BufferGeometry();
  private readonly positions: BufferAttribute;
  private readonly normals: BufferAttribute;
  private readonly colours: BufferAttribute;
  private readonly pins = new BufferGeometry();
  private readonly pinMaterial = new PointsMaterial({ size: 6, sizeAttenuation: false });
  private readonly mesh_: Mesh;
  private readonly first: number[] = []; // vertex of each sheet
  private readonly total: number;
  private readonly raycaster = new Raycaster();
  private readonly accent = new Color();
  private selected = -1;
  private triangles: Uint32Array | null = null;
  private shown = false;

  constructor(private readonly scene: SceneMessage) {
    let total = 0;
    for (const count of scene.surfaces.vertices) {
      this.first.push(total);
      total += count;
    }
    this.total = total;
    this.positions = attribute(total);
    this.normals = attribute(total);
    this.colours = attribute(total);
    this.geometry.setAttribute("position", this.positions);
    this.geometry.setAttribute("normal", this.normals);
    this.geometry.setAttribute("color", this.colours);
    this.pins.setAttribute("position", attribute(total));
    this.pins.setDrawRange(0, 0);
    const material = new MeshStandardMaterial({ roughness: 0.9, side: DoubleSide, shadowSide: DoubleSide, vertexColors: true });
    material.onBeforeCompile = (shader) => {
      shader.fragmentShader = shader.fragmentShader.replace("#include <color_fragment>", BACK);
    };
    this.mesh_ = new Mesh(this.geometry, material);
    this.mesh_.castShadow = this.mesh_.receiveShadow = true;
    this.mesh_.visible = false;
    const pins = new Points(this.pins, this.pinMaterial);
    this.mesh_.frustumCulled = pins.frustumCulled = false;
    this.object.add(this.mesh_);
    this.overlay.add(pins);
    this.colour();
  }

  // The triangles of all sheets, once.
  surfaces(triangles: Uint32Array): void {
    this.triangles = triangles;
    this.geometry.setIndex(new BufferAttribute(triangles, 1));
    if (this.shown) this.smooth();
    this.mesh_.visible = this.shown;
  }

  frame(frame: Frame): void {
    const data = frame.sections.get("VERT");
    if (!data || data.byteLength !== 12 * this.total) return;
    (this.positions.array as Float32Array).set(new Float32Array(data.buffer, data.byteOffset, 3 * this.total));
    this.positions.needsUpdate = true;
    this.geometry.boundingSphere = null; // of the last frame; made again when something is picked
    this.shown = true;
    this.mesh_.visible = this.triangles !== null;
    this.smooth();
    this.mark(frame.sections.get("PINS"));
  }

  // (1)
  private smooth(): void {
    if (!this.triangles) return;
    const x = this.positions.array as Float32Array;
    const n = this.normals.array as Float32Array;
    n.fill(0);
    for (let t = 0; t < this.triangles.length; t += 3) {
      const [a, b, c] = [3 * this.triangles[t], 3 * this.triangles[t + 1], 3 * this.triangles[t + 2]];
      const [ux, uy, uz] = [x[b] - x[a], x[b + 1] - x[a + 1], x[b + 2] - x[a + 2]];
      const [vx, vy, vz] = [x[c] - x[a], x[c + 1] - x[a + 1], x[c + 2] - x[a + 2]];
      const [nx, ny, nz] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
      for (const k of [a, b, c]) {
        n[k] += nx;
        n[k + 1] += ny;
        n[k + 2] += nz;
      }
    }
    for (let k = 0; k < n.length; k += 3) {
      const length = Math.hypot(n[k], n[k + 1], n[k + 2]) || 1;
      n[k] /= length;
      n[k + 1] /= length;
      n[k + 2] /= length;
    }
    this.normals.needsUpdate = true;
  }

  private mark(data: DataView | undefined): void {
    const places = this.pins.getAttribute("position") as BufferAttribute;
    const count = data ? data.byteLength / 4 : 0;
    this.held.clear();
    for (let i = 0; i < count; ++i) {
      const vertex = data!.getUint32(4 * i, true);
      this.held.add(vertex);
      places.setXYZ(i, this.positions.getX(vertex), this.positions.getY(vertex), this.positions.getZ(vertex));
    }
    places.needsUpdate = true;
    this.pins.setDrawRange(0, count);
  }

  private colour(): void {
    const family = families(this.scene.sheets);
    this.scene.surfaces.vertices.forEach((count, sheet) => {
      const colour = sheetColour(this.scene.materials, this.scene.sheets[sheet]?.material ?? 0, family[sheet] ?? 0);
      if (sheet === this.selected) colour.lerp(this.accent, 0.55);
      for (let k = 0; k < count; ++k) this.colours.setXYZ(this.first[sheet] + k, colour.r, colour.g, colour.b);
    });
    this.colours.needsUpdate = true;
  }

  theme(theme: Theme): void {
    this.accent.set(theme.accent);
    this.pinMaterial.color.set(theme.text);
    this.colour();
  }

  select(kind: Kind | null, index: number): void {
    this.selected = kind === "sheet" ? index : -1;
    this.colour();
  }

  bounds(frame: Frame, box: Box3): void {
    const data = frame.sections.get("VERT");
    if (!data) return;
    const x = new Float32Array(data.buffer, data.byteOffset, data.byteLength / 4);
    const point = new Vector3();
    for (let k = 0; k + 2 < x.length; k += 3) box.expandByPoint(point.fromArray(x, k));
  }

  // The vertex nearest to where the ray meets a triangle; one that is held, or at a border, also some pixels beside it.
  pick({ ray, pixel }: PickContext): Hit | null {
    if (!this.mesh_.visible) return null;
    this.raycaster.ray.copy(ray);
    const [found] = this.raycaster.intersectObject(this.mesh_, false);
    const far = found ? found.distance : Infinity;
    const beside = (vertices: Iterable<number>, pixels: number): number => {
      let best = -1;
      let least = pixels * pixel;
      for (const vertex of vertices) {
        const depth = corner.fromBufferAttribute(this.positions, vertex).distanceTo(ray.origin);
        const apart = Math.sqrt(ray.distanceSqToPoint(corner)) / depth;
        if (apart < least && depth * (1 - 2 * least) < far) [best, least] = [vertex, apart];
      }
      return best;
    };
    const held = beside(this.held, 7);
    if (held >= 0) return this.hit(held, corner.fromBufferAttribute(this.positions, held).distanceTo(ray.origin));
    if (found?.face) {
      const { a, b, c } = found.face;
      const apart = (vertex: number): number => corner.fromBufferAttribute(this.positions, vertex).distanceTo(found.point);
      return this.hit([a, b, c].reduce((best, vertex) => (apart(vertex) < apart(best) ? vertex : best)), found.distance);
    }
    const near = beside(Array(this.total).keys(), 5);
    return near < 0 ? null : this.hit(near, corner.fromBufferAttribute(this.positions, near).distanceTo(ray.origin));
  }

  private hit(vertex: number, distance: number): Hit {
    let sheet = this.first.length - 1;
    while (this.first[sheet] > vertex) --sheet;
    const point = new Vector3().fromBufferAttribute(this.positions, vertex);
    return { kind: "sheet", index: sheet, distance, point, vertex: vertex - this.first[sheet] };
  }

  isHeld(sheet: number, vertex: number): boolean {
    return this.held.has(this.first[sheet] + vertex);
  }

  // Vertex k of a sheet as it is drawn now; -1 is the last.
  pointOf(sheet: number, k: number): Vector3 | null {
    const count = this.scene.surfaces.vertices[sheet];
    if (!this.shown || count === undefined) return null;
    return new Vector3().fromBufferAttribute(this.positions, this.first[sheet] + (k < 0 ? count + k : k));
  }
}

const corner = new Vector3();

function attribute(count: number): BufferAttribute {
  return new BufferAttribute(new Float32Array(3 * count), 3).setUsage(DynamicDrawUsage);
}
