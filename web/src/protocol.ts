// The viewer's messages, as docs/reference/viewer-protocol.md says them: types of the texts, readers of the binaries.

export type Kind = "body" | "fibre" | "sheet" | "other" | "obstacle";
export const KINDS: Readonly<Record<number, Kind>> = { 1: "body", 2: "fibre", 3: "sheet", 6: "other", 7: "obstacle" };
export type Triple = [number, number, number];

export interface Thing {
  name: string;
  material: number;
}

export interface Part {
  obstacle: boolean;
  owner: number;
  kind: "sphere" | "box" | "capsule" | "cylinder" | "plane" | "mesh";
  radius?: number;
  length?: number;
  size?: Triple;
  mesh?: number;
  pose: number[];
}

export interface Settings {
  gravity: Triple;
  mu: number | null;
  grain_mu?: number | null; // inside grains
  step: number;
  method: string;
  tolerance: number;
  methods: string[];
}

export interface SceneMessage {
  type: "scene";
  mode: "result" | "live";
  title: string;
  file: string;
  version: string;
  frames: number;
  end: number; // time of the last frame
  until: number; // where the run will end
  finished: boolean;
  has_contacts: boolean;
  has_tension: boolean;
  up: Triple;
  camera: { eye: Triple; target: Triple; fov: number } | { direction: Triple; fov: number } | null;
  materials: string[];
  bodies: Thing[];
  obstacles: Thing[];
  fibres: Thing[];
  parts: Part[];
  lines: { fibre: number[]; count: number[]; radius: number[]; tip: number[] };
  ties: number;
  sheets: Thing[];
  surfaces: { vertices: number[]; triangles: number[]; thickness: number[] };
  grains: { particles: number; space: number; stress?: boolean }; // edge of the cube that each fills at the start, m
  series: string[];
  settings: Settings | null;
}

export interface Hand {
  point: Triple;
  target: Triple;
  force: Triple;
}

export interface StatusMessage {
  type: "status";
  running: boolean;
  time: number;
  step: number;
  dt: number;
  contacts: number;
  stick: number;
  slide: number;
  residual: number;
  iterations: number;
  nu: number;
  kinetic: number;
  potential: number;
  elastic: number;
  pace: number;
  hand: Hand | null;
  sentence: string;
}

export interface ObjectMessage {
  type: "object";
  kind: Kind;
  index: number;
  name: string;
  facts: [string, string][];
}

// A drawn curve: its points, and the rod that rests in this shape.
export interface CurveMessage {
  type: "curve";
  free: boolean; // it is a fibre now, and moves
  index: number;
  count: number; // of curves
  points: number[];
  elements: number;
  line: number[]; // as many points of each helix, and the end
  natural: number[];
  length: number;
  young: number | null; // Pa
  least: number | null; // stable if it were more than this many times as stiff
  ms: number;
  sentence: string;
}

export type TextMessage =
  | SceneMessage
  | StatusMessage
  | ObjectMessage
  | ({ type: "settings" } & Settings)
  | ({ type: "grown" } & Pick<SceneMessage, "frames" | "end" | "until" | "finished">)
  | CurveMessage
  | { type: "saved"; what: string; path: string }
  | { type: "error"; text: string };

export interface MeshData {
  number: number;
  points: Float32Array;
  normals: Float32Array;
  triangles: Uint32Array;
}

export interface SeriesData {
  name: string;
  times: Float64Array;
  values: Float64Array;
}

// Views into the message that brought the frame; nothing is copied.
export interface Frame {
  index: number;
  time: number;
  step: number;
  bodies: Float32Array; // 7 each
  obstacles: Float32Array; // 7 each
  pointCount: number;
  points: Float32Array; // 3 each
  axes: Int8Array | null; // 4 each
  tension: Float32Array | null;
  contactCount: number;
  contacts: Float32Array | null; // CONTACT_FLOATS each
  sections: Map<string, DataView>; // what else there is, by its four letters; who draws it reads it
  bytes: number;
}

export const CONTACT_FLOATS = 32;
export const CONTACT_STATUS = 76; // where its status is among its bytes
export const STATUS_NAMES = ["take-off", "stick", "slide"] as const;

// The touching objects and the positions on them: docs/reference/viewer-protocol.md.
export interface Side {
  kind: Kind;
  index: number;
  part: number;
  place: Triple;
}

// One contact of a frame, read where it is needed (hover, picking); arrows are drawn from the array itself.
export interface Contact {
  index: number;
  point: Triple;
  normal: Triple;
  tangent: Triple;
  impulse: Triple;
  velocity: Triple;
  gap: number;
  mu: number;
  muAcross: number;
  residual: number;
  status: number;
  sides: [Side, Side];
}

export type Binary =
  | { what: "frame"; frame: Frame }
  | { what: "mesh"; mesh: MeshData }
  | { what: "surfaces"; triangles: Uint32Array }
  | { what: "series"; series: SeriesData };

