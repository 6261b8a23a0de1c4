// The drawing of the pen: helices in two tints, the natural shape as a ghost, control points to be dragged. It stays when the scene is made
// anew, and is drawn over it.
import { Color, Mesh, MeshBasicMaterial, Object3D, SphereGeometry, Vector3 } from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import type { CurveMessage } from "../protocol";
import type { Theme } from "../theme";
import type { Drawable, ViewSize } from "./drawable";

const BALL = 6; // pixels
const TINTS = ["#b3803f", "#5f8f92"];

interface Drawn {
  message: CurveMessage;
  line: Line2;
  ghost: Line2;
  balls: Mesh[];
}

export class PenDrawing implements Drawable {
  readonly object = new Object3D();
  readonly overlay = new Object3D();
  private readonly curves: Drawn[] = [];
  private readonly lineMaterial = new LineMaterial({ linewidth: 5, vertexColors: true, transparent: true });
  private readonly ghostMaterial = new LineMaterial({ linewidth: 2.5, transparent: true, opacity: 0.55 });
  private readonly ballMaterial = new MeshBasicMaterial();
  private readonly chosenMaterial = new MeshBasicMaterial();
  private readonly ball = new SphereGeometry(1, 16, 10);
  private chosen = -1;

  constructor() {
    this.overlay.visible = false;
  }

  get list(): CurveMessage[] {
    return this.curves.map((curve) => curve.message);
  }

  frame(): void {}

  // A message of the server about one curve.
  tell(message: CurveMessage): void {
    while (this.curves.length > message.count) this.drop(this.curves.pop()!);
    this.overlay.visible = !message.free;
    if (message.index >= message.count) return;
    let curve = this.curves[message.index];
    if (!curve) {
      curve = { message, line: new Line2(new LineGeometry(), this.lineMaterial), ghost: new Line2(new LineGeometry(), this.ghostMaterial), balls: [] };
      curve.line.frustumCulled = curve.ghost.frustumCulled = false;
      this.overlay.add(curve.ghost, curve.line);
      this.curves[message.index] = curve;
    }
    curve.message = message;
    this.shape(curve.line, message.line, tints(message.elements, message.line.length / 3));
    this.shape(curve.ghost, message.natural, null);
    this.points(curve);
  }

  // Its points, where the hand has them already.
  move(index: number, k: number, to: Vector3): void {
    const ball = this.curves[index]?.balls[k];
    ball?.position.copy(to);
  }

  choose(index: number): void {
    this.chosen = index;
    for (const [i, curve] of this.curves.entries()) for (const ball of curve.balls) ball.material = this.material(i);
  }

  // The control point near a place on the screen: curve and number.
  nearest(project: (point: Vector3) => { x: number; y: number }, x: number, y: number, within: number): { index: number; k: number; at: Vector3 } | null {
    let best: { index: number; k: number; at: Vector3 } | null = null;
    for (const [index, curve] of this.curves.entries())
      for (const [k, ball] of curve.balls.entries()) {
        const at = project(ball.position);
        const away = Math.hypot(at.x - x, at.y - y);
        if (away >= within) continue;
        within = away;
        best = { index, k, at: ball.position.clone() };
      }
    return best;
  }

  view(view: ViewSize): void {
    for (const curve of this.curves)
      for (const ball of curve.balls) ball.scale.setScalar(BALL * view.pixel * view.eye.distanceTo(ball.position));
  }

  theme(theme: Theme): void {
    this.ghostMaterial.color.set(theme.faint);
    this.ballMaterial.color.set(theme.faint);
    this.chosenMaterial.color.set(theme.accent);
  }

  private material(index: number): MeshBasicMaterial {
    return index === this.chosen ? this.chosenMaterial : this.ballMaterial;
  }

  private shape(line: Line2, points: number[], colours: number[] | null): void {
    line.visible = points.length >= 6;
    if (!line.visible) return;
    line.geometry.dispose();
    line.geometry = new LineGeometry();
    line.geometry.setPositions(points);
    if (colours) line.geometry.setColors(colours);
  }

  private points(curve: Drawn): void {
    const { points, index } = curve.message;
    while (curve.balls.length > points.length / 3) this.overlay.remove(curve.balls.pop()!);
    while (curve.balls.length < points.length / 3) {
      const ball = new Mesh(this.ball, this.material(index));
      curve.balls.push(ball);
      this.overlay.add(ball);
    }
    for (const [k, ball] of curve.balls.entries()) ball.position.fromArray(points, 3 * k);
  }

  private drop(curve: Drawn): void {
    this.overlay.remove(curve.line, curve.ghost, ...curve.balls);
    curve.line.geometry.dispose();
    curve.ghost.geometry.dispose();
  }
}

// Helices in alternating tints.
function tints(elements: number, points: number): number[] {
  const colours = TINTS.map((tint) => new Color(tint));
  const parts = (points - 1) / Math.max(1, elements);
  return Array.from({ length: points }, (_, i) => colours[Math.min(elements - 1, Math.floor(i / parts)) % 2].toArray()).flat() as number[];
}
