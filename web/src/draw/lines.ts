// Fibres as smooth tubes. The points of a frame go to the graphics card as they come; the tube is built there.
//
// One instance is one segment. Its four points P(i-1) P(i) P(i+1) P(i+2) are four attributes of one buffer, each shifted
// by a point, so that a frame is one copy and one upload. Between the points runs the Catmull-Rom curve
//   x(t) = P1 + t/2 ((P2 - P0) + t ((2 P0 - 5 P1 + 4 P2 - P3) + t (3 P1 - P0 - 3 P2 + P3)))                         (1)
// with P0, P3 mirrored at the ends of a line. The section is turned by the material axis of the frame, along which a stripe
// is drawn; where axes are not sent (very many fibres) it faces the eye. A tube is never thinner than a pixel.
import {
  Box3,
  Color,
  DynamicDrawUsage,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  InstancedInterleavedBuffer,
  InterleavedBufferAttribute,
  BufferAttribute,
  Mesh,
  MeshDepthMaterial,
  MeshStandardMaterial,
  Object3D,
  Ray,
  Vector3,
  WebGLProgramParametersWithUniforms,
} from "three";
import type { Frame, Kind, SceneMessage } from "../protocol";
import type { Theme } from "../theme";
import type { Drawable, Hit, PickContext, ViewSize } from "./drawable";
import { families, fibreColour } from "./palette";
import { Ribbons } from "./ribbons";

const TENSION_COLOUR = /* glsl */ `
// pulled: towards red; pushed: towards blue
vec3 tensionColour(float x) {
  vec3 end = x > 0.0 ? vec3(0.62, 0.04, 0.05) : vec3(0.04, 0.13, 0.55);
  return mix(vec3(0.62, 0.6, 0.55), end, clamp(abs(x), 0.0, 1.0));
}
`;

// The picked fibre is drawn in front of all others, so one hair can be seen among thousands.
const IN_FRONT = "if (abs(info.y - selected) < 0.5) gl_Position.z = mix(gl_Position.z, -gl_Position.w, 0.98);";

const TUBE = TENSION_COLOUR + /* glsl */ `
attribute float cap;
attribute vec3 p0, p1, p2, p3;
attribute vec4 m1, m2;
attribute vec4 info;  // radius, number of the fibre, 1: first segment of its line, 2: last, 4: between two lines; radius at its end
attribute vec3 tint;
attribute float f1, f2;  // tension
uniform float pixel, axes, strongest, selected;
varying vec2 vSection;
varying float vPixels, vFibre;
varying vec3 vTint;

void tube(out vec3 place, out vec3 outward) {
  float flags = info.z, t = position.x;
  bool gap = flags > 3.5;
  bool first = !gap && mod(flags, 2.0) > 0.5, last = !gap && flags > 1.5;
  vec3 a = first ? 2.0 * p1 - p2 : p0, d = last ? 2.0 * p2 - p1 : p3;
  vec3 c1 = p2 - a, c2 = 2.0 * a - 5.0 * p1 + 4.0 * p2 - d, c3 = 3.0 * p1 - a - 3.0 * p2 + d;
  place = p1 + 0.5 * t * (c1 + t * (c2 + t * c3));
  vec3 tangent = normalize(c1 + t * (2.0 * c2 + 3.0 * t * c3) + 1e-20);
  vec3 toEye = cameraPosition - place;
  vec3 e1 = axes > 0.5 ? mix(m1.xyz, m2.xyz, t) : cross(tangent, toEye);
  e1 = normalize(e1 - dot(e1, tangent) * tangent + 1e-9 * toEye);
  vec3 e2 = cross(tangent, e1);
  float size = -(modelViewMatrix * vec4(place, 1.0)).z * pixel;
  bool picked = abs(info.y - selected) < 0.5;
  float r = max(mix(info.x, info.w, t), (picked ? 1.8 : 0.6) * size);
  vPixels = r / max(size, 1e-12);
  vSection = position.yz;
  vFibre = info.y;
  vTint = strongest > 0.0 ? tensionColour(mix(f1, f2, t) / strongest) : tint;
  vec3 side = position.y * e1 + position.z * e2;
  bool open = gap || (cap < 0.0 && !first) || (cap > 0.0 && !last);  // a cap where no line ends: nothing
  outward = tangent * cap + side * sqrt(1.0 - cap * cap);
  place = gap ? p1 : open ? place : place + r * outward;
}
`;

const FRAGMENT = /* glsl */ `
uniform float selected, axes;
uniform vec3 accent;
varying vec2 vSection;
varying float vPixels, vFibre;
varying vec3 vTint;
`;

