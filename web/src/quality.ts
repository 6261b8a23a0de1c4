// Level of detail. Without a graphics card (remote desktops, virtual machines) the processor draws, slowly: the watch measures how long a
// picture delays the next turn of the browser's animation loop, and gives up pixels, shadows and sides of tubes until there are 15 pictures
// per second. A picture at rest is drawn with full detail.
export interface Quality {
  ratio: number; // of the pixels of the screen, in each direction
  shadows: boolean;
  coarse: number; // tubes: 0 as they are, 1, 2 fewer and fewer sides
}

const LEVELS: Quality[] = [
  { ratio: 1, shadows: true, coarse: 0 },
  { ratio: 0.75, shadows: true, coarse: 1 },
  { ratio: 0.6, shadows: false, coarse: 1 },
  { ratio: 0.45, shadows: false, coarse: 2 },
  { ratio: 0.33, shadows: false, coarse: 2 },
];
const SLOW = 1000 / 15; // ms
const FAST = 1000 / 40; // so fast that the next better level should still be fast enough
const VERY_SLOW = 4 * SLOW; // ms: one such picture is enough to lower the level
const REST = 700; // ms without a picture, and
const QUIET = 3; // turns of the loop: a single turn may take longer than REST where drawing is slow

export class QualityWatch {
  level = 0;
  private resting = true; // the last picture was drawn with full detail
  private last = -Infinity; // when the last picture was drawn
  private quiet = 0; // turns of the loop since then
  private slow = 0; // pictures in a row
  private fast = 0;

  get quality(): Quality {
    return LEVELS[this.resting ? 0 : this.level];
  }

  // A picture is about to be drawn because something has changed.
  moved(now: number): void {
    const took = now - this.last;
    const followed = this.quiet === 0; // then all of this time went into the picture, and none into waiting for a change
    this.last = now;
    this.quiet = 0;
    if (this.resting) {
      this.resting = false; // the time before it was rest
      return;
    }
    if (followed) this.judge(took);
  }

  private judge(took: number): void {
    this.slow = took > SLOW ? this.slow + 1 : 0;
    this.fast = took < FAST ? this.fast + 1 : 0;
    if ((this.slow === 3 || took > VERY_SLOW) && this.level < LEVELS.length - 1) this.change(1);
    if (this.fast === 60 && this.level > 0) this.change(-1);
  }

  private change(by: number): void {
    this.level += by;
    this.slow = this.fast = 0;
  }

  // The next picture is drawn with full detail, whatever moves.
  settle(): void {
    this.resting = true;
    this.last = -Infinity;
  }

  // Nothing has changed in this turn of the loop. The first such turn tells how long the last picture took. Returns whether a picture with full
  // detail is due.
  rests(now: number): boolean {
    if (!this.resting && ++this.quiet === 1) this.judge(now - this.last);
    if (this.resting || this.quiet < QUIET || now - this.last < REST) return false;
    this.resting = true;
    return this.level > 0;
  }
}
