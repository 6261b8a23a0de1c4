// The npm package `capstan`: worlds in a page or in Node, without a server.
import { Files, loadModule, Module, openScene, writeFiles } from "./module";

export type { Files } from "./module";

/** Kinds of objects. */
export type Kind = "body" | "fibre" | "sheet" | "solid" | "grains" | "obstacle";
/** Quantities of {@link World.read}, with 3, 4, 3 and 3 numbers per entry. */
export type Quantity = "position" | "orientation" | "velocity" | "angularVelocity";
/** A point or a vector, SI units. */
export type Vector = readonly [number, number, number];

/** A part of the shape of a body or an obstacle, in the axes of its shape. */
export interface Part {
  /** True for an obstacle, false for a body. */
  obstacle: boolean;
  /** Index of the body or obstacle. */
  owner: number;
  kind: "sphere" | "box" | "capsule" | "cylinder" | "plane" | "mesh";
  radius?: number;
  length?: number;
  size?: Vector;
  /** x y z and the quaternion w x y z. */
  pose: number[];
}

/** Names, shapes and meshes, which do not change. */
export interface Things {
  title: string;
  bodies: { name: string; material: number }[];
  obstacles: { name: string; material: number }[];
  fibres: { name: string; material: number }[];
  /** Sheets, then solids. */
  sheets: { name: string; material: number }[];
  parts: Part[];
  /** Radius of each line of a fibre at its first (`radius`) and last (`tip`) point, m. */
  lines: { fibre: number[]; count: number[]; radius: number[]; tip: number[] };
  /** Counts and thickness of each sheet or solid. */
  surfaces: { vertices: number[]; triangles: number[]; thickness: number[] };
}

/** Report of a step. */
export interface StepInfo {
  contacts: number;
  stick: number;
  slide: number;
  /** Islands that missed the tolerance. */
  unsolved: number;
  iterations: number;
  /** Largest violation of Coulomb's law, relative. */
  residual: number;
  /** Deepest overlap at the beginning of the step, m. */
  penetration: number;
  /** Places where a fibre or a sheet passed through something. */
  crossings: number;
  /** Length of the step, s. */
  length: number;
}

/** The contacts of the last step: arrays with one entry per contact. */
export interface Contacts {
  count: number;
  /** Points on the objects a and b, m; 6 numbers per contact. */
  points: Float64Array;
  /** Unit vectors from b to a; 3 numbers per contact. */
  normals: Float64Array;
  /** Impulses on a in world axes, N·s; 3 numbers per contact. */
  impulses: Float64Array;
  /** Gaps, m; negative: penetration. */
  gaps: Float64Array;
  /** 0: take-off, 1: stick, 2: slide. */
  statuses: Int32Array;
}

/** A damped spring between a point of an object and a target. */
export interface Pull {
  move(target: Vector): void;
  remove(): void;
}

/** An error of the library, with its message. */
export class CapstanError extends Error {
  override readonly name = "CapstanError";
}

const KINDS: Record<Kind, number> = { body: 1, fibre: 2, sheet: 3, solid: 4, grains: 5, obstacle: 7 };
const QUANTITIES: Record<Quantity, [number, number]> = { position: [0, 3], orientation: [1, 4], velocity: [2, 3], angularVelocity: [3, 3] };
const INFO = ["contacts", "stick", "slide", "unsolved", "iterations", "residual", "penetration", "crossings", "length"] as const;

// Checks for callers without types: WebAssembly would turn any value into some number.
function entryOf<T>(table: Record<string, T>, name: string, what: string): T {
  if (Object.prototype.hasOwnProperty.call(table, name)) return table[name];
  throw new CapstanError(`${what}: '${String(name)}' is none of ${Object.keys(table).join(", ")}`);
}

function wholeNumber(value: number, what: string): number {
  if (Number.isInteger(value) && value >= 0 && value < 2 ** 31) return value;
  throw new CapstanError(`${what}: ${String(value)} is not a whole number >= 0`);
}