const COLOUR = /* glsl */ `
{
  float angle = abs(atan(vSection.y, vSection.x));
  float blur = fwidth(angle) + 1e-4;
  float stripe = (1.0 - smoothstep(0.42 - blur, 0.42 + blur, angle)) * smoothstep(1.5, 4.0, vPixels) * axes;
  vec3 other = dot(vTint, vec3(0.3, 0.6, 0.1)) < 0.12 ? mix(vTint, vec3(1.0), 0.45) : 0.25 * vTint;
  vec3 tinted = mix(vTint, other, stripe);
  diffuseColor.rgb = abs(vFibre - selected) < 0.5 ? mix(tinted, accent, 0.75) : tinted;
}
`;

interface Quality {
  sides: number;
  pieces: number; // of one segment
  caps: number; // rings of a rounded end
}

function qualityFor(points: number, lines: number): Quality {
  if (points <= 5000 && lines <= 20) return { sides: 16, pieces: 4, caps: 3 };
  if (points <= 30000) return { sides: 8, pieces: 2, caps: 1 };
  if (points <= 100000) return { sides: 6, pieces: 1, caps: 0 };
  return { sides: 4, pieces: 1, caps: 0 };
}

// Segments of ribbons on each level of coarse(), about.
const SEGMENTS = [Infinity, Infinity, 16000, 7000];

// Above this many points stripes are too fine to be seen, and axes are not requested.
export const AXES_LIMIT = 60000;

export class Lines implements Drawable {
  readonly object = new Object3D();
  private readonly geometry = new InstancedBufferGeometry();
  private readonly points: InstancedInterleavedBuffer;
  private readonly axes: InstancedInterleavedBuffer;
  private readonly tension: InstancedInterleavedBuffer;
  byTension = false; // fibres have the colour of their tension
  strongest = 0; // N, of the frame
  private readonly uniforms = {
    pixel: { value: 0 },
    axes: { value: 0 },
    strongest: { value: 0 },
    selected: { value: -1 },
    wide: { value: 1 },
    accent: { value: new Color() },
  };
  private readonly tubes: Mesh;
  private readonly first: Int32Array; // first point of each line
  private readonly total: number;
  private tints!: Float32Array; // three numbers for each point
  private ribbons: Ribbons | null = null; // made when they are needed
  private level = 0; // of coarse()
  private shown: Frame | null = null;

  constructor(private readonly scene: SceneMessage) {
    const { count } = scene.lines;
    this.first = new Int32Array(count.length);
    let total = 0;
    for (let i = 0; i < count.length; ++i) {
      this.first[i] = total;
      total += count[i];
    }
    this.total = total;
    // one point more before and two behind, for the shifted views
    this.points = new InstancedInterleavedBuffer(new Float32Array(3 * (total + 3)), 3);
    this.axes = new InstancedInterleavedBuffer(new Int8Array(4 * (total + 3)), 4);
    this.tension = new InstancedInterleavedBuffer(new Float32Array(total + 3), 1);
    this.tension.setUsage(DynamicDrawUsage);
    this.points.setUsage(DynamicDrawUsage);
    this.axes.setUsage(DynamicDrawUsage);
    this.buildSection(qualityFor(total, count.length));
    this.buildInstances();

    const material = new MeshStandardMaterial({ roughness: 0.7, metalness: 0 });
    material.onBeforeCompile = (shader) => this.patch(shader, true);
    const depth = new MeshDepthMaterial();
    depth.onBeforeCompile = (shader) => this.patch(shader, false);
    this.tubes = new Mesh(this.geometry, material);
    this.tubes.frustumCulled = false;
    this.tubes.customDepthMaterial = depth;
    this.tubes.castShadow = true;
    this.tubes.receiveShadow = true;
    this.tubes.visible = false;
    this.object.add(this.tubes);
  }

  private patch(shader: WebGLProgramParametersWithUniforms, lit: boolean): void {
    Object.assign(shader.uniforms, this.uniforms);
    if (!lit) shader.uniforms["pixel"] = { value: 0 }; // a shadow has the true thickness
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\n" + TUBE)
      .replace("#include <beginnormal_vertex>", lit ? "vec3 place, objectNormal;\ntube(place, objectNormal);" : "")
      .replace("#include <begin_vertex>", (lit ? "" : "vec3 place, outward;\ntube(place, outward);\n") + "vec3 transformed = place;");
    if (lit) shader.vertexShader = shader.vertexShader.replace("#include <project_vertex>", "#include <project_vertex>\n" + IN_FRONT);
    if (lit)
      shader.fragmentShader = shader.fragmentShader
        .replace("#include <common>", "#include <common>\n" + FRAGMENT)
        .replace("#include <color_fragment>", COLOUR);
  }

