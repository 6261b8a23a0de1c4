// Fibres where the processor draws: flat ribbons that face the eye, shaded as if they were round. Software renderers pay for each instance and
// each vertex of the tubes of lines.ts; here a point of a line is two vertices of one mesh, and its neighbours are the same buffer, shifted:
//   place = x_i ± r e,   e = (x_{i+1} - x_{i-1}) × (eye - x_i), made unit                                            (1)
import {
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  DynamicDrawUsage,
  InterleavedBuffer,
  InterleavedBufferAttribute,
  Mesh,
  MeshDepthMaterial,
  MeshLambertMaterial,
  Sphere,
  WebGLProgramParametersWithUniforms,
} from "three";
import type { SceneMessage } from "../protocol";

const RIBBON = /* glsl */ `
attribute vec3 before, after;
attribute vec4 info;  // side -1 or 1, number of the fibre, 1: first point of its line, 2: last, radius
attribute vec3 tint;
attribute float force;
uniform float pixel, strongest, selected, wide;  // wide: number of lines that this one represents
varying float vFibre;
varying vec3 vTint;

void ribbon(out vec3 place, out vec3 outward) {
  vec3 along = (info.z > 1.5 ? position : after) - (mod(info.z, 2.0) > 0.5 ? position : before);
  vec3 toEye = normalize(cameraPosition - position);
  vec3 e = normalize(cross(along, toEye) + 1e-20);
  float size = -(modelViewMatrix * vec4(position, 1.0)).z * pixel;
  bool picked = abs(info.y - selected) < 0.5;
  place = position + info.x * max(info.w * (picked ? 1.0 : wide), (picked ? 1.8 : 0.6) * size) * e;
  outward = 0.8 * info.x * e + 0.6 * toEye;
  vFibre = info.y;
  vTint = strongest > 0.0 ? tensionColour(force / strongest) : tint;
}
`;

const FEWEST = 4; // segments of a line

const FRAGMENT = /* glsl */ `
uniform float selected;
uniform vec3 accent;
varying float vFibre;
varying vec3 vTint;
`;

const COLOUR = "diffuseColor.rgb = abs(vFibre - selected) < 0.5 ? mix(vTint, accent, 0.75) : vTint;";

// Shared by ribbons and tubes.
export interface LineLook {
  uniforms: Record<string, { value: unknown }> & { wide: { value: number } };
  tensionColour: string; // GLSL
  inFront: string; // GLSL: the picked fibre is drawn in front of all others
  tints: Float32Array; // three numbers for each point
}

export class Ribbons {
  readonly mesh: Mesh;
  private readonly geometry = new BufferGeometry();
  private readonly points: InterleavedBuffer;
  private readonly force: BufferAttribute;

  constructor(private readonly scene: SceneMessage, private readonly total: number, private readonly look: LineLook) {
    this.points = new InterleavedBuffer(new Float32Array(6 * (total + 2)), 3); // a point more at both ends
    this.points.setUsage(DynamicDrawUsage);
    this.force = new BufferAttribute(new Float32Array(2 * total), 1).setUsage(DynamicDrawUsage);
    for (const [k, name] of ["before", "position", "after"].entries()) this.geometry.setAttribute(name, new InterleavedBufferAttribute(this.points, 3, 6 * k));
    this.geometry.setAttribute("force", this.force);
    this.fill(look.tints);
    this.thin(Infinity, -1);

    const material = new MeshLambertMaterial({ shadowSide: DoubleSide });
    const depth = new MeshDepthMaterial();
    material.onBeforeCompile = (shader) => patch(shader, look, true);
    depth.onBeforeCompile = (shader) => patch(shader, look, false);
    this.mesh = new Mesh(this.geometry, material);
    this.mesh.frustumCulled = false;
    this.geometry.boundingSphere = new Sphere(); // not asked of the points: those of removed fibres are no numbers
    this.mesh.customDepthMaterial = depth;
    this.mesh.castShadow = true;
    this.mesh.receiveShadow = true;
  }

  private fill(tints: Float32Array): void {
    const { fibre, count, radius, tip } = this.scene.lines;
    const info = new Float32Array(8 * this.total);
    const tint = new Float32Array(6 * this.total);
    for (let line = 0, at = 0; line < count.length; ++line)
      for (let k = 0; k < count[line]; ++k, ++at) {
        const flags = (k === 0 ? 1 : 0) + (k === count[line] - 1 ? 2 : 0);
        const r = radius[line] + ((tip[line] - radius[line]) * k) / Math.max(1, count[line] - 1);
        info.set([-1, fibre[line], flags, r, 1, fibre[line], flags, r], 8 * at);
        for (const k of [0, 3]) tint.set(tints.subarray(3 * at, 3 * at + 3), 6 * at + k);
      }
    this.geometry.setAttribute("info", new BufferAttribute(info, 4));
    this.geometry.setAttribute("tint", new BufferAttribute(tint, 3));
  }

  // About so many segments: longer ones, at least FEWEST for a line, and where these are too many, fewer and wider lines. The picked fibre stays.
  thin(most: number, picked: number): void {
    const { count, fibre } = this.scene.lines;
    const stride = Math.max(1, Math.ceil(this.total / most));
    const strideOf = (points: number): number => Math.max(1, Math.min(stride, Math.floor((points - 1) / FEWEST)));
    const segments = count.reduce((sum, points) => sum + (points - 1) / strideOf(points), 0);
    const share = Math.max(1, Math.ceil(segments / most));
    this.look.uniforms.wide.value = share;
    const triangles: number[] = [];
    let first = 0;
    for (let line = 0; line < count.length; first += count[line++]) {
      if (line % share !== 0 && fibre[line] !== picked) continue;
      const last = first + count[line] - 1;
      for (let k = first, next; k < last; k = next) {
        next = Math.min(k + strideOf(count[line]), last);
        triangles.push(2 * k, 2 * k + 1, 2 * next, 2 * next, 2 * k + 1, 2 * next + 1);
      }
    }
    this.geometry.setIndex(triangles);
  }

  show(points: Float32Array, tension: Float32Array): void {
    const array = this.points.array as Float32Array;
    for (let i = 0, at = 6; i < 3 * this.total; i += 3, at += 6)
      for (let c = 0; c < 3; ++c) array[at + c] = array[at + c + 3] = points[i + c];
    this.points.needsUpdate = true;
    const force = this.force.array as Float32Array;
    for (let i = 0; i < this.total; ++i) force[2 * i] = force[2 * i + 1] = tension[i];
    this.force.needsUpdate = true;
  }
}

function patch(shader: WebGLProgramParametersWithUniforms, look: LineLook, lit: boolean): void {
  Object.assign(shader.uniforms, look.uniforms);
  if (!lit) shader.uniforms["pixel"] = { value: 0 }; // a shadow has the true thickness
  shader.vertexShader = shader.vertexShader
    .replace("#include <common>", "#include <common>\n" + look.tensionColour + RIBBON)
    .replace("#include <beginnormal_vertex>", lit ? "vec3 place, objectNormal;\nribbon(place, objectNormal);" : "")
    .replace("#include <begin_vertex>", (lit ? "" : "vec3 place, outward;\nribbon(place, outward);\n") + "vec3 transformed = place;");
  if (!lit) return;
  shader.vertexShader = shader.vertexShader.replace("#include <project_vertex>", "#include <project_vertex>\n" + look.inFront);
  shader.fragmentShader = shader.fragmentShader
    .replace("#include <common>", "#include <common>\n" + FRAGMENT)
    .replace("#include <color_fragment>", COLOUR);
}
