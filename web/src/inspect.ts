// Gives tests and the console a few words to look inside the page: window.capstan.
import { Vector3 } from "three";
import type { App } from "./app";
import type { Square } from "./draw/slice";
import { contactOf, Triple } from "./protocol";

export function inspect(app: App): void {
  window.capstan = insideOf(app);
}

function insideOf(app: App) {
  const onScreen = (point: Vector3): { x: number; y: number } => {
    const box = app.stage.canvas.getBoundingClientRect();
    const { x, y } = app.stage.project(point);
    return { x: x + box.left, y: y + box.top };
  };

  return {
    get ready(): boolean {
      return app.frame !== null;
    },
    get mode(): string | null {
      return app.scene?.mode ?? null;
    },
    get frame(): number {
      return app.frame?.index ?? -1;
    },
    get frames(): number {
      return app.scene?.frames ?? 0;
    },
    get time(): number {
      return app.frame?.time ?? NaN;
    },
    get playing(): boolean {
      return app.player?.playing ?? app.status?.running ?? false;
    },
    get status(): unknown {
      return app.status;
    },
    get closed(): string | null {
      return app.closed;
    },
    get selected(): unknown {
      return app.selected;
    },
    get hovered(): unknown {
      return app.hovered;
    },
    get counts(): unknown {
      return app.drawings?.contacts.counts;
    },
    // ends of the segments of the line of thrust
    get thrust(): number[][] {
      return app.drawings?.contacts.thrust.ends.map((end) => end.toArray()) ?? [];
    },
    get strongest(): number {
      return app.drawings?.lines?.strongest ?? 0;
    },
    get frameCost(): number {
      return app.stage.frameCost;
    },
    get camera(): { eye: number[]; target: number[]; fov: number } {
      const { camera, controls } = app.stage;
      return { eye: camera.position.toArray(), target: controls.target.toArray(), fov: camera.fov };
    },
    look(eye: Triple, target: Triple): void {
      app.stage.look(eye, target);
    },
    screen(x: number, y: number, z: number): { x: number; y: number } {
      return onScreen(new Vector3(x, y, z));
    },
    line(i: number, k: number): { world: number[]; x: number; y: number } | null {
      const point = app.drawings?.lines?.pointOf(i, k) ?? null;
      return point && { world: point.toArray(), ...onScreen(point) };
    },
    vertex(i: number, k: number): { world: number[]; x: number; y: number } | null {
      const point = app.drawings?.sheets?.pointOf(i, k) ?? null;
      return point && { world: point.toArray(), ...onScreen(point) };
    },
    grain(k: number): { world: number[]; value: number; x: number; y: number } | null {
      const grain = app.drawings?.grains?.grainOf(k) ?? null;
      return grain && { world: grain.point.toArray(), value: grain.value, ...onScreen(grain.point) };
    },
    get grains(): { by: string; most: number; count: number } | null {
      const { grains } = app.drawings ?? {};
      return grains ? { by: grains.by, most: grains.most, count: app.scene!.grains.particles } : null;
    },
    get slice(): { on: boolean; field: string; most: number; place: number; squares: Square[] } | null {
      const { slice } = app.drawings ?? {};
      return slice ? { on: slice.on, field: slice.field, most: slice.most, place: slice.place, squares: slice.squares } : null;
    },
    get pins(): number[] {
      return [...(app.drawings?.sheets?.held ?? [])];
    },
    body(i: number): { world: number[]; x: number; y: number } | null {
      if (!app.frame || 7 * i + 6 >= app.frame.bodies.length) return null;
      const point = new Vector3().fromArray(app.frame.bodies, 7 * i);
      return { world: point.toArray(), ...onScreen(point) };
    },
    // The second axis of the section at a point of a line, and all points of a line.
    axis(i: number, k: number): number[] | null {
      return app.drawings?.lines?.axisOf(i, k) ?? null;
    },
    points(i: number): number[][] {
      // none while the frame of a changed scene is under way
      const points = Array.from({ length: app.scene?.lines.count[i] ?? 0 }, (_, k) => app.drawings?.lines?.pointOf(i, k) ?? null);
      return points.includes(null) ? [] : points.map((point) => point!.toArray());
    },
    get shadow(): { world: number[]; x: number; y: number } | null {
      const point = app.drawings?.hand.shadowAt ?? null;
      return point && { world: point.toArray(), ...onScreen(point) };
    },
    contact(i: number): unknown {
      if (!app.frame || i >= app.frame.contactCount) return null;
      const contact = contactOf(app.frame, i);
      return { ...contact, ...onScreen(new Vector3(...contact.point)) };
    },
    // The curves of the pen, with the positions of their points on the screen.
    get curves(): unknown[] {
      return app.pen.drawing.list.map((curve) => ({
        ...curve,
        screen: Array.from({ length: curve.points.length / 3 }, (_, k) => onScreen(new Vector3().fromArray(curve.points, 3 * k))),
      }));
    },
    arrows(i: number): boolean[] {
      return app.drawings?.contacts.arrowsOf(i) ?? [];
    },
    get quality(): number {
      return app.stage.watch.level;
    },
    get penLag(): number {
      return app.pen.lag;
    },
    chart(name: string, time?: number): number | null {
      return app.charts.value(name, time);
    },
  };
}

declare global {
  interface Window {
    capstan: ReturnType<typeof insideOf>;
  }
}
