// The npm package `capstan`: worlds in a page or in Node, without a server.
import { Files, loadModule, Module, openScene, writeFiles } from "./module";

export type { Files } from "./module";

/** Kinds of things. */
export type Kind = "body" | "fibre" | "sheet" | "solid" | "grains" | "obstacle";
/** What {@link World.read} reads; entries have 3, 4, 3 and 3 numbers. */
export type Quantity = "position" | "orientation" | "velocity" | "angularVelocity";
/** A point or a vector, SI units. */
export type Vector = readonly [number, number, number];

/** A part of the shape of a body or an obstacle, in the axes of its shape. */
export interface Part {
  /** Of an obstacle, not of a body. */
  obstacle: boolean;
  /** Number of the body or obstacle. */
  owner: number;
  kind: "sphere" | "box" | "capsule" | "cylinder" | "plane" | "mesh";
  radius?: number;
  length?: number;
  size?: Vector;
  /** x y z and the quaternion w x y z. */
  pose: number[];
}

/** What is the same at all times. */
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
  /** Of each sheet or solid. */
  surfaces: { vertices: number[]; triangles: number[]; thickness: number[] };
}

/** How the last step went. */
export interface StepInfo {
  contacts: number;
  stick: number;
  slide: number;
  /** Groups of things that were not solved to the tolerance. */
  unsolved: number;
  iterations: number;
  /** Distance from Coulomb's law, the largest. */
  residual: number;
  /** m, at the beginning of the step. */
  penetration: number;
  /** Fibres that went through something. */
  crossings: number;
  /** s */
  length: number;
}

/** The contacts of the last step; `count` entries each. */
export interface Contacts {
  count: number;
  /** 6 numbers: points of a and b, m. */
  points: Float64Array;
  /** 3 numbers: unit, from b to a. */
  normals: Float64Array;
  /** 3 numbers: on a, world axes, N·s. */
  impulses: Float64Array;
  /** m, negative: penetration. */
  gaps: Float64Array;
  /** 0 take-off, 1 stick, 2 slide. */
  statuses: Int32Array;
}

/** A damped spring from a point of a thing to a target. */
export interface Pull {
  move(target: Vector): void;
  remove(): void;
}

/** What the library says when it cannot do something. */
export class CapstanError extends Error {}

const KINDS: Record<Kind, number> = { body: 1, fibre: 2, sheet: 3, solid: 4, grains: 5, obstacle: 7 };
const QUANTITIES: Record<Quantity, [number, number]> = { position: [0, 3], orientation: [1, 4], velocity: [2, 3], angularVelocity: [3, 3] };
const INFO = ["contacts", "stick", "slide", "unsolved", "iterations", "residual", "penetration", "crossings", "length"] as const;

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
   * @param files  what the scene includes or names, by path
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

  /** Frees its memory; nothing may be asked of it afterwards. */
  dispose(): void {
    this.module._cps_web_close(this.flat);
    this.flat = 0;
  }

  /** Makes steps. Throws if one cannot be made; the world is then as before that step. */
  step(count = 1): StepInfo {
    this.check(this.module._cps_web_step(this.at, count));
    return this.info;
  }

  /** Simulated time, s. */
  get time(): number {
    return this.module._cps_web_time(this.at);
  }

  /** How the last step went. */
  get info(): StepInfo {
    return this.borrow(8 * INFO.length, (at) => {
      this.module._cps_web_info(this.at, at);
      return Object.fromEntries(INFO.map((name, i) => [name, this.module.HEAPF64[at / 8 + i]])) as unknown as StepInfo;
    });
  }

  /** Time, poses and velocities as 16 digits, for comparing runs. */
  get hash(): string {
    return this.module.UTF8ToString(this.module._cps_web_hash(this.at));
  }

  /** One quantity of all things of a kind, or of one of them: entry after entry. */
  read(kind: Kind, quantity: Quantity, index = -1): Float64Array {
    const [number, width] = QUANTITIES[quantity];
    const count = width * this.module._cps_web_count(this.at, KINDS[kind], index, number);
    if (count === 0) return new Float64Array(0);
    return this.borrow(8 * count, (at) => {
      this.module._cps_web_read(this.at, KINDS[kind], index, number, at);
      return this.module.HEAPF64.slice(at / 8, at / 8 + count);
    });
  }

  /** Sets a quantity of bodies, or positions or velocities of sheets and solids. */
  write(kind: Kind, quantity: Quantity, values: ArrayLike<number>, index = -1): void {
    const [number, width] = QUANTITIES[quantity];
    this.borrow(8 * values.length, (at) => {
      this.module.HEAPF64.set(values, at / 8);
      this.check(this.module._cps_web_write(this.at, KINDS[kind], index, number, at, values.length / width));
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
   * Pulls at a point of a thing.
   * @param place  of a fibre: arc length, m; of a body: a point in the axes of its shape; of a sheet or solid: number of a vertex
   * @param stiffness  N/m
   * @param damping    N s/m
   */
  pull(kind: Kind, index: number, place: number | Vector, target: Vector, stiffness: number, damping = 0): Pull {
    const { module } = this;
    const number = this.borrow(48, (at) => {
      module.HEAPF64.set([...(typeof place === "number" ? [place, 0, 0] : place), ...target], at / 8);
      return this.check(module._cps_web_pull(this.at, KINDS[kind], index, at, at + 24, stiffness, damping));
    });
    return {
      move: (to) =>
        this.borrow(24, (at) => {
          module.HEAPF64.set(to, at / 8);
          this.check(module._cps_web_pull_move(this.at, number, at));
        }),
      remove: () => void this.check(module._cps_web_pull_remove(this.at, number)),
    };
  }

  /** All that changes in time, to {@link World.load} into a world of the same scene. */
  save(): Uint8Array {
    const size = this.module._cps_web_state_size(this.at);
    return this.borrow(size, (at) => {
      this.check(this.module._cps_web_save(this.at, at, size));
      return this.module.HEAPU8.slice(at, at + size);
    });
  }

  load(state: Uint8Array): void {
    this.borrow(state.length, (at) => {
      this.module.HEAPU8.set(state, at);
      this.check(this.module._cps_web_load(this.at, at, state.length));
    });
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
