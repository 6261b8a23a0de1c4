// Level of detail. Without a graphics card (remote desktops, virtual machines) the processor draws, slowly: the watch measures how long a
// picture delays the turns of the browser's animation loop that follow it (often not the very next one), and gives up pixels, shadows and round fibres until there are 15 pictures
// per second. A picture at rest has all pixels and shadows again, and round fibres unless it would stop the page for longer than a second.
export interface Quality {
  ratio: number; // of the pixels of the screen, in each direction
  shadows: boolean;
  coarse: number; // fibres: 0 round, 1 flat ribbons, 2, 3 fewer and fewer of their segments
}

const LEVELS: Quality[] = [
  { ratio: 1, shadows: true, coarse: 0 },
  { ratio: 0.75, shadows: true, coarse: 1 },
  { ratio: 0.6, shadows: false, coarse: 1 },
  { ratio: 0.45, shadows: false, coarse: 2 },
  { ratio: 0.33, shadows: false, coarse: 3 },
];
const RIBBONS_AT_REST: Quality = { ratio: 1, shadows: true, coarse: 1 };
const SLOW = 1000 / 15; // ms
const FAST = 1000 / 40; // so fast that the next better level should still be fast enough
const VERY_SLOW = 4 * SLOW; // ms: one such picture is enough to lower the level
const TOO_SLOW = 1000; // ms: a picture with round fibres at rest, at most
const REST = 700; // ms without a picture, and
const QUIET = 3; // turns of the loop: a single turn may take longer than REST where drawing is slow

export class QualityWatch {
  level = 0;
  crowded = false; // too slow even on the last level
  private resting = true; // the last picture was drawn with full detail
  private last = -Infinity; // when the last picture was drawn
  private quiet = 0; // turns of the loop since then without a picture
  private turned = 0; // when the last turn was
  private longest = 0; // ms between two turns since the last picture
  private slow = 0; // pictures in a row
  private fast = 0;
  private round = 0; // ms that the last picture with round fibres took
  private whole = false; // even if it takes long

  get quality(): Quality {
    if (!this.resting) return LEVELS[this.level];
    return this.round > TOO_SLOW && !this.whole ? RIBBONS_AT_REST : LEVELS[0];
  }

  // Each turn of the loop calls either moved() or rests(). A picture is about to be drawn because something has changed.
  moved(now: number): void {
    this.turn(now);
    if (!this.resting && this.quiet < QUIET) this.judge(this.longest);
    this.resting = this.whole = false;
    this.last = now;
    this.longest = this.quiet = 0;
  }

  private turn(now: number): void {
    this.longest = Math.max(this.longest, now - this.turned);
    this.turned = now;
  }

  private judge(took: number): void {
    if (this.level === 0) this.round = took;
    this.slow = took > SLOW ? this.slow + 1 : 0;
    this.fast = took < FAST ? this.fast + 1 : 0;
    const worst = this.level === LEVELS.length - 1;
    if (this.slow === 3 && worst) this.crowded = true;
    if ((this.slow === 3 || took > VERY_SLOW) && !worst) this.change(1);
    if (this.fast === 60 && this.level > 0) this.change(-1);
  }

  private change(by: number): void {
    this.level += by;
    if (by < 0) this.crowded = false;
    this.slow = this.fast = 0;
  }

  // The next picture is drawn with full detail, even during motion.
  settle(): void {
    this.resting = this.whole = true;
    this.last = -Infinity;
  }

  // Nothing has changed in this turn of the loop. Returns whether a picture with full detail is due.
  rests(now: number): boolean {
    this.turn(now);
    if (this.resting) return false;
    if (++this.quiet === QUIET) this.judge(this.longest);
    if (this.quiet < QUIET || now - this.last < REST) return false;
    this.resting = true;
    return this.level > 0;
  }
}