export function readBinary(buffer: ArrayBuffer): Binary {
  const view = new DataView(buffer);
  const magic = String.fromCharCode(...new Uint8Array(buffer, 0, 4));
  if (magic === "CPSF") return { what: "frame", frame: readFrame(buffer, view) };
  if (magic === "CPSM") return { what: "mesh", mesh: readMesh(buffer, view) };
  if (magic === "CPST") return { what: "surfaces", triangles: new Uint32Array(buffer, 8, 3 * view.getUint32(4, true)) };
  if (magic === "CPSV") return { what: "series", series: readSeries(buffer, view) };
  throw new Error("a message of an unknown kind: " + magic);
}

function readFrame(buffer: ArrayBuffer, view: DataView): Frame {
  const flags = view.getUint32(4, true);
  const bodies = view.getUint32(32, true);
  const obstacles = view.getUint32(36, true);
  const points = view.getUint32(40, true);
  const contacts = view.getUint32(44, true);
  let at = 48;
  const floats = (count: number): Float32Array => {
    const array = new Float32Array(buffer, at, count);
    at += 4 * count;
    return array;
  };
  const bodyPoses = floats(7 * bodies);
  const obstaclePoses = floats(7 * obstacles);
  const pointArray = floats(3 * points);
  let axes: Int8Array | null = null;
  if (flags & 1) {
    axes = new Int8Array(buffer, at, 4 * points);
    at += 4 * points;
  }
  const tension = flags & 4 ? floats(points) : null;
  const contactArray = flags & 2 ? floats(CONTACT_FLOATS * contacts) : null;
  return {
    index: Number(view.getBigInt64(8, true)),
    time: view.getFloat64(16, true),
    step: view.getFloat64(24, true),
    bodies: bodyPoses,
    obstacles: obstaclePoses,
    pointCount: points,
    points: pointArray,
    axes,
    tension,
    contactCount: contactArray ? contacts : 0,
    contacts: contactArray,
    sections: readSections(buffer, view, at),
    bytes: buffer.byteLength,
  };
}

function readSections(buffer: ArrayBuffer, view: DataView, from: number): Map<string, DataView> {
  const sections = new Map<string, DataView>();
  for (let at = from; at + 8 <= buffer.byteLength; ) {
    const letters = String.fromCharCode(...new Uint8Array(buffer, at, 4));
    const length = view.getUint32(at + 4, true);
    sections.set(letters, new DataView(buffer, at + 8, length));
    at += 8 + 4 * Math.ceil(length / 4);
  }
  return sections;
}

function readMesh(buffer: ArrayBuffer, view: DataView): MeshData {
  const points = view.getUint32(8, true);
  const triangles = view.getUint32(12, true);
  return {
    number: view.getUint32(4, true),
    points: new Float32Array(buffer, 16, 3 * points),
    normals: new Float32Array(buffer, 16 + 12 * points, 3 * points),
    triangles: new Uint32Array(buffer, 16 + 24 * points, 3 * triangles),
  };
}

function readSeries(buffer: ArrayBuffer, view: DataView): SeriesData {
  const length = view.getUint32(4, true);
  const name = new TextDecoder().decode(new Uint8Array(buffer, 8, length));
  const at = 8 + 4 * Math.ceil(length / 4);
  const count = view.getUint32(at, true);
  // the numbers may stand at an odd multiple of 4, where a Float64Array cannot
  const numbers = new Float64Array(buffer.slice(at + 4, at + 4 + 16 * count));
  return { name, times: numbers.subarray(0, count), values: numbers.subarray(count) };
}

export function contactStatus(frame: Frame, i: number): number {
  const data = frame.contacts!;
  return new Uint8Array(data.buffer, data.byteOffset + 4 * CONTACT_FLOATS * i + CONTACT_STATUS, 1)[0];
}

export function contactOf(frame: Frame, i: number): Contact {
  const data = frame.contacts!;
  const view = new DataView(data.buffer, data.byteOffset + 4 * CONTACT_FLOATS * i, 4 * CONTACT_FLOATS);
  const f = (k: number): number => view.getFloat32(4 * k, true);
  const triple = (k: number): Triple => [f(k), f(k + 1), f(k + 2)];
  const side = (at: number): Side => ({
    kind: KINDS[view.getUint32(at, true)] ?? "other",
    index: view.getInt32(at + 4, true),
    part: view.getInt32(at + 8, true),
    place: triple(at / 4 + 3),
  });
  return {
    index: i,
    point: triple(0),
    normal: triple(3),
    tangent: triple(6),
    impulse: triple(9),
    velocity: triple(12),
    gap: f(15),
    mu: f(16),
    muAcross: f(17),
    residual: f(18),
    status: view.getUint8(CONTACT_STATUS),
    sides: [side(80), side(104)],
  };
}
