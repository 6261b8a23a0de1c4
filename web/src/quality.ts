// How finely the picture is drawn. Where there is no graphics card (remote desktops, virtual machines) the processor draws, and slowly: the
// time between pictures that follow each other is watched, and pixels, shadows and the sides of tubes are given up until there
// are 15 pictures in a second. A picture at rest has everything again.
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
const FOLLOW = 1500; // ms: pictures farther apart than this do not follow each other
const REST = 700; // ms without a picture

export class QualityWatch {
  level = 0;
  private resting = true; // the last picture was drawn with everything
  private last = -Infinity; // when the last picture was drawn
  private slow = 0; // pictures in a row
  private fast = 0;

  get quality(): Quality {
    return LEVELS[this.resting ? 0 : this.level];
  }

  // A picture is about to be drawn because something has changed.
  moved(now: number): void {
    const took = now - this.last;
    this.last = now;
    if (this.resting) {
      this.resting = false; // the time before it was rest
      return;
    }
    if (took > FOLLOW) return;
    this.slow = took > SLOW ? this.slow + 1 : 0;
    this.fast = took < FAST ? this.fast + 1 : 0;
    if (this.slow === 3 && this.level < LEVELS.length - 1) this.change(1);
    if (this.fast === 60 && this.level > 0) this.change(-1);
  }

  private change(by: number): void {
    this.level += by;
    this.slow = this.fast = 0;
  }

  // The next picture is one at rest, whatever moves.
  settle(): void {
    this.resting = true;
    this.last = -Infinity;
  }

  // Nothing has changed. Whether a picture with everything is due.
  rests(now: number): boolean {
    if (this.resting || now - this.last < REST) return false;
    this.resting = true;
    return this.level > 0;
  }
}
