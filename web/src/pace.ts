// Drawing and simulation take turns where one processor does both: a simulation in the page itself (web/src/browser) that
// runs on while software draws slows the drawing down several times, because its threads wait for one another.
const PERIOD = 60; // ms from one picture to the next: with the turn of the loop that follows, 15 pictures per second
const SHARE = 30; // ms for the simulation after a picture, at most, and no more than the picture took,
const LEAST = 12; // and at least
const LOOK = 4; // ms: the simulation goes on as soon as the picture is finished, not with the next turn of the loop

export class Pace {
  private drawn: (() => boolean) | null = null; // of a picture that is being drawn
  private began = 0;
  private next = 0; // not before then, ms

  constructor(private readonly pause: (on: boolean) => void) {}

  // Whether the next frame may be drawn.
  ready(now: number): boolean {
    this.look(now);
    return this.drawn === null && now >= this.next;
  }

  private look(now: number): void {
    if (!this.drawn?.()) return;
    this.drawn = null;
    this.pause(false);
    this.next = Math.max(now + LEAST, Math.min(now + SHARE, 2 * now - this.began, this.began + PERIOD));
  }

  // A picture was handed to the graphics card, or to what stands in for it; `drawn` says whether it is finished.
  draws(now: number, drawn: () => boolean): void {
    this.drawn = drawn;
    this.began = now;
    this.pause(true);
    const look = (): void => {
      if (this.drawn !== drawn) return;
      this.look(performance.now());
      setTimeout(look, LOOK);
    };
    setTimeout(look, LOOK);
  }
}
