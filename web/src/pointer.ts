// The mouse, a pen or fingers over the picture: hovering contacts, picking objects, and taking hold of them in a living
// simulation. What is held goes with the pointer across the view; with Shift, or with a second finger, up is away from the eye
// and down is nearer.
import { Vector3 } from "three";
import type { Link } from "./connection";
import type { Hit } from "./draw/drawable";
import type { Contacts } from "./draw/contacts";
import type { Stage } from "./stage";

const CLICK = 4; // a press that moves less, in pixels, is a click
const TURN = 0.004; // rad for each pixel of the wheel
const FINGER_TURN = 0.02; // rad for each pixel of a second finger

export interface PointerEvents {
  hover(contact: number, x: number, y: number): void; // -1: none
  pick(hit: Hit | null): void;
  pickContact(contact: number): void;
  grabbed(): void; // something is held now
  isHeld(sheet: number, vertex: number): boolean;
}

export class Pointer {
  private held: { pointer: number; at: Vector3; start: Vector3; hit: Hit } | null = null; // where the hand is and was at first
  private lastPlace: { x: number; y: number } | null = null; // over the picture
  private last = new Map<number, { x: number; y: number }>(); // of the pointers that hold and steer
  private pressed: { x: number; y: number } | null = null;
  private target: Vector3 | null = null; // not sent yet
  private angle = 0; // not sent yet
  private place: { x: number; y: number } | null = null; // not looked at yet

  constructor(
    private readonly stage: Stage,
    private readonly contacts: () => Contacts | null,
    private readonly connection: Link,
    private readonly live: () => boolean,
    private readonly events: PointerEvents,
  ) {
    const area = stage.canvas.parentElement!;
    // before the camera's own listeners on the canvas
    area.addEventListener("pointerdown", (event) => this.down(event), true);
    area.addEventListener("pointermove", (event) => this.move(event), true);
    area.addEventListener("pointerup", (event) => this.up(event), true);
    area.addEventListener("pointercancel", () => this.release(), true);
    area.addEventListener("wheel", (event) => this.wheel(event), { capture: true, passive: false });
    area.addEventListener("dblclick", (event) => event.target === stage.canvas && this.pin(), true);
    area.addEventListener("pointerleave", () => this.events.hover(-1, 0, 0));
  }

  // How much farther away the hand is than where it took hold, m.
  get depth(): number {
    return this.held ? this.stage.depth(this.held.at, this.held.start) : 0;
  }

  private where(event: MouseEvent): { x: number; y: number } {
    const box = this.stage.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private down(event: PointerEvent): void {
    if (event.target !== this.stage.canvas || event.button !== 0) return;
    const { x, y } = this.where(event);
    if (this.held) {
      event.stopImmediatePropagation();
      this.last.set(event.pointerId, { x, y });
      return;
    }
    this.pressed = { x, y };
    if (!this.live() || event.shiftKey) return;
    const hit = this.stage.pick(x, y);
    if (!hit || hit.kind === "obstacle") return;
    event.stopImmediatePropagation();
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.stage.canvas.classList.add("holding");
    this.events.grabbed();
    this.held = { pointer: event.pointerId, at: hit.point.clone(), start: hit.point.clone(), hit };
    this.last.set(event.pointerId, { x, y });
    const grip = hit.kind === "fibre" ? { s: hit.s } : hit.kind === "sheet" ? { vertex: hit.vertex } : { point: hit.local!.toArray() };
    this.connection.send({ type: "grab", kind: hit.kind, index: hit.index, ...grip, target: hit.point.toArray() });
  }

  // Pins the vertex of a sheet that is held in hand or under the pointer, or releases it.
  pin(): void {
    if (!this.live()) return;
    const hit = this.held?.hit ?? (this.lastPlace && this.stage.pick(this.lastPlace.x, this.lastPlace.y));
    if (hit?.kind !== "sheet" || hit.vertex === undefined) return;
    const held = !this.events.isHeld(hit.index, hit.vertex);
    this.connection.send({ type: "pin", index: hit.index, vertex: hit.vertex, held });
  }

  private move(event: PointerEvent): void {
    const { x, y } = this.where(event);
    if (event.target === this.stage.canvas) this.lastPlace = { x, y };
    if (!this.held) {
      if (event.target === this.stage.canvas && event.buttons === 0) this.place = { x, y };
      return;
    }
    event.stopImmediatePropagation();
    const last = this.last.get(event.pointerId);
    if (!last) return;
    const { at, pointer } = this.held;
    if (event.shiftKey || event.pointerId !== pointer) {
      at.copy(this.stage.deeper(at, last.y - y));
    } else {
      const was = this.stage.inPlane(last.x, last.y, at);
      at.add(this.stage.inPlane(x, y, at).sub(was));
    }
    if (event.pointerId !== pointer) this.angle += FINGER_TURN * (x - last.x);
    this.last.set(event.pointerId, { x, y });
    this.target = at.clone();
  }

  private up(event: PointerEvent): void {
    const { x, y } = this.where(event);
    this.last.delete(event.pointerId);
    if (this.held && event.pointerId !== this.held.pointer) {
      event.stopImmediatePropagation();
      return;
    }
    const click = this.pressed !== null && Math.hypot(x - this.pressed.x, y - this.pressed.y) < CLICK;
    this.pressed = null;
    this.release();
    if (!click || event.target !== this.stage.canvas) return;
    const contact = this.nearest(x, y);
    if (contact >= 0) this.events.pickContact(contact);
    else this.events.pick(this.stage.pick(x, y));
  }

  private release(): void {
    if (!this.held) return;
    this.flush();
    this.held = null;
    this.last.clear();
    this.stage.canvas.classList.remove("holding");
    this.connection.send({ type: "release" });
  }

  private wheel(event: WheelEvent): void {
    if (!this.held) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    this.angle -= TURN * event.deltaY;
  }

  private nearest(x: number, y: number): number {
    return this.contacts()?.nearest((point) => this.stage.project(point), x, y, 9) ?? -1;
  }

  private canBePulled(x: number, y: number): boolean {
    const hit = this.stage.pick(x, y);
    return hit !== null && hit.kind !== "obstacle";
  }

  private flush(): void {
    if (this.target) this.connection.send({ type: "drag", target: this.target.toArray() });
    if (this.angle !== 0) this.connection.send({ type: "twist", angle: this.angle });
    this.target = null;
    this.angle = 0;
  }

  // Handles the mouse events since the last picture of the screen, once for each.
  tick(): void {
    if (this.held) this.flush();
    if (!this.place) return;
    const { x, y } = this.place;
    this.place = null;
    this.events.hover(this.nearest(x, y), x, y);
    if (this.live()) this.stage.canvas.classList.toggle("grab", this.canBePulled(x, y));
  }
}