function vectorOf(value: Vector, what: string): Vector {
  if (typeof value === "object" && value?.length === 3 && Array.from(value).every((x) => typeof x === "number")) return value;
  throw new CapstanError(`${what}: expected three numbers, found ${JSON.stringify(value)}`);
}

let loaded: Promise<Module> | null = null;
let opened = 0;

/** A simulation. Make one with {@link World.create}. */
export class World {
  /** Names and shapes. */
  readonly things: Things;
  /** Triangles of all sheets and solids, three vertices each, numbered over all of them. */
  readonly triangles: Int32Array;

  private constructor(
    private readonly module: Module,
    private flat: number,
  ) {
    this.things = JSON.parse(module.UTF8ToString(module._cps_web_scene(flat))) as Things;
    const count = 3 * module._cps_web_triangles(flat, 0);
    this.triangles = this.borrow(4 * count, (at) => {
      module._cps_web_triangles(flat, at);
      return module.HEAP32.slice(at / 4, at / 4 + count);
    });
  }

  /**
   * Makes a world from a scene: a YAML text, or an object with the same keys (docs/reference/scene.md).
   * @param files  the files that the scene includes or names, by path
   */
  static async create(scene: string | object, files: Files = {}): Promise<World> {
    const module = await (loaded ??= loadModule());
    const folder = `/world-${++opened}`;
    const text = typeof scene === "string" ? scene : JSON.stringify(scene);
    writeFiles(module, folder, { ...files, "scene.yaml": text });
    try {
      return new World(module, openScene(module, `${folder}/scene.yaml`, (path, sentence, size) => module._cps_web_open(path, sentence, size)));
    } catch (error) {
      throw new CapstanError((error as Error).message.split(`${folder}/`).join(""));
    }
  }

  /** Frees its memory. Do not use the world afterwards. */
  dispose(): void {
    this.module._cps_web_close(this.flat);
    this.flat = 0;
  }

  /** Takes `count` steps. If a step fails, it throws, and the world stays as it was before that step. */
  step(count = 1): StepInfo {
    this.check(this.module._cps_web_step(this.at, wholeNumber(count, "count")));
    return this.info;
  }

  /** Simulated time, s. */
  get time(): number {
    return this.module._cps_web_time(this.at);
  }

  /** Report of the last step. */
  get info(): StepInfo {
    return this.borrow(8 * INFO.length, (at) => {
      this.module._cps_web_info(this.at, at);
      return Object.fromEntries(INFO.map((name, i) => [name, this.module.HEAPF64[at / 8 + i]])) as unknown as StepInfo;
    });
  }

  /** A hash of time, poses and velocities, 16 digits, for comparing runs. */
  get hash(): string {
    return this.module.UTF8ToString(this.module._cps_web_hash(this.at));
  }

  /** One quantity of all objects of a kind, or of the one with an index: entry after entry. */
  read(kind: Kind, quantity: Quantity, index?: number): Float64Array {
    const [[number, width], code, which] = this.name(kind, quantity, index);
    const count = width * this.module._cps_web_count(this.at, code, which, number);
    if (count === 0 && which >= 0) throw new CapstanError(`there is no ${quantity} of ${kind} ${which}`);
    if (count === 0) return new Float64Array(0);
    return this.borrow(8 * count, (at) => {
      this.module._cps_web_read(this.at, code, which, number, at);
      return this.module.HEAPF64.slice(at / 8, at / 8 + count);
    });
  }

  /** Sets a quantity of bodies, or positions or velocities of sheets and solids. */
  write(kind: Kind, quantity: Quantity, values: ArrayLike<number>, index?: number): void {
    const [[number, width], code, which] = this.name(kind, quantity, index);
    const length = typeof values === "object" && values !== null ? values.length : NaN;
    if (wholeNumber(length, "number of values") % width !== 0)
      throw new CapstanError(`${quantity}: ${length} values are not a multiple of ${width}`);
    this.borrow(8 * length, (at) => {
      this.module.HEAPF64.set(values, at / 8);
      this.check(this.module._cps_web_write(this.at, code, which, number, at, length / width));
    });
  }

