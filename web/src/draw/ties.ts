// Ties: rods and springs as lines between their two points, other ties as balls of a few pixels at their points.
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DynamicDrawUsage,
  LineBasicMaterial,
  LineSegments,
  Object3D,
  Points,
  PointsMaterial,
} from "three";
import type { Frame, SceneMessage } from "../protocol";
import type { Drawable } from "./drawable";

const BYTES = 28; // of a tie: 6 f32 points a and b, u8 kind, u8 broken, u16 0
const SPRING = 3;
const ROD = 4;

export class Ties implements Drawable {
  readonly object = new Object3D();
  readonly overlay = new Object3D();
  private readonly lines: BufferGeometry;
  private readonly marks: BufferGeometry;

  constructor(scene: SceneMessage) {
    this.lines = room(2 * scene.ties);
    this.marks = room(scene.ties);
    const line = new LineSegments(this.lines, new LineBasicMaterial({ color: new Color("#8a8f98") }));
    const mark = new Points(this.marks, new PointsMaterial({ color: new Color("#c4533b"), size: 7, sizeAttenuation: false }));
    line.frustumCulled = mark.frustumCulled = false;
    this.object.add(line);
    this.overlay.add(mark);
  }

  frame(frame: Frame): void {
    const data = frame.sections.get("TIES");
    const ends = this.lines.getAttribute("position") as BufferAttribute;
    const places = this.marks.getAttribute("position") as BufferAttribute;
    let lines = 0;
    let marks = 0;
    for (let at = 0; data && at + BYTES <= data.byteLength && at / BYTES < places.count; at += BYTES) {
      const kind = data.getUint8(at + 24);
      const number = (k: number): number => data.getFloat32(at + 4 * k, true);
      if (data.getUint8(at + 25) !== 0) continue;
      if (kind === SPRING || kind === ROD) {
        ends.setXYZ(2 * lines, number(0), number(1), number(2));
        ends.setXYZ(2 * lines + 1, number(3), number(4), number(5));
        lines += 1;
      } else {
        places.setXYZ(marks, number(0), number(1), number(2));
        marks += 1;
      }
    }
    ends.needsUpdate = places.needsUpdate = true;
    this.lines.setDrawRange(0, 2 * lines);
    this.marks.setDrawRange(0, marks);
  }
}

function room(count: number): BufferGeometry {
  const places = new BufferAttribute(new Float32Array(3 * count), 3);
  places.setUsage(DynamicDrawUsage);
  return new BufferGeometry().setAttribute("position", places);
}
