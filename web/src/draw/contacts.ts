// Contacts: a pair of arrows for each, the impulse on the one and the opposite one on the other; if one of the two is picked, only the one
// on it. Coloured by status, with a dot where there is no impulse; all drawn over the objects, since contacts lie between them. The arrows are built on the graphics card from the bytes of the
// frame. The line of thrust (thrust.ts) and the friction cone of one contact are drawn with them:
//   K = { r : (r_1 / mu)^2 + (r_2 / mu_across)^2 <= r_N^2, r_N >= 0 }                                               (1)
import {
  BufferAttribute,
  Color,
  ConeGeometry,
  DoubleSide,
  DynamicDrawUsage,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  InstancedInterleavedBuffer,
  InterleavedBufferAttribute,
  LineLoop,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  LineBasicMaterial,
  BufferGeometry,
  Object3D,
  ShaderMaterial,
  Vector3,
} from "three";
import { CONTACT_FLOATS, CONTACT_STATUS, Contact, Frame, Kind, KINDS } from "../protocol";
import type { Theme } from "../theme";
import type { Drawable, ViewSize } from "./drawable";
import { Thrust } from "./thrust";

const VERTEX = /* glsl */ `
attribute vec3 point, normal1, tangent1, impulse;
attribute float status;
attribute vec2 shown;  // whether the arrow on a is drawn, and the one on b
uniform float pixel, scale, thick, sign;
uniform vec3 stick, slide, takeoff;
varying vec3 vColour;
varying vec3 vNormal;

// position: x, y across in pixels; z: 0 at the tail, 1 where the head begins, 2 at the tip
void main() {
  vec3 r = sign * (impulse.x * normal1 + impulse.y * tangent1 + impulse.z * cross(normal1, tangent1));
  float size = length(r), span = scale * size * (sign > 0.0 ? shown.x : shown.y);
  vec3 along = size > 0.0 ? r / size : normal1;
  vec3 side = normalize(cross(along, abs(along.z) < 0.9 ? vec3(0.0, 0.0, 1.0) : vec3(1.0, 0.0, 0.0)));
  float unit = -(modelViewMatrix * vec4(point, 1.0)).z * pixel * thick;
  float head = min(9.0 * unit, 0.6 * span);
  float thin = min(1.0, span / (6.0 * unit));
  float z = position.z < 0.5 ? 0.0 : position.z < 1.5 ? span - head : span;
  vec3 across = position.x * side + position.y * cross(along, side);
  vec3 place = point + along * z + across * unit * thin;
  vNormal = normalize(normalMatrix * across + 1e-9);
  vColour = status < 0.5 ? takeoff : status < 1.5 ? stick : slide;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(place, 1.0);
}
`;

const DOT_VERTEX = /* glsl */ `
attribute vec3 point;
attribute float status;
attribute vec2 shown;
uniform float pixel, thick;
uniform vec3 stick, slide, takeoff;
varying vec3 vColour;
varying vec3 vNormal;
void main() {
  float unit = -(modelViewMatrix * vec4(point, 1.0)).z * pixel * thick;
  vNormal = normalize(normalMatrix * position);
  vColour = status < 0.5 ? takeoff : status < 1.5 ? stick : slide;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(point + 2.8 * unit * max(shown.x, shown.y) * position, 1.0);
}
`;

const FRAGMENT = /* glsl */ `
varying vec3 vColour;
varying vec3 vNormal;
void main() {
  gl_FragColor = vec4(vColour * (0.78 + 0.22 * max(0.0, normalize(vNormal).y * 0.5 + normalize(vNormal).z * 0.5)), 1.0);
  #include <colorspace_fragment>
}
`;

