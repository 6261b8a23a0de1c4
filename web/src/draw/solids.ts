// Bodies and obstacles: one instanced mesh for each kind of shape; a capsule is an open tube and two spheres.
import {
  Box3,
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  Color,
  CylinderGeometry,
  DynamicDrawUsage,
  EdgesGeometry,
  InstancedBufferGeometry,
  InstancedMesh,
  LineSegments,
  Matrix4,
  MeshStandardMaterial,
  Object3D,
  Quaternion,
  Raycaster,
  ShaderMaterial,
  SphereGeometry,
  Vector3,
} from "three";
import type { Frame, Kind, MeshData, Part, SceneMessage } from "../protocol";
import type { Theme } from "../theme";
import type { Drawable, Hit, PickContext } from "./drawable";
import { bodyColour, families, obstacleColour } from "./palette";

// One instance: which part it belongs to and how the unit shape is placed in the part's axes.
interface Piece {
  part: Part;
  inPart: Matrix4;
}

interface Group {
  mesh: InstancedMesh;
  pieces: Piece[];
}

// Round things show that they roll: every second octant is a little darker.
const OCTANTS = /* glsl */ `
{
  vec3 blur = fwidth(vLocal) + 1e-4;
  vec3 side = clamp(vLocal / blur, -1.0, 1.0);
  diffuseColor.rgb *= 0.92 + 0.08 * side.x * side.y * side.z;
}
`;

// Edges of a box are a little darker, as wide as a pixel or two.
const EDGES = /* glsl */ `
{
  vec3 inside = (0.5 - abs(vLocal)) / (fwidth(vLocal) + 1e-6);
  float lowest = min(inside.x, min(inside.y, inside.z));
  float middle = max(min(inside.x, inside.y), min(max(inside.x, inside.y), inside.z));
  diffuseColor.rgb *= lowest < 1e3 ? mix(0.72, 1.0, smoothstep(0.3, 1.6, middle)) : 1.0;
}
`;

const EDGED = 500; // triangles: more than that is a smooth thing
const EDGE_VERTEX = /* glsl */ `
attribute mat4 placed;
void main() {
  gl_Position = projectionMatrix * viewMatrix * placed * vec4(position, 1.0);
}
`;
const EDGE_FRAGMENT = "void main() { gl_FragColor = vec4(0.0, 0.0, 0.0, 0.3); }";

// A material whose colour is changed by a piece of GLSL that knows `vLocal`, the place in the shape's own axes.
function localMaterial(roughness: number, glsl: string): MeshStandardMaterial {
  const material = new MeshStandardMaterial({ roughness });
  material.customProgramCacheKey = () => glsl; // otherwise programs are told apart by the text of the function below alone
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec3 vLocal;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nvLocal = position;");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", "#include <common>\nvarying vec3 vLocal;")
      .replace("#include <color_fragment>", "#include <color_fragment>\n" + glsl);
  };
  return material;
}

export function poseMatrix(pose: ArrayLike<number>, at: number, out: Matrix4): Matrix4 {
  position.set(pose[at], pose[at + 1], pose[at + 2]);
  rotation.set(pose[at + 4], pose[at + 5], pose[at + 6], pose[at + 3]);
  return out.compose(position, rotation, ONE);
}

const ONE = new Vector3(1, 1, 1);
const position = new Vector3();
const rotation = new Quaternion();

export class Solids implements Drawable {
  readonly object = new Object3D();
  private readonly groups: Group[] = [];
  private readonly rounds: { mesh: InstancedMesh; fine: BufferGeometry; rough: BufferGeometry }[] = [];
  private readonly families: number[];
  private readonly waiting = new Map<number, Piece[]>(); // pieces whose mesh has not come yet
  private readonly accent = new Color();
  private selected: { kind: Kind | null; index: number } = { kind: null, index: -1 };
  private shown: Frame | null = null;
  private readonly raycaster = new Raycaster();

  constructor(private readonly scene: SceneMessage) {
    this.families = families(scene.bodies);
    const lists = { sphere: [] as Piece[], box: [] as Piece[], cylinder: [] as Piece[], tube: [] as Piece[] };
    for (const part of scene.parts) this.sort(part, lists);
    const many = scene.parts.length > 2000;
    this.add(new BoxGeometry(1, 1, 1), localMaterial(0.85, EDGES), lists.box);
    const sphere = (fine: boolean): BufferGeometry => new SphereGeometry(1, fine ? 40 : 16, fine ? 24 : 10).rotateX(Math.PI / 2);
    const cylinder = (open: boolean) => (fine: boolean) => new CylinderGeometry(1, 1, 1, fine ? 48 : 16, 1, open).rotateX(Math.PI / 2);
    const round: [(fine: boolean) => BufferGeometry, Piece[]][] = [
      [sphere, lists.sphere],
      [cylinder(false), lists.cylinder],
      [cylinder(true), lists.tube],
    ];
    for (const [shape, pieces] of round) {
      const group = this.add(shape(!many), localMaterial(0.75, OCTANTS), pieces);
      if (group && !many) this.rounds.push({ mesh: group.mesh, fine: group.mesh.geometry, rough: shape(false) });
    }
  }

