// A slice through grains: what is within half a cell of an upright plane of x and z, as squares coloured by a number, with the principal
// stresses of each as a cross. With the mean stress s of the particles of a square,
//   m = (s_xx + s_zz)/2,  d = (s_xx - s_zz)/2,  r = |(d, s_xz)|:  s_1,2 = m +- r at the angle atan2(s_xz, d)/2 from x           (1)
// An arm of a cross is as long as its stress, half an edge for the largest of the slice.
import { BufferAttribute, BufferGeometry, Group, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, DoubleSide } from "three";
import type { Frame, SceneMessage } from "../protocol";
import type { Drawable } from "./drawable";
import { floats } from "./grains";
import { scaleColour } from "./scale";

export type SliceField = "pressure" | "speed" | "fraction";
const SECTIONS: Readonly<Record<SliceField, string>> = { pressure: "GPRS", speed: "GSPD", fraction: "GFRC" };
const MOST_SQUARES = 1 << 18;
const HIGH = 0.99; // how many squares are below the end of the scale

export interface Square {
  x: number; // of its middle, m
  z: number;
  value: number;
  major: number; // principal stresses in the plane, the more compressive first, Pa
  minor: number;
  angle: number; // of the major one from x
}

export class Slice implements Drawable {
  readonly object = new Group();
  on = false;
  field: SliceField = "pressure";
  at = 0.5; // where along y, as part of the extent of the particles
  most = 0; // end of the scale
  place = 0; // y of the slice, m
  squares: Square[] = [];
  private readonly edge: number;
  private readonly faces = new Mesh(new BufferGeometry(), new MeshBasicMaterial({ vertexColors: true, side: DoubleSide }));
  private readonly crosses = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ color: "#ffffff" }));

  constructor(scene: SceneMessage) {
    this.edge = 2 * scene.grains.space;
    this.object.add(this.faces, this.crosses);
    for (const part of [this.faces, this.crosses]) part.frustumCulled = false;
    this.object.visible = false;
  }

  frame(frame: Frame): void {
    const places = floats(frame, "GRNS"), stress = floats(frame, "GSTR"), values = floats(frame, SECTIONS[this.field]), fraction = floats(frame, "GFRC");
    this.object.visible = this.on && !!places && !!stress && !!values && !!fraction;
    this.squares = [];
    if (!this.object.visible) return;
    this.collect(places!, stress!, values!, fraction!);
    this.draw();
  }

  // Means over the particles of each square; those still in a spout are left out.
  private collect(places: Float32Array, stress: Float32Array, values: Float32Array, fraction: Float32Array): void {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    const count = values.length;
    for (let k = 0; k < count; ++k) {
      if (!(fraction[k] > 0)) continue;
      for (let a = 0; a < 3; ++a) {
        const x = places[3 * k + a];
        if (x < low[a]) low[a] = x;
        if (x > high[a]) high[a] = x;
      }
    }
    if (!(high[0] >= low[0])) return;
    this.place = low[1] + this.at * (high[1] - low[1]);
    const edge = Math.max(this.edge, Math.sqrt(((high[0] - low[0]) * (high[2] - low[2])) / MOST_SQUARES));
    const first = Math.floor(low[0] / edge), bottom = Math.floor(low[2] / edge);
    const wide = Math.floor(high[0] / edge) - first + 1, tall = Math.floor(high[2] / edge) - bottom + 1;
    const sums = new Float64Array(5 * wide * tall); // number, value, xx, zz, zx
    for (let k = 0; k < count; ++k) {
      if (!(fraction[k] > 0) || !(Math.abs(places[3 * k + 1] - this.place) <= 0.5 * edge)) continue;
      const i = Math.floor(places[3 * k] / edge) - first, j = Math.floor(places[3 * k + 2] / edge) - bottom;
      const at = 5 * (i * tall + j);
      if (!(at >= 0 && at < sums.length)) continue;
      sums[at] += 1;
      sums[at + 1] += values[k];
      sums[at + 2] += stress[6 * k];
      sums[at + 3] += stress[6 * k + 2];
      sums[at + 4] += stress[6 * k + 5];
    }
    for (let c = 0; c < wide * tall; ++c) {
      const n = sums[5 * c];
      if (n === 0) continue;
      const xx = sums[5 * c + 2] / n, zz = sums[5 * c + 3] / n, zx = sums[5 * c + 4] / n;
      const m = (xx + zz) / 2, d = (xx - zz) / 2, r = Math.hypot(d, zx);
      // (1): m - r is at a right angle to m + r
      this.squares.push({
        x: (first + Math.floor(c / tall) + 0.5) * edge,
        z: (bottom + (c % tall) + 0.5) * edge,
        value: sums[5 * c + 1] / n,
        major: m - r,
        minor: m + r,
        angle: Math.atan2(zx, d) / 2 + Math.PI / 2,
      });
    }
    this.half = edge / 2;
  }
  private half = 0;

  private draw(): void {
    const { squares, half, place } = this;
    const sorted = squares.map(({ value }) => value).sort((a, b) => a - b);
    this.most = sorted.length > 0 ? Math.max(0, sorted[Math.floor(HIGH * (sorted.length - 1))]) : 0;
    const strongest = squares.reduce((most, { major, minor }) => Math.max(most, Math.abs(major), Math.abs(minor)), 0);
    const corners = new Float32Array(18 * squares.length), colours = new Float32Array(18 * squares.length), arms = new Float32Array(12 * squares.length);
    squares.forEach(({ x, z, value, major, minor, angle }, k) => {
      const colour = scaleColour(this.most > 0 ? Math.min(1, Math.max(0, value / this.most)) : 0);
      const [l, r, b, t] = [x - half, x + half, z - half, z + half];
      corners.set([l, place, b, r, place, b, r, place, t, l, place, b, r, place, t, l, place, t], 18 * k);
      for (let v = 0; v < 6; ++v) colours.set([colour.r, colour.g, colour.b], 18 * k + 3 * v);
      [major, minor].forEach((stress, arm) => {
        const length = strongest > 0 ? (half * Math.abs(stress)) / strongest : 0;
        const [dx, dz] = [length * Math.cos(angle + arm * (Math.PI / 2)), length * Math.sin(angle + arm * (Math.PI / 2))];
        const near = place - 0.02 * half; // in front of the squares, for an eye that looks along y
        arms.set([x - dx, near, z - dz, x + dx, near, z + dz], 12 * k + 6 * arm);
      });
    });
    this.faces.geometry.dispose();
    this.crosses.geometry.dispose();
    this.faces.geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(corners, 3)).setAttribute("color", new BufferAttribute(colours, 3));
    this.crosses.geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(arms, 3));
  }
}