function arrowGeometry(): InstancedBufferGeometry {
  const sides = 6;
  const at: number[] = [];
  const triangles: number[] = [];
  const rings: [number, number][] = [[0.9, 0], [0.9, 1], [3.2, 1], [0, 2]]; // radius in pixels, place
  rings.forEach(([radius, z], ring) => {
    for (let k = 0; k < sides; ++k) {
      const angle = (2 * Math.PI * k) / sides;
      at.push(radius * Math.cos(angle), radius * Math.sin(angle), z);
      if (ring === 3) continue;
      const here = ring * sides;
      const next = (k + 1) % sides;
      triangles.push(here + k, here + next, here + sides + k, here + next, here + sides + next, here + sides + k);
    }
  });
  return instanced(at, triangles);
}

function dotGeometry(): InstancedBufferGeometry {
  return instanced(
    [1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1],
    [0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5],
  );
}

function instanced(at: number[], triangles: number[]): InstancedBufferGeometry {
  const geometry = new InstancedBufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(at), 3));
  geometry.setIndex(triangles);
  geometry.instanceCount = 0;
  return geometry;
}

export interface ContactCounts {
  takeoff: number;
  stick: number;
  slide: number;
  largest: number; // impulse, N·s
}

export class Contacts implements Drawable {
  readonly object = new Object3D();
  readonly overlay = new Object3D();
  counts: ContactCounts = { takeoff: 0, stick: 0, slide: 0, largest: 0 };
  private readonly uniforms = {
    pixel: { value: 0 },
    scale: { value: 0 },
    thick: { value: 1 },
    stick: { value: new Color() },
    slide: { value: new Color() },
    takeoff: { value: new Color() },
  };
  readonly thrust = new Thrust();
  private readonly arrows: Mesh[]; // on a, on b
  private readonly dots: Mesh;
  private readonly cone: Mesh;
  private readonly rim: LineLoop;
  private capacity = 0;
  private data: InstancedInterleavedBuffer | null = null;
  private statuses: InstancedBufferAttribute | null = null;
  private sides: InstancedBufferAttribute | null = null;
  private picked: { kind: Kind; index: number } | null = null;
  private reference = 0; // impulse whose arrow has the usual length
  private usual = 0; // length, in radii of the scene; smaller where there are many
  private shown: Frame | null = null;
  private radius = 1;
  private hovered: Contact | null = null;

  constructor() {
    const uniforms = this.uniforms;
    this.arrows = [1, -1].map(
      (sign) =>
        new Mesh(
          arrowGeometry(),
          new ShaderMaterial({ vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms: { ...uniforms, sign: { value: sign } }, side: DoubleSide }),
        ),
    );
    this.dots = new Mesh(
      dotGeometry(),
      new ShaderMaterial({ vertexShader: DOT_VERTEX, fragmentShader: FRAGMENT, uniforms }),
    );
    for (const mesh of [...this.arrows, this.dots]) {
      mesh.frustumCulled = false;
      this.overlay.add(mesh);
    }
    const glass = new MeshBasicMaterial({ transparent: true, opacity: 0.28, side: DoubleSide, depthWrite: false });
    this.cone = new Mesh(new ConeGeometry(1, 1, 64, 1, true).rotateX(-Math.PI / 2).translate(0, 0, 0.5), glass);
    const circle: Vector3[] = [];
    for (let k = 0; k < 64; ++k) circle.push(new Vector3(Math.cos((k * Math.PI) / 32), Math.sin((k * Math.PI) / 32), 1));
    this.rim = new LineLoop(new BufferGeometry().setFromPoints(circle), new LineBasicMaterial());
    for (const part of [this.cone, this.rim]) {
      part.matrixAutoUpdate = false;
      part.frustumCulled = false;
      part.visible = false;
      this.overlay.add(part);
    }
    this.overlay.add(this.thrust.mesh);
    this.overlay.visible = false;
  }

  get visible(): boolean {
    return this.overlay.visible;
  }
  set visible(on: boolean) {
    this.overlay.visible = on;
  }