  // The tube of one segment: rings of `sides` points, at t = 0 … 1 and, for rounded ends, caps before and behind.
  private buildSection(quality: Quality): void {
    const rings: [number, number][] = []; // t, cap
    for (let k = quality.caps; k > 0; --k) rings.push([0, -Math.sin((0.5 * Math.PI * k) / quality.caps)]);
    for (let k = 0; k <= quality.pieces; ++k) rings.push([k / quality.pieces, 0]);
    for (let k = 1; k <= quality.caps; ++k) rings.push([1, Math.sin((0.5 * Math.PI * k) / quality.caps)]);
    const { sides } = quality;
    const positions: number[] = [];
    const caps: number[] = [];
    const triangles: number[] = [];
    rings.forEach(([t, cap], ring) => {
      for (let k = 0; k < sides; ++k) {
        const angle = (2 * Math.PI * k) / sides;
        positions.push(t, Math.cos(angle), Math.sin(angle));
        caps.push(cap);
        if (ring + 1 === rings.length) continue;
        const here = ring * sides;
        const next = (k + 1) % sides;
        triangles.push(here + k, here + next, here + sides + k, here + next, here + sides + next, here + sides + k);
      }
    });
    this.geometry.setAttribute("position", new BufferAttribute(new Float32Array(positions), 3));
    this.geometry.setAttribute("cap", new BufferAttribute(new Float32Array(caps), 1));
    this.geometry.setIndex(triangles);
  }

  private buildInstances(): void {
    const { fibre, count, radius, tip } = this.scene.lines;
    const segments = Math.max(0, this.total - 1);
    const info = new Float32Array(4 * (segments + 1));
    const tint = (this.tints = new Float32Array(3 * (segments + 1)));
    const family = families(this.scene.fibres);
    for (let line = 0; line < count.length; ++line) {
      const number = this.scene.fibres[fibre[line]]?.material ?? 0;
      const colour = fibreColour(this.scene.materials, number, fibre[line], family[fibre[line]] ?? 0, count.length > 20);
      for (let k = 0; k < count[line]; ++k) {
        const at = 3 * (this.first[line] + k);
        const flags = k === count[line] - 1 ? 4 : (k === 0 ? 1 : 0) + (k === count[line] - 2 ? 2 : 0);
        const there = (j: number): number => radius[line] + ((tip[line] - radius[line]) * j) / (count[line] - 1);
        info.set([there(k), fibre[line], flags, there(k + 1)], 4 * (this.first[line] + k));
        colour.toArray(tint, at);
      }
    }
    for (let k = 0; k < 4; ++k) this.geometry.setAttribute("p" + k, new InterleavedBufferAttribute(this.points, 3, 3 * k));
    this.geometry.setAttribute("m1", new InterleavedBufferAttribute(this.axes, 4, 4, true));
    this.geometry.setAttribute("m2", new InterleavedBufferAttribute(this.axes, 4, 8, true));
    this.geometry.setAttribute("f1", new InterleavedBufferAttribute(this.tension, 1, 1));
    this.geometry.setAttribute("f2", new InterleavedBufferAttribute(this.tension, 1, 2));
    this.geometry.setAttribute("info", new InstancedBufferAttribute(info, 4));
    this.geometry.setAttribute("tint", new InstancedBufferAttribute(tint, 3));
    this.geometry.instanceCount = segments;
  }

  frame(frame: Frame): void {
    if (frame.pointCount !== this.total) return;
    this.shown = frame;
    (this.points.array as Float32Array).set(frame.points, 3);
    this.points.needsUpdate = true;
    this.uniforms.axes.value = frame.axes ? 1 : 0;
    if (frame.axes) {
      (this.axes.array as Int8Array).set(frame.axes, 4);
      this.axes.needsUpdate = true;
    }
    this.showTension(frame);
    this.showRibbons();
  }

  // The scale is that of the frame: grey is no tension, full colour the strongest.
  private showTension({ tension }: Frame): void {
    this.strongest = 0;
    if (this.byTension && tension) {
      const array = this.tension.array as Float32Array;
      tension.forEach((force, i) => {
        array[i + 1] = Number.isFinite(force) ? force : 0;
        this.strongest = Math.max(this.strongest, Math.abs(array[i + 1]));
      });
      this.tension.needsUpdate = true;
    }
    this.uniforms.strongest.value = this.strongest;
  }

