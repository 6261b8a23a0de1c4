// The mouse over the picture: hovering contacts, picking objects, and taking hold of them in a living simulation.
import { Vector3 } from "three";
import type { Connection } from "./connection";
import type { Hit } from "./draw/drawable";
import type { Contacts } from "./draw/contacts";
import type { Stage } from "./stage";

const CLICK = 4; // a press that moves less, in pixels, is a click
const TURN = 0.004; // rad for each pixel of the wheel

export interface PointerEvents {
  hover(contact: number, x: number, y: number): void; // -1: none
  pick(hit: Hit | null): void;
  pickContact(contact: number): void;
}

export class Pointer {
  private held: { at: Vector3; start: Vector3 } | null = null;
  private pressed: { x: number; y: number } | null = null;
  private target: Vector3 | null = null; // not sent yet
  private angle = 0; // not sent yet
  private place: { x: number; y: number } | null = null; // not looked at yet

  constructor(
    private readonly stage: Stage,
    private readonly contacts: () => Contacts | null,
    private readonly connection: Connection,
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
    area.addEventListener("pointerleave", () => this.events.hover(-1, 0, 0));
  }

  get holding(): boolean {
    return this.held !== null;
  }

  private where(event: MouseEvent): { x: number; y: number } {
    const box = this.stage.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private down(event: PointerEvent): void {
    if (event.target !== this.stage.canvas || event.button !== 0) return;
    const { x, y } = this.where(event);
    this.pressed = { x, y };
    if (!this.live() || event.shiftKey) return;
    const hit = this.stage.pick(x, y);
    if (!hit || hit.kind === "obstacle") return;
    event.stopImmediatePropagation();
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.stage.canvas.classList.add("holding");
    this.held = { at: hit.point.clone(), start: this.stage.inPlane(x, y, hit.point) };
    const grip = hit.kind === "fibre" ? { s: hit.s } : { point: hit.local!.toArray() };
    this.connection.send({ type: "grab", kind: hit.kind, index: hit.index, ...grip, target: hit.point.toArray() });
  }

  private move(event: PointerEvent): void {
    const { x, y } = this.where(event);
    if (!this.held) {
      if (event.target === this.stage.canvas && event.buttons === 0) this.place = { x, y };
      return;
    }
    event.stopImmediatePropagation();
    const now = this.stage.inPlane(x, y, this.held.start);
    this.target = now.sub(this.held.start).add(this.held.at);
  }

  private up(event: PointerEvent): void {
    const { x, y } = this.where(event);
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

  private flush(): void {
    if (this.target) this.connection.send({ type: "drag", target: this.target.toArray() });
    if (this.angle !== 0) this.connection.send({ type: "twist", angle: this.angle });
    this.target = null;
    this.angle = 0;
  }

  // Once for each picture of the screen: what the mouse did since.
  tick(): void {
    if (this.held) this.flush();
    if (!this.place) return;
    const { x, y } = this.place;
    this.place = null;
    this.events.hover(this.nearest(x, y), x, y);
  }
}