  /** The contacts of the last step. */
  contacts(): Contacts {
    const { module } = this;
    const count = module._cps_web_contact_count(this.at);
    const numbers = (quantity: number, width: number): Float64Array =>
      this.borrow(8 * width * count, (at) => {
        module._cps_web_contact_read(this.at, quantity, at);
        return module.HEAPF64.slice(at / 8, at / 8 + width * count);
      });
    const statuses = this.borrow(4 * count, (at) => {
      module._cps_web_contact_labels(this.at, 0, at);
      return module.HEAP32.slice(at / 4, at / 4 + count);
    });
    return { count, points: numbers(0, 6), normals: numbers(1, 3), impulses: numbers(2, 3), gaps: numbers(4, 1), statuses };
  }

  /**
   * Pulls on a point of an object.
   * @param place  body: a point in the axes of its shape; fibre: an arc length, m; sheet or solid: the number of a vertex
   * @param stiffness  N/m
   * @param damping    N s/m
   */
  pull(kind: Kind, index: number, place: number | Vector, target: Vector, stiffness: number, damping = 0): Pull {
    const { module } = this;
    const code = entryOf(KINDS, kind, "kind");
    const point = kind === "body" ? vectorOf(place as Vector, "place") : [place as number, 0, 0];
    if (typeof point[0] !== "number") throw new CapstanError(`place: expected a number for a ${kind}, found ${JSON.stringify(place)}`);
    if (kind === "sheet" || kind === "solid") wholeNumber(point[0], "place");
    const numbers = [...point, ...vectorOf(target, "target")];
    const number = this.borrow(48, (at) => {
      module.HEAPF64.set(numbers, at / 8);
      return this.check(module._cps_web_pull(this.at, code, wholeNumber(index, "index"), at, at + 24, stiffness, damping));
    });
    return {
      move: (to) =>
        this.borrow(24, (at) => {
          module.HEAPF64.set(vectorOf(to, "target"), at / 8);
          this.check(module._cps_web_pull_move(this.at, number, at));
        }),
      remove: () => void this.check(module._cps_web_pull_remove(this.at, number)),
    };
  }

  /** The state of the world, for {@link World.load} into a world of the same scene. */
  save(): Uint8Array {
    const size = this.module._cps_web_state_size(this.at);
    return this.borrow(size, (at) => {
      this.check(this.module._cps_web_save(this.at, at, size));
      return this.module.HEAPU8.slice(at, at + size);
    });
  }

  /** Restores a saved state. */
  load(state: Uint8Array): void {
    if (!(state instanceof Uint8Array)) throw new CapstanError("a state is a Uint8Array, as save() returns it");
    this.borrow(state.length, (at) => {
      this.module.HEAPU8.set(state, at);
      this.check(this.module._cps_web_load(this.at, at, state.length));
    });
  }

  // Numbers by which the library knows a quantity, a kind and an object; -1: all objects of the kind.
  private name(kind: Kind, quantity: Quantity, index?: number): [[number, number], number, number] {
    return [entryOf(QUANTITIES, quantity, "quantity"), entryOf(KINDS, kind, "kind"), index === undefined ? -1 : wholeNumber(index, "index")];
  }

  private get at(): number {
    if (this.flat === 0) throw new CapstanError("the world has been disposed");
    return this.flat;
  }

  private check(status: number): number {
    if (status < 0) throw new CapstanError(this.module.UTF8ToString(this.module._cps_web_error(this.at)));
    return status;
  }

  // Memory for the time of a call.
  private borrow<T>(size: number, call: (at: number) => T): T {
    const at = this.module._malloc(Math.max(size, 8));
    if (at === 0) throw new CapstanError("not enough memory");
    try {
      return call(at);
    } finally {
      this.module._free(at);
    }
  }
}
