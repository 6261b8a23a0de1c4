// The pen and the scissors. The pen draws a curve in the plane through where it began that faces the eye: on the surface under the
// pointer, or in the middle of the view. Its points are dragged across the view, with Shift away and nearer. The server answers
// every edit with the rod that rests in this shape. Scissors cut a fibre where it is clicked.
import { Vector3 } from "three";
import type { Link } from "./connection";
import { byId, make } from "./dom";
import { PenDrawing } from "./draw/pen";
import { number, withUnit } from "./format";
import type { CurveMessage } from "./protocol";
import type { Stage } from "./stage";

const APART = 34; // pixels between points as they are drawn
const NEAR = 11; // pixels: a point under the pointer
const DECADES = 4; // of stiffness on the bar

type Tool = "none" | "pen" | "scissors";

export class Pen {
  readonly drawing = new PenDrawing();
  free = false; // the drawn fibres move
  lag = 0; // ms from the last edit sent to its answer
  private tool: Tool = "none";
  private held: { pointer: number; index: number; k: number; at: Vector3; x: number; y: number; grows: boolean } | null = null;
  private fresh = false; // moved since it was sent
  private sentAt = 0;
  private chosen = 0;
  private barOf = -1; // the curve for which the bar was moved last
  private middle = 0; // log10 of the stiffness in the middle of the bar
  private readonly buttons: Record<"pen" | "scissors", HTMLButtonElement>;
  private readonly panel = make("section", { id: "pen-panel" });
  private readonly bar = make("input", { id: "stiffness" });
  private readonly stable = make("i", { id: "stable" });
  private readonly words = make("output", { id: "pen-words" });
  private readonly letGo = make("button", { id: "let-go", text: "Release" });
  private readonly erase = make("button", { id: "erase", text: "Erase" });

  constructor(
    private readonly stage: Stage,
    private readonly connection: Link,
    private readonly live: () => boolean,
  ) {
    const button = (tool: "pen" | "scissors", text: string, title: string): HTMLButtonElement => {
      const made = make("button", { id: tool, text });
      made.type = "button";
      made.title = title;
      made.setAttribute("aria-pressed", "false");
      made.addEventListener("click", () => {
        this.take(this.tool === tool ? "none" : tool);
        made.blur();
      });
      byId("runner").append(made);
      return made;
    };
    this.buttons = {
      pen: button("pen", "Pen", "Draw fibres that keep their drawn shape (e)"),
      scissors: button("scissors", "Scissors", "Cut fibres (x)"),
    };
    this.buildPanel();
    stage.keep(this.drawing);
    const area = stage.canvas.parentElement!;
    area.addEventListener("pointerdown", (event) => this.down(event), true);
    area.addEventListener("pointermove", (event) => this.move(event), true);
    area.addEventListener("pointerup", (event) => this.up(event), true);
    area.addEventListener("pointercancel", (event) => this.up(event), true);
  }

  private buildPanel(): void {
    const track = make("span", { className: "track" }, this.stable, this.bar);
    Object.assign(this.bar, { type: "range", min: "0", max: "1", step: "0.002" });
    this.bar.setAttribute("aria-label", "Stiffness");
    this.bar.addEventListener("input", () => {
      this.barOf = this.chosen;
      const young = Math.pow(10, this.middle + DECADES * (Number(this.bar.value) - 0.5));
      this.send({ type: "stiffness", index: this.chosen, value: Number(young.toPrecision(6)) });
    });
    this.letGo.addEventListener("click", () => this.connection.send({ type: this.free ? "take_pen" : "let_go" }));
    this.erase.addEventListener("click", () => this.connection.send({ type: "erase", index: this.chosen }));
    this.panel.append(make("label", { text: "Stiffness" }), track, this.words, make("span", {}, this.letGo, this.erase));
    this.panel.hidden = true;
    this.stage.canvas.parentElement!.append(this.panel);
  }

  take(tool: Tool): void {
    if (!this.live()) return;
    this.tool = tool;
    if (tool === "pen" && this.free) this.connection.send({ type: "take_pen" });
    for (const name of ["pen", "scissors"] as const) this.buttons[name].setAttribute("aria-pressed", String(tool === name));
    this.stage.canvas.classList.toggle("drawing", tool !== "none");
    this.showPanel();
  }

  toggle(tool: "pen" | "scissors"): void {
    this.take(this.tool === tool ? "none" : tool);
  }

  // The server has news of a curve.
  told(message: CurveMessage): void {
    this.free = message.free;
    if (this.free && this.tool === "pen") this.take("none");
    const began = this.drawing.list[message.index] === undefined;
    this.drawing.tell(message);
    if (this.held && this.held.index === message.index) this.drawing.move(this.held.index, this.held.k, this.held.at);
    if (this.sentAt > 0) this.lag = performance.now() - this.sentAt;
    this.sentAt = 0;
    if (began || this.chosen >= message.count) this.chosen = Math.min(message.index, Math.max(0, message.count - 1));
    this.drawing.choose(this.chosen);
    this.showPanel();
    this.stage.touch();
  }