  frame(frame: Frame): void {
    this.shown = frame;
    this.hover(null);
    const n = frame.contactCount;
    if (n > this.capacity) this.grow(n);
    for (const mesh of [...this.arrows, this.dots]) (mesh.geometry as InstancedBufferGeometry).instanceCount = n;
    this.counts = { takeoff: 0, stick: 0, slide: 0, largest: 0 };
    this.thrust.frame(frame);
    if (n === 0 || !this.data || !this.statuses || !frame.contacts) return;
    (this.data.array as Float32Array).set(frame.contacts);
    this.data.needsUpdate = true;
    this.count(frame, this.statuses.array as Uint8Array);
    this.statuses.needsUpdate = true;
    this.chooseSides();
    this.rescale(frame);
  }

  // With something picked: the forces on it, of the contacts that it has.
  select(kind: Kind | null, index: number): void {
    this.picked = kind === null ? null : { kind, index };
    this.chooseSides();
  }

  // Which side of a contact is picked: 0, 1, -1 neither.
  pickedSide(contact: Pick<Contact, "sides">): number {
    return contact.sides.findIndex(({ kind, index }) => kind === this.picked?.kind && index === this.picked?.index);
  }

  // Whether the arrow on a and the one on b of a contact are drawn.
  arrowsOf(i: number): boolean[] {
    return [0, 1].map((side) => this.visible && this.sides?.array[2 * i + side] === 1);
  }

  private chooseSides(): void {
    const frame = this.shown;
    if (!this.sides || !frame?.contacts) return;
    const { picked } = this;
    const kind = Number(Object.keys(KINDS).find((key) => KINDS[Number(key)] === picked?.kind) ?? -1);
    const whole = new Int32Array(frame.contacts.buffer, frame.contacts.byteOffset, CONTACT_FLOATS * frame.contactCount);
    for (let i = 0; i < frame.contactCount; ++i)
      for (let side = 0; side < 2; ++side) {
        const at = CONTACT_FLOATS * i + (side === 0 ? 20 : 26);
        this.sides.array[2 * i + side] = !picked || (whole[at] === kind && whole[at + 1] === picked.index) ? 1 : 0;
      }
    this.sides.needsUpdate = true;
  }

  private grow(n: number): void {
    this.capacity = Math.ceil(1.5 * n) + 16;
    this.data = new InstancedInterleavedBuffer(new Float32Array(CONTACT_FLOATS * this.capacity), CONTACT_FLOATS);
    this.data.setUsage(DynamicDrawUsage);
    this.statuses = new InstancedBufferAttribute(new Uint8Array(this.capacity), 1);
    this.statuses.setUsage(DynamicDrawUsage);
    this.sides = new InstancedBufferAttribute(new Uint8Array(2 * this.capacity), 2);
    this.sides.setUsage(DynamicDrawUsage);
    for (const mesh of [...this.arrows, this.dots]) {
      const { geometry } = mesh;
      geometry.dispose(); // forgets the buffers of the smaller size
      geometry.setAttribute("point", new InterleavedBufferAttribute(this.data, 3, 0));
      geometry.setAttribute("normal1", new InterleavedBufferAttribute(this.data, 3, 3));
      geometry.setAttribute("tangent1", new InterleavedBufferAttribute(this.data, 3, 6));
      geometry.setAttribute("impulse", new InterleavedBufferAttribute(this.data, 3, 9));
      geometry.setAttribute("status", this.statuses);
      geometry.setAttribute("shown", this.sides);
    }
  }

  private count(frame: Frame, statuses: Uint8Array): void {
    const data = frame.contacts!;
    const bytes = new Uint8Array(data.buffer, data.byteOffset);
    const { counts } = this;
    for (let i = 0; i < frame.contactCount; ++i) {
      const status = bytes[4 * CONTACT_FLOATS * i + CONTACT_STATUS];
      statuses[i] = status;
      if (status === 0) ++counts.takeoff;
      else if (status === 1) ++counts.stick;
      else ++counts.slide;
      counts.largest = Math.max(counts.largest, impulseSize(data, i));
    }
  }

