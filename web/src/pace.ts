// Drawing and simulation take turns where one processor does both: a simulation in the page itself (web/src/browser) that
// runs on while software draws slows the drawing down several times, because its threads wait for one another.
const SHARE = 30; // ms for the simulation after a picture, at most: 15 pictures per second leave no more

export class Pace {
  private drawn: (() => boolean) | null = null; // of a picture that is being drawn
  private began = 0;
  private next = 0; // not before then, ms

  constructor(private readonly pause: (on: boolean) => void) {}

  // Whether the next frame may be drawn.
  ready(now: number): boolean {
    if (this.drawn?.()) {
      this.drawn = null;
      this.pause(false);
      this.next = now + Math.min(SHARE, now - this.began);
    }
    return this.drawn === null && now >= this.next;
  }

  // A picture was handed to the graphics card, or to what stands in for it; `drawn` says whether it is finished.
  draws(now: number, drawn: () => boolean): void {
    this.drawn = drawn;
    this.began = now;
    this.pause(true);
  }
}