  view(view: ViewSize): void {
    this.uniforms.pixel.value = view.pixel;
  }

  theme(theme: Theme): void {
    this.uniforms.accent.value.set(theme.accent);
  }

  bounds(frame: Frame, box: Box3): void {
    const point = new Vector3();
    for (let i = 0; i < frame.pointCount; ++i) box.expandByPoint(point.fromArray(frame.points, 3 * i));
  }

  coarse(level: number): void {
    if (level > 0 && !this.ribbons) {
      this.ribbons = new Ribbons(this.scene, this.total, { uniforms: this.uniforms, tensionColour: TENSION_COLOUR, inFront: IN_FRONT, tints: this.tints });
      this.object.add(this.ribbons.mesh);
    }
    this.level = level;
    this.ribbons?.thin(SEGMENTS[level], this.uniforms.selected.value);
    this.showRibbons();
  }

  private showRibbons(): void {
    const on = this.level > 0 && this.shown !== null;
    if (this.ribbons) this.ribbons.mesh.visible = on;
    this.tubes.visible = !on && this.shown !== null;
    if (on) this.ribbons!.show(this.shown!.points, (this.tension.array as Float32Array).subarray(1));
  }

  select(kind: Kind | null, index: number): void {
    this.uniforms.selected.value = kind === "fibre" ? index : -1;
    this.ribbons?.thin(SEGMENTS[this.level], this.uniforms.selected.value);
  }

  // The ray passes a stretch of segments within their radius or some pixels: where it passes closest is meant, of the stretch
  // that is nearest to the eye.
  pick({ ray, pixel }: PickContext): Hit | null {
    const frame = this.shown;
    if (!frame) return null;
    const { fibre } = this.scene.lines;
    let best: Hit | null = null;
    let s = 0;
    for (let line = 0; line < this.first.length; ++line) {
      const radius = Math.max(this.scene.lines.radius[line], this.scene.lines.tip[line]);
      let stretch: { hit: Hit; apart: number } | null = null;
      if (line === 0 || fibre[line] !== fibre[line - 1]) s = 0; // the branches of a tree go on where the one before ended
      for (let k = 0; k + 1 < this.scene.lines.count[line]; ++k) {
        A.fromArray(frame.points, 3 * (this.first[line] + k));
        B.fromArray(frame.points, 3 * (this.first[line] + k + 1));
        const length = A.distanceTo(B);
        const near = nearest(ray, A, B);
        const reach = Math.max(radius, 5 * pixel * near.depth);
        if (near.depth > 0 && near.apart <= reach) {
          if (!stretch || near.apart < stretch.apart) {
            const point = A.clone().lerp(B, near.at);
            const hit: Hit = { kind: "fibre", index: fibre[line], distance: near.depth, point, s: s + near.at * length };
            stretch = { hit, apart: near.apart };
          }
        } else if (stretch) {
          best = nearer(best, stretch.hit);
          stretch = null;
        }
        s += length;
      }
      if (stretch) best = nearer(best, stretch.hit);
    }
    return best;
  }

  // Point k of a line as it is drawn now; -1 is the last.
  pointOf(line: number, k: number): Vector3 | null {
    if (!this.shown || line < 0 || line >= this.first.length) return null;
    const count = this.scene.lines.count[line];
    return new Vector3().fromArray(this.shown.points, 3 * (this.first[line] + (k < 0 ? count + k : k)));
  }

  // Second axis of the section there; null where axes are not sent.
  axisOf(line: number, k: number): number[] | null {
    if (!this.shown?.axes || line < 0 || line >= this.first.length) return null;
    const at = 4 * (this.first[line] + (k < 0 ? this.scene.lines.count[line] + k : k));
    return Array.from(this.shown.axes.subarray(at, at + 3), (x) => x / 127);
  }
}

const A = new Vector3();
const B = new Vector3();
const onRay = new Vector3();
const onSegment = new Vector3();

function nearer(a: Hit | null, b: Hit): Hit {
  return a && a.distance <= b.distance ? a : b;
}

function nearest(ray: Ray, a: Vector3, b: Vector3): { apart: number; depth: number; at: number } {
  const apart = Math.sqrt(ray.distanceSqToSegment(a, b, onRay, onSegment));
  const length = a.distanceTo(b);
  return { apart, depth: onRay.distanceTo(ray.origin), at: length > 0 ? onSegment.distanceTo(a) / length : 0 };
}