  // Lengths are true to each other within a frame, and from frame to frame until impulses have become quite different.
  private rescale(frame: Frame): void {
    const sizes: number[] = [];
    const stride = Math.max(1, Math.floor(frame.contactCount / 2000));
    for (let i = 0; i < frame.contactCount; i += stride) {
      const size = impulseSize(frame.contacts!, i);
      if (size > 0) sizes.push(size);
    }
    if (sizes.length === 0) return;
    sizes.sort((a, b) => a - b);
    const typical = sizes[Math.floor(0.9 * (sizes.length - 1))];
    const length = 0.14 * Math.min(1, Math.max(0.25, Math.sqrt(60 / sizes.length / stride)));
    const same = (a: number, b: number, more: number, less: number): boolean => a <= more * b && a >= less * b;
    if (!same(typical, this.reference, 2.5, 0.2)) this.reference = typical;
    if (!same(length, this.usual, 1.4, 0.7)) this.usual = length;
  }

  view(view: ViewSize): void {
    this.radius = view.radius;
    this.uniforms.pixel.value = view.pixel;
    this.uniforms.scale.value = this.scale;
    this.uniforms.thick.value = Math.min(2, Math.max(1, view.height / 900));
    this.thrust.view(view.radius);
    if (this.hovered) this.placeCone(this.hovered);
  }

  get scale(): number {
    return this.reference > 0 ? (this.usual * this.radius) / this.reference : 0;
  }

  theme(theme: Theme): void {
    this.uniforms.stick.value.set(theme.stick);
    this.uniforms.slide.value.set(theme.slide);
    this.uniforms.takeoff.value.set(theme.takeoff);
    this.thrust.theme(theme);
  }

  // Shows the friction cone of one contact, or none.
  hover(contact: Contact | null): void {
    this.hovered = contact;
    const on = contact !== null && contact.mu > 0 && contact.impulse[0] > 0;
    this.cone.visible = on;
    this.rim.visible = on;
    if (!contact || !on) return;
    const names = [this.uniforms.takeoff, this.uniforms.stick, this.uniforms.slide];
    const colour = names[contact.status]?.value ?? this.uniforms.takeoff.value;
    (this.cone.material as MeshBasicMaterial).color.copy(colour);
    (this.rim.material as LineBasicMaterial).color.copy(colour);
    this.placeCone(contact);
  }

  // As high as the normal impulse, so that the tip of the arrow lies in the disc of the rim.
  private placeCone(contact: Contact): void {
    const height = this.scale * contact.impulse[0] * (this.pickedSide(contact) === 1 ? -1 : 1); // of the arrow that is drawn
    const n = new Vector3(...contact.normal);
    const t1 = new Vector3(...contact.tangent);
    const t2 = new Vector3().crossVectors(n, t1);
    const matrix = new Matrix4().makeBasis(
      t1.multiplyScalar(contact.mu * height),
      t2.multiplyScalar(contact.muAcross * height),
      n.multiplyScalar(height),
    );
    matrix.setPosition(...contact.point);
    for (const part of [this.cone, this.rim]) {
      part.matrix.copy(matrix);
      part.matrixWorldNeedsUpdate = true;
    }
  }

  // The contact whose point is nearest to a place on the screen, within `reach` pixels; -1: none.
  nearest(project: (point: Vector3) => { x: number; y: number; depth: number }, x: number, y: number, reach: number): number {
    const data = this.shown?.contacts;
    if (!this.visible || !data) return -1;
    let best = -1;
    let least = reach * reach;
    const point = new Vector3();
    for (let i = 0; i < this.shown!.contactCount; ++i) {
      const at = project(point.fromArray(data, CONTACT_FLOATS * i));
      const far = (at.x - x) ** 2 + (at.y - y) ** 2;
      if (at.depth > 0 && far < least) {
        least = far;
        best = i;
      }
    }
    return best;
  }
}

function impulseSize(data: Float32Array, i: number): number {
  const at = CONTACT_FLOATS * i + 9;
  return Math.hypot(data[at], data[at + 1], data[at + 2]);
}
