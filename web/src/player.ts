// Playing a result: which frame is wanted, which are here, which is asked for next. The server answers the newest
// request only, so one is on the way at a time.
import type { Link } from "./connection";
import { GRAIN_SECTIONS, GrainColour } from "./draw/grains";
import type { Frame, SceneMessage } from "./protocol";

const CACHE_BYTES = 256e6;
const AHEAD = 8;
const REQUESTS = 120; // in a second at most; the server closes at 240

export interface Want {
  contacts: boolean;
  axes: boolean;
  tension: boolean;
  grains: GrainColour;
}

export class Player {
  playing = false;
  speed = 1;
  index = 0; // of the frame that is wanted
  shown: Frame | null = null;
  private readonly cache = new Map<number, Frame>(); // in the order of use
  private bytes = 0;
  private asked = -1;
  private place = 0; // of the cursor, in frames, while playing
  private last = 0;
  private wanted: Want = { contacts: false, axes: false, tension: false, grains: "places" };
  private tokens = REQUESTS;
  private counted = performance.now();

  constructor(
    private readonly connection: Link,
    private readonly scene: SceneMessage,
    private readonly show: (frame: Frame) => void,
    private readonly changed: () => void,
  ) {}

  get rate(): number {
    return this.scene.end > 0 ? (this.scene.frames - 1) / this.scene.end : 60;
  }

  // Frames without the data that is now wanted are discarded.
  want(what: Want): void {
    this.wanted = what;
    this.connection.send({ type: "want", ...what });
    this.cache.clear();
    this.bytes = 0;
    this.asked = -1;
    this.request();
  }

  seek(index: number): void {
    this.index = Math.max(0, Math.min(this.scene.frames - 1, Math.round(index)));
    this.place = this.index;
    const frame = this.cache.get(this.index);
    if (frame) this.display(frame);
    this.request();
    this.changed();
  }

  toggle(): void {
    this.playing = !this.playing;
    if (this.playing && this.index >= this.scene.frames - 1) this.seek(0);
    this.place = this.index;
    this.last = 0;
    this.changed();
  }

  pause(): void {
    if (this.playing) this.toggle();
  }

  // Once for each picture of the screen.
  tick(now: number): void {
    this.request();
    if (!this.playing) return;
    const passed = this.last > 0 ? Math.min(0.25, (now - this.last) / 1000) : 0;
    this.last = now;
    this.place += passed * this.speed * this.rate;
    const end = this.scene.frames - 1;
    if (this.place >= end) {
      this.place = end;
      this.playing = false;
    }
    const index = Math.floor(this.place + 1e-9);
    if (index !== this.index || !this.playing) {
      this.index = index;
      const frame = this.cache.get(index);
      if (frame) this.display(frame);
      this.request();
      this.changed();
    }
  }

  arrived(frame: Frame): void {
    if (this.asked === frame.index) this.asked = -1;
    // a frame in transit when more data was requested is shown, but not kept
    const { contacts, tension, grains } = this.wanted;
    const lacks =
      (contacts && this.scene.has_contacts && !frame.contacts) ||
      (tension && this.scene.has_tension && !frame.tension) ||
      (this.scene.grains.particles > 0 && !frame.sections.has(GRAIN_SECTIONS[grains]));
    if (!lacks) this.keep(frame);
    // while playing a late frame is better than none
    if (frame.index === this.index || (this.playing && this.shown?.index !== this.index && frame.index <= this.index))
      this.display(frame);
    this.request();
  }

  get(index: number): Frame | null {
    return this.cache.get(index) ?? null;
  }

  private display(frame: Frame): void {
    if (this.shown === frame) return;
    this.shown = frame;
    this.show(frame);
  }

  private keep(frame: Frame): void {
    if (this.cache.has(frame.index)) return;
    this.cache.set(frame.index, frame);
    this.bytes += frame.bytes;
    for (const [index, old] of this.cache) {
      if (this.bytes <= CACHE_BYTES || this.cache.size <= AHEAD + 2) break;
      this.cache.delete(index);
      this.bytes -= old.bytes;
    }
  }

  private mayAsk(): boolean {
    const now = performance.now();
    this.tokens = Math.min(REQUESTS, this.tokens + ((now - this.counted) * REQUESTS) / 1000);
    this.counted = now;
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }

  private request(): void {
    let next = this.index;
    if (this.cache.has(next)) {
      // frames wanted soon: those ahead while playing, both neighbours otherwise
      const ahead = this.playing ? AHEAD : 2;
      const stride = this.playing ? Math.max(1, Math.round((this.speed * this.rate) / 60)) : 1;
      next = -1;
      for (let k = 1; k <= ahead && next < 0; ++k) {
        const candidate = this.index + k * stride;
        if (candidate < this.scene.frames && !this.cache.has(candidate)) next = candidate;
      }
      if (next < 0 && !this.playing && this.index > 0 && !this.cache.has(this.index - 1)) next = this.index - 1;
      if (next < 0 || this.asked >= 0) return;
    }
    if (next === this.asked || !this.mayAsk()) return;
    this.asked = next;
    this.connection.send({ type: "frame", index: next });
  }
}