  private sort(part: Part, lists: { sphere: Piece[]; box: Piece[]; cylinder: Piece[]; tube: Piece[] }): void {
    const r = part.radius ?? 0;
    const length = part.length ?? 0;
    const scaled = (x: number, y: number, z: number): Matrix4 => new Matrix4().makeScale(x, y, z);
    if (part.kind === "sphere") lists.sphere.push({ part, inPart: scaled(r, r, r) });
    else if (part.kind === "box" && part.size) lists.box.push({ part, inPart: scaled(...part.size) });
    else if (part.kind === "cylinder") lists.cylinder.push({ part, inPart: scaled(r, r, length) });
    else if (part.kind === "capsule") {
      lists.tube.push({ part, inPart: scaled(r, r, length) });
      for (const z of [-0.5, 0.5]) lists.sphere.push({ part, inPart: scaled(r, r, r).setPosition(0, 0, z * length) });
    } else if (part.kind === "mesh" && part.mesh !== undefined) {
      const list = this.waiting.get(part.mesh) ?? [];
      list.push({ part, inPart: new Matrix4() });
      this.waiting.set(part.mesh, list);
    }
  }

  private add(geometry: BufferGeometry, material: MeshStandardMaterial, pieces: Piece[]): Group | null {
    if (pieces.length === 0) return null;
    const mesh = new InstancedMesh(geometry, material, pieces.length);
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    mesh.frustumCulled = false;
    mesh.castShadow = true;
    mesh.receiveShadow = true;
    mesh.visible = false;
    const group = { mesh, pieces };
    this.groups.push(group);
    this.object.add(mesh);
    this.colour(group);
    if (this.shown) this.place(group, this.shown);
    return group;
  }

  coarse(level: number): void {
    for (const { mesh, fine, rough } of this.rounds) mesh.geometry = level > 1 ? rough : fine;
  }

  private colour({ mesh, pieces }: Group): void {
    pieces.forEach(({ part }, i) => {
      const things = part.obstacle ? this.scene.obstacles : this.scene.bodies;
      const colour = part.obstacle
        ? obstacleColour(this.scene.materials, things[part.owner]?.material ?? 0, part.owner)
        : bodyColour(this.scene.materials, things[part.owner]?.material ?? 0, part.owner, this.families[part.owner]);
      const kind = part.obstacle ? "obstacle" : "body";
      if (this.selected.kind === kind && this.selected.index === part.owner) colour.lerp(this.accent, 0.55);
      mesh.setColorAt(i, colour);
    });
    if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
  }

  mesh(data: MeshData): void {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(data.points, 3));
    geometry.setAttribute("normal", new BufferAttribute(data.normals, 3));
    geometry.setIndex(new BufferAttribute(data.triangles, 1));
    const pieces = this.waiting.get(data.number) ?? [];
    this.waiting.delete(data.number);
    const material = new MeshStandardMaterial({ roughness: 0.8, polygonOffset: true, polygonOffsetFactor: 1 });
    this.add(geometry, material, pieces);
    if (pieces.length > 0 && data.triangles.length <= 3 * EDGED) this.addEdges(geometry, this.groups[this.groups.length - 1]);
  }

  // Thin lines along the sharp edges of a simple mesh, so that one stone can be told from the next.
  private addEdges(geometry: BufferGeometry, { mesh, pieces }: Group): void {
    const edges = new InstancedBufferGeometry();
    edges.setAttribute("position", new EdgesGeometry(geometry, 20).getAttribute("position"));
    edges.setAttribute("placed", mesh.instanceMatrix);
    edges.instanceCount = pieces.length;
    const lines = new LineSegments(edges, new ShaderMaterial({ vertexShader: EDGE_VERTEX, fragmentShader: EDGE_FRAGMENT, transparent: true }));
    lines.frustumCulled = false;
    mesh.add(lines);
  }

  frame(frame: Frame): void {
    this.shown = frame;
    for (const group of this.groups) this.place(group, frame);
  }

  private place({ mesh, pieces }: Group, frame: Frame): void {
    pieces.forEach(({ part, inPart }, i) => {
      poseMatrix(part.obstacle ? frame.obstacles : frame.bodies, 7 * part.owner, owner);
      poseMatrix(part.pose, 0, inOwner);
      mesh.setMatrixAt(i, owner.multiply(inOwner).multiply(inPart));
    });
    mesh.instanceMatrix.needsUpdate = true;
    mesh.boundingSphere = null; // of the last frame; made again when something is picked
    mesh.visible = true;
  }

  theme(theme: Theme): void {
    this.accent.set(theme.accent);
    for (const group of this.groups) this.colour(group);
  }

  select(kind: Kind | null, index: number): void {
    this.selected = { kind, index };
    for (const group of this.groups) this.colour(group);
  }

  bounds(frame: Frame, box: Box3): void {
    const matrix = new Matrix4();
    const local = new Box3();
    for (const { mesh, pieces } of this.groups) {
      if (!mesh.geometry.boundingBox) mesh.geometry.computeBoundingBox();
      pieces.forEach(({ part, inPart }) => {
        poseMatrix(part.obstacle ? frame.obstacles : frame.bodies, 7 * part.owner, matrix);
        matrix.multiply(poseMatrix(part.pose, 0, inOwner)).multiply(inPart);
        box.union(local.copy(mesh.geometry.boundingBox!).applyMatrix4(matrix));
      });
    }
  }

  pick({ ray }: PickContext): Hit | null {
    if (!this.shown) return null;
    this.raycaster.ray.copy(ray);
    let best: Hit | null = null;
    for (const { mesh, pieces } of this.groups) {
      for (const found of this.raycaster.intersectObject(mesh, false)) {
        if (found.instanceId === undefined || (best && best.distance <= found.distance)) continue;
        const { part } = pieces[found.instanceId];
        poseMatrix(part.obstacle ? this.shown.obstacles : this.shown.bodies, 7 * part.owner, owner);
        best = {
          kind: part.obstacle ? "obstacle" : "body",
          index: part.owner,
          distance: found.distance,
          point: found.point.clone(),
          local: found.point.clone().applyMatrix4(owner.invert()),
        };
      }
    }
    return best;
  }
}

const owner = new Matrix4();
const inOwner = new Matrix4();
