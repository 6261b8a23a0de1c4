// The hand: the spring between the point that is held and the pointer, and the shadow of the hand, joined to it by a line
// along the light: its depth can be read beside the shadows of the objects.
import {
  BufferAttribute,
  BufferGeometry,
  CircleGeometry,
  Line,
  LineBasicMaterial,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  Object3D,
  Quaternion,
  SphereGeometry,
  Vector3,
} from "three";
import type { Frame, Hand, Part, SceneMessage } from "../protocol";
import type { Theme } from "../theme";
import type { Drawable, ViewSize } from "./drawable";
import { floorBelow } from "./ground";
import { poseMatrix } from "./solids";

const Z = new Vector3(0, 0, 1);

interface Plane {
  point: Vector3;
  normal: Vector3;
}

export class HandDrawing implements Drawable {
  readonly object = new Object3D();
  readonly overlay = new Object3D();
  shadowAt: Vector3 | null = null; // where the shadow of the hand falls
  private readonly lineMaterial = new LineBasicMaterial();
  private readonly ballMaterial = new MeshBasicMaterial();
  private readonly dropMaterial = new LineBasicMaterial({ transparent: true, opacity: 0.6 });
  private readonly discMaterial = new MeshBasicMaterial({ transparent: true, opacity: 0.6, depthWrite: false });
  private readonly spring = segment(this.lineMaterial);
  private readonly drop = segment(this.dropMaterial);
  private readonly disc = new Mesh(new CircleGeometry(1, 24), this.discMaterial);
  private readonly balls = [0, 1].map(() => new Mesh(new SphereGeometry(1, 16, 10), this.ballMaterial));
  private readonly planes: Part[];
  private grounds: Plane[] = [];
  private held: Hand | null = null;

  constructor(scene: SceneMessage) {
    this.planes = scene.parts.filter((part) => part.kind === "plane");
    this.overlay.add(this.spring, ...this.balls);
    this.object.add(this.drop, this.disc);
    this.hold(null);
  }

  frame(frame: Frame): void {
    this.grounds = this.planes.map((part) => {
      const pose = poseMatrix(part.obstacle ? frame.obstacles : frame.bodies, 7 * part.owner, new Matrix4());
      pose.multiply(poseMatrix(part.pose, 0, new Matrix4()));
      return { point: new Vector3().setFromMatrixPosition(pose), normal: new Vector3().setFromMatrixColumn(pose, 2) };
    });
  }

  hold(hand: Hand | null): void {
    this.held = hand;
    this.overlay.visible = this.object.visible = hand !== null;
    if (!hand) {
      this.shadowAt = null;
      return;
    }
    join(this.spring, hand.point, hand.target);
    this.balls[0].position.set(...hand.point);
    this.balls[1].position.set(...hand.target);
  }

  view(view: ViewSize): void {
    if (!this.held) return;
    for (const [k, ball] of this.balls.entries())
      ball.scale.setScalar((k === 0 ? 4 : 5.5) * view.pixel * view.eye.distanceTo(ball.position));
    const at = this.balls[1].position;
    const shadow = shadowOf(at, view.toLight, this.grounds.length > 0 ? this.grounds : [floorBelow(view)]);
    this.shadowAt = shadow?.point ?? null;
    this.drop.visible = this.disc.visible = shadow !== null;
    if (!shadow) return;
    join(this.drop, at.toArray(), shadow.point.toArray());
    const size = view.pixel * view.eye.distanceTo(shadow.point);
    // a little above the ground, so that it is not hidden by it
    place(this.disc, shadow.point.clone().addScaledVector(shadow.normal, size), shadow.normal, 5.5 * size);
  }

  theme(theme: Theme): void {
    this.lineMaterial.color.set(theme.accent);
    this.ballMaterial.color.set(theme.accent);
    this.dropMaterial.color.set(theme.faint);
    this.discMaterial.color.set(theme.text);
  }
}

function segment(material: LineBasicMaterial): Line {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(6), 3));
  const line = new Line(geometry, material);
  line.frustumCulled = false;
  return line;
}

function join(line: Line, from: number[], to: number[]): void {
  const ends = line.geometry.getAttribute("position") as BufferAttribute;
  ends.set([...from, ...to]);
  ends.needsUpdate = true;
}

function place(mesh: Mesh, point: Vector3, normal: Vector3, size: number): void {
  mesh.position.copy(point);
  mesh.quaternion.copy(new Quaternion().setFromUnitVectors(Z, normal.clone().normalize()));
  mesh.scale.setScalar(size);
}

// Where the light through a point meets the first ground, or null.
function shadowOf(point: Vector3, toLight: Vector3, grounds: Plane[]): Plane | null {
  let best: Plane | null = null;
  let nearest = Infinity;
  for (const { point: on, normal } of grounds) {
    const along = point.clone().sub(on).dot(normal) / toLight.dot(normal);
    if (!(along >= 0 && along < nearest)) continue;
    nearest = along;
    best = { point: point.clone().addScaledVector(toLight, -along), normal };
  }
  return best;
}
