// The hand: the spring between the point that is held and the pointer.
import { BufferAttribute, BufferGeometry, Line, LineBasicMaterial, Mesh, MeshBasicMaterial, Object3D, SphereGeometry, Vector3 } from "three";
import type { Frame, Hand } from "../protocol";
import type { Theme } from "../theme";
import type { Drawable, ViewSize } from "./drawable";

export class HandDrawing implements Drawable {
  readonly object = new Object3D();
  readonly overlay = new Object3D();
  private readonly ends = new BufferAttribute(new Float32Array(6), 3);
  private readonly line: Line;
  private readonly lineMaterial = new LineBasicMaterial();
  private readonly ballMaterial = new MeshBasicMaterial();
  private readonly balls: Mesh[] = [];
  private held: Hand | null = null;

  constructor() {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", this.ends);
    this.line = new Line(geometry, this.lineMaterial);
    this.line.frustumCulled = false;
    this.overlay.add(this.line);
    for (let k = 0; k < 2; ++k) {
      const ball = new Mesh(new SphereGeometry(1, 16, 10), this.ballMaterial);
      this.balls.push(ball);
      this.overlay.add(ball);
    }
    this.overlay.visible = false;
  }

  frame(_frame: Frame): void {}

  hold(hand: Hand | null): void {
    this.held = hand;
    this.overlay.visible = hand !== null;
    if (!hand) return;
    this.ends.set(hand.point, 0);
    this.ends.set(hand.target, 3);
    this.ends.needsUpdate = true;
    this.balls[0].position.set(...hand.point);
    this.balls[1].position.set(...hand.target);
  }

  view(view: ViewSize): void {
    if (!this.held) return;
    for (const [k, ball] of this.balls.entries())
      ball.scale.setScalar((k === 0 ? 4 : 5.5) * view.pixel * view.eye.distanceTo(ball.position as Vector3));
  }

  theme(theme: Theme): void {
    this.lineMaterial.color.set(theme.accent);
    this.ballMaterial.color.set(theme.accent);
  }
}