  private showPanel(): void {
    const curve = this.drawing.list[this.chosen];
    this.panel.hidden = this.drawing.list.length === 0 || !(this.tool === "pen" || this.free);
    this.letGo.textContent = this.free ? "Back to the pen" : "Release";
    this.erase.disabled = this.bar.disabled = this.free;
    this.letGo.disabled = !curve || (!this.free && curve.young === null);
    if (!curve || curve.young === null || curve.least === null) {
      this.words.textContent = curve?.sentence || "draw on";
      return;
    }
    const now = Math.log10(curve.young);
    if (this.barOf !== this.chosen || Math.abs(now - this.middle) > 0.51 * DECADES) this.middle = now; // until somebody moves it
    const least = curve.least > 0 ? Math.log10(curve.young * curve.least) : -Infinity;
    const place = Math.min(1, Math.max(0, (least - this.middle) / DECADES + 0.5));
    this.stable.style.left = `${100 * place}%`;
    if (!this.bar.matches(":active")) this.bar.value = String((now - this.middle) / DECADES + 0.5);
    const holds = curve.least < 1 ? (curve.least > 0 ? `${number(1 / curve.least, 2)}× the stiffness it needs` : "stable at any stiffness") : `too soft: ${number(curve.least, 2)}× the stiffness would hold`;
    this.words.textContent = `${withUnit(curve.young, "Pa")}, ${holds}`;
    this.words.classList.toggle("falls", curve.least >= 1);
  }

  private send(message: { type: string; [key: string]: unknown }): void {
    this.sentAt = performance.now();
    this.connection.send(message);
  }

  private where(event: PointerEvent): { x: number; y: number } {
    const box = this.stage.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private down(event: PointerEvent): void {
    if (this.tool === "none" || event.target !== this.stage.canvas || event.button !== 0) return;
    const { x, y } = this.where(event);
    const hit = this.stage.pick(x, y);
    if (this.tool === "scissors") {
      if (hit?.kind !== "fibre" || hit.s === undefined) return;
      event.stopImmediatePropagation();
      this.connection.send({ type: "cut", index: hit.index, s: hit.s });
      return;
    }
    if (this.free || this.held) return;
    event.stopImmediatePropagation();
    this.stage.canvas.setPointerCapture(event.pointerId);
    const near = this.drawing.nearest((point) => this.stage.project(point), x, y, NEAR);
    if (near) {
      this.held = { pointer: event.pointerId, ...near, x, y, grows: false };
      this.chosen = near.index;
      this.drawing.choose(this.chosen);
      this.showPanel();
      this.stage.touch();
      return;
    }
    const at = hit?.point.clone() ?? this.stage.inPlane(x, y, this.stage.controls.target);
    this.held = { pointer: event.pointerId, index: this.drawing.list.length, k: 0, at, x, y, grows: true };
    this.fresh = true;
    this.flush();
  }

  private move(event: PointerEvent): void {
    const { held } = this;
    if (!held || event.pointerId !== held.pointer) return;
    event.stopImmediatePropagation();
    const { x, y } = this.where(event);
    if (held.grows) this.grow(x, y);
    else if (event.shiftKey) held.at.copy(this.stage.deeper(held.at, held.y - y));
    else held.at.add(this.stage.inPlane(x, y, held.at).sub(this.stage.inPlane(held.x, held.y, held.at)));
    if (!held.grows) [held.x, held.y] = [x, y];
    this.fresh = true;
    this.drawing.move(held.index, held.k, held.at);
    this.stage.touch();
  }

  // The last point goes with the pen; far enough from the one before, the next begins.
  private grow(x: number, y: number): void {
    const held = this.held!;
    const away = Math.hypot(x - held.x, y - held.y);
    if (held.k === 0) {
      if (away < APART / 4) return;
      held.k = 1;
    } else if (away > APART) {
      this.flush();
      held.k++;
      [held.x, held.y] = [x - (x - held.x) * 0.02, y - (y - held.y) * 0.02];
    }
    held.at = this.stage.inPlane(x, y, held.at);
  }

  private up(event: PointerEvent): void {
    if (!this.held || event.pointerId !== this.held.pointer) return;
    event.stopImmediatePropagation();
    this.flush();
    const { index, k, grows } = this.held;
    this.held = null;
    if (grows && k === 0) this.connection.send({ type: "erase", index }); // a click is no curve
  }

  private flush(): void {
    if (!this.held || !this.fresh) return;
    this.fresh = false;
    const { index, k, at } = this.held;
    this.send({ type: "draw", index, vertex: k, target: at.toArray() });
  }

  // Once for each picture of the screen.
  tick(): void {
    this.flush();
  }
}
