// The line of thrust through masonry. The contacts between two things are one joint; what it carries acts at
//   p = sum_i r_i p_i / sum_i r_i,   r_i the normal impulses,                                                          (1)
// and a stone with exactly two joints passes its thrust on along the line between them. Stones with more joints have no such line.
import { Color, CylinderGeometry, DynamicDrawUsage, InstancedMesh, Matrix4, MeshBasicMaterial, Quaternion, Vector3 } from "three";
import { CONTACT_FLOATS, Frame, KINDS } from "../protocol";
import type { Theme } from "../theme";

const MOST = 2000; // segments that are drawn
const THICK = 0.006; // of a segment, in radii of the scene

interface Joint {
  weight: number;
  sum: Vector3;
}

// Both ends of each segment in turn.
export function thrustLine(frame: Frame): Vector3[] {
  const data = frame.contacts;
  if (!data) return [];
  const whole = new Int32Array(data.buffer, data.byteOffset, CONTACT_FLOATS * frame.contactCount);
  const joints = new Map<string, Joint>();
  const ofBody = new Map<number, Set<Joint>>();
  for (let i = 0; i < frame.contactCount; ++i) {
    const at = CONTACT_FLOATS * i;
    const weight = data[at + 9];
    if (!(weight > 0)) continue;
    const sides = [at + 20, at + 26].map((side) => ({ kind: whole[side], index: whole[side + 1] }));
    const key = sides.map(({ kind, index }) => `${kind}:${index}`).sort().join(" ");
    const joint = joints.get(key) ?? { weight: 0, sum: new Vector3() };
    joints.set(key, joint);
    joint.weight += weight;
    joint.sum.addScaledVector(new Vector3(data[at], data[at + 1], data[at + 2]), weight);
    for (const { kind, index } of sides) {
      if (KINDS[kind] !== "body") continue;
      if (!ofBody.has(index)) ofBody.set(index, new Set());
      ofBody.get(index)!.add(joint);
    }
  }
  const ends: Vector3[] = [];
  for (const pair of ofBody.values())
    if (pair.size === 2) for (const { sum, weight } of pair) ends.push(sum.clone().divideScalar(weight));
  return ends;
}

export class Thrust {
  readonly mesh = new InstancedMesh(new CylinderGeometry(1, 1, 1, 8), new MeshBasicMaterial(), MOST);
  ends: Vector3[] = [];

  constructor() {
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.mesh.frustumCulled = false;
    this.mesh.count = 0;
  }

  frame(frame: Frame): void {
    this.ends = thrustLine(frame);
  }

  theme(theme: Theme): void {
    (this.mesh.material as MeshBasicMaterial).color = new Color(theme.dark ? "#ff7d92" : "#b01e3c");
  }

  // Segments keep their thickness in the picture.
  view(radius: number): void {
    const matrix = new Matrix4();
    const turn = new Quaternion();
    const along = new Vector3();
    const thick = THICK * radius;
    this.mesh.count = Math.min(MOST, this.ends.length / 2);
    for (let i = 0; i < this.mesh.count; ++i) {
      const [from, to] = [this.ends[2 * i], this.ends[2 * i + 1]];
      along.subVectors(to, from);
      const length = along.length();
      turn.setFromUnitVectors(new Vector3(0, 1, 0), length > 0 ? along.divideScalar(length) : new Vector3(0, 1, 0));
      matrix.compose(from.clone().add(to).multiplyScalar(0.5), turn, new Vector3(thick, length, thick));
      this.mesh.setMatrixAt(i, matrix);
    }
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}
