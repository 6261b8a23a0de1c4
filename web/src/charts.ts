// Charts of scalars against time, one under the other with one time axis, linked to the cursor. Drawn on a canvas each.
import { niceStep, number } from "./format";
import type { SeriesData } from "./protocol";
import type { Theme } from "./theme";

interface ChartDef {
  id: string;
  title: string;
  unit: string;
  log?: boolean;
  series: string[];
}

// Possible charts; those with series in the scene are shown.
const CHARTS: ChartDef[] = [
  { id: "energy", title: "Energy", unit: "J", series: ["kinetic", "potential", "elastic"] },
  { id: "contacts", title: "Contacts", unit: "", series: ["contacts", "stick", "slide"] },
  { id: "residual", title: "Residual", unit: "", log: true, series: ["residual"] },
  { id: "iterations", title: "Iterations", unit: "", series: ["iterations"] },
  { id: "nu", title: "ν = 3n/m", unit: "", series: ["nu"] },
];

const MAX_LIVE = 4000;

// Series of a living simulation: grows with its status; every second point is dropped when it is full.
export class LiveSeries {
  private times: number[] = [];
  private values = new Map<string, number[]>();
  private before = new Map<string, SeriesData>();

  push(time: number, row: Record<string, number>): void {
    if (this.times.length > 0 && time <= this.times[this.times.length - 1]) {
      if (time < this.times[this.times.length - 1]) this.clear(); // it began again
      else return;
    }
    this.times.push(time);
    for (const [name, value] of Object.entries(row)) {
      const list = this.values.get(name) ?? [];
      list.push(value);
      this.values.set(name, list);
    }
    if (this.times.length <= MAX_LIVE) return;
    const even = (_: number, i: number): boolean => i % 2 === 0;
    this.times = this.times.filter(even);
    for (const [name, list] of this.values) this.values.set(name, list.filter(even));
  }

  clear(): void {
    this.times = [];
    this.values.clear();
    this.before.clear();
  }

  // The history from before the page connected, as the server sends it: series by series, all at the same times.
  seed(series: SeriesData): void {
    const until = this.times[0] ?? Infinity;
    let count = 0;
    while (count < series.times.length && series.times[count] < until) ++count;
    const { name } = series;
    this.before.set(name, { name, times: series.times.subarray(0, count), values: series.values.subarray(0, count) });
  }

  get(name: string): SeriesData | null {
    const list = this.values.get(name);
    if (!list) return null;
    const { times, values } = this.before.get(name) ?? { times: [], values: [] };
    return { name, times: Float64Array.from([...times, ...this.times]), values: Float64Array.from([...values, ...list]) };
  }
}

interface Chart {
  def: ChartDef;
  names: string[];
  canvas: HTMLCanvasElement;
  readout: HTMLElement;
}

export class Charts {
  private readonly data = new Map<string, SeriesData>();
  private readonly charts: Chart[] = [];
  private time = 0;
  private hoverTime: number | null = null;
  private end = 1;

  constructor(
    private readonly root: HTMLElement,
    private theme: Theme,
    private readonly seek: (time: number) => void,
  ) {
    new ResizeObserver(() => this.draw()).observe(root);
  }

  // Makes the charts whose series are among `names`.
  setup(names: string[], end: number): void {
    this.end = end;
    for (const def of CHARTS) {
      const there = def.series.filter((name) => names.includes(name));
      if (there.length === 0) continue;
      const box = document.createElement("section");
      box.className = "chart";
      box.id = "chart-" + def.id;
      const head = document.createElement("header");
      const title = document.createElement("h3");
      title.textContent = def.title + (def.unit ? `, ${def.unit}` : "") + (def.log ? ", log" : "");
      const readout = document.createElement("output");
      readout.setAttribute("aria-live", "off");
      head.append(title, readout);
      const canvas = document.createElement("canvas");
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", def.title + " against time");
      box.append(head, canvas);
      this.root.append(box);
      const chart = { def, names: there, canvas, readout };
      this.charts.push(chart);
      this.listen(chart);
    }
  }

  private listen({ canvas }: Chart): void {
    const timeAt = (event: PointerEvent): number => {
      const box = canvas.getBoundingClientRect();
      return Math.max(0, Math.min(1, (event.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT))) * this.end;
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.seek(timeAt(event));
    });
    canvas.addEventListener("pointermove", (event) => {
      this.hoverTime = timeAt(event);
      if (event.buttons & 1) this.seek(this.hoverTime);
      this.draw();
    });
    canvas.addEventListener("pointerleave", () => {
      this.hoverTime = null;
      this.draw();
    });
  }

  get wanted(): string[] {
    return this.charts.flatMap((chart) => chart.names);
  }

  set(series: SeriesData): void {
    this.data.set(series.name, series);
    this.draw();
  }

  update(live: LiveSeries, end: number): void {
    this.end = end;
    for (const name of this.wanted) {
      const series = live.get(name);
      if (series) this.data.set(name, series);
    }
    this.draw();
  }

  setEnd(end: number): void {
    this.end = end;
    this.draw();
  }

  cursor(time: number): void {
    this.time = time;
    this.draw();
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.draw();
  }

  // The value of a series at a time: that of the sample nearest to it.
  value(name: string, time = this.time): number | null {
    const series = this.data.get(name);
    if (!series || series.times.length === 0) return null;
    return series.values[nearestIndex(series.times, time)];
  }

  draw(): void {
    if (this.root.hidden || this.root.clientWidth === 0) return;
    for (const chart of this.charts) this.drawOne(chart, chart === this.charts[this.charts.length - 1]);
  }

  private colours(count: number): string[] {
    const { theme } = this;
    return count === 1 ? [theme.accent] : [theme.text, theme.stick, theme.slideInk].slice(0, count);
  }

  private drawOne(chart: Chart, last: boolean): void {
    const { canvas } = chart;
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    const ratio = window.devicePixelRatio;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const g = canvas.getContext("2d");
    if (!g) return;
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, width, height);
    const all = chart.names.map((name) => this.data.get(name)).filter((s): s is SeriesData => s !== undefined && !isEmpty(s));
    const plot: Plot = {
      g,
      left: LEFT,
      right: width - RIGHT,
      top: 6,
      bottom: height - (last ? 20 : 6),
      end: this.end,
      ...range(all, chart.def.log ?? false),
    };
    this.axes(plot, last);
    const colours = this.colours(chart.names.length);
    all.forEach((series) => curve(plot, series, colours[chart.names.indexOf(series.name)]));
    this.cursorLine(plot);
    this.read(chart, colours);
  }

  private axes(plot: Plot, times: boolean): void {
    const { g } = plot;
    g.font = `${0.86 * parseFloat(getComputedStyle(this.root).fontSize)}px system-ui, sans-serif`;
    g.lineWidth = 1;
    g.strokeStyle = this.theme.line;
    g.fillStyle = this.theme.faint;
    g.textAlign = "right";
    g.textBaseline = "middle";
    for (const tick of ticks(plot)) {
      const y = Math.round(yOf(plot, tick)) + 0.5;
      g.beginPath();
      g.moveTo(plot.left, y);
      g.lineTo(plot.right, y);
      g.stroke();
      g.fillText(number(tick, 2), plot.left - 6, y);
    }
    if (!times) return;
    g.textBaseline = "top";
    const step = niceStep(this.end / 5);
    for (let t = 0; t <= this.end * 1.0001; t += step) {
      g.textAlign = t === 0 ? "left" : "center";
      g.fillText(number(t) + (t === 0 ? " s" : ""), xOf(plot, t), plot.bottom + 4);
    }
  }

  private cursorLine(plot: Plot): void {
    const { g } = plot;
    const line = (time: number, colour: string): void => {
      const x = Math.round(xOf(plot, time)) + 0.5;
      g.strokeStyle = colour;
      g.beginPath();
      g.moveTo(x, plot.top);
      g.lineTo(x, plot.bottom);
      g.stroke();
    };
    if (this.hoverTime !== null) line(this.hoverTime, this.theme.faint);
    line(this.time, this.theme.accent);
  }

  private read(chart: Chart, colours: string[]): void {
    const time = this.hoverTime ?? this.time;
    chart.readout.replaceChildren(
      ...chart.names.flatMap((name, i) => {
        const series = this.data.get(name);
        if (series && isEmpty(series)) return [];
        const value = this.value(name, time);
        const item = document.createElement("span");
        item.dataset["series"] = name;
        item.dataset["value"] = value === null ? "" : String(value);
        item.style.color = colours[i];
        item.textContent = (chart.names.length > 1 ? name + " " : "") + (value === null ? "–" : number(value));
        return [item];
      }),
    );
  }
}

// A scene without fibres has no elastic energy: nothing to draw. Other zeros are worth seeing.
function isEmpty(series: SeriesData): boolean {
  return series.name === "elastic" && series.values.every((value) => value === 0);
}

const LEFT = 58;
const RIGHT = 12;

interface Plot {
  g: CanvasRenderingContext2D;
  left: number;
  right: number;
  top: number;
  bottom: number;
  end: number;
  low: number;
  high: number;
  log: boolean;
}

function range(all: SeriesData[], log: boolean): { low: number; high: number; log: boolean } {
  let low = Infinity;
  let high = -Infinity;
  for (const { values } of all)
    for (const value of values) {
      if (!Number.isFinite(value) || (log && value <= 0)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  if (low > high) return log ? { low: 1e-12, high: 1, log } : { low: 0, high: 1, log };
  if (log) return { low: Math.pow(10, Math.floor(Math.log10(low))), high: Math.pow(10, Math.ceil(Math.log10(high) + 1e-9)), log };
  if (low > 0) low = 0; // counts and energies are read against zero
  if (high < 0) high = 0;
  if (high - low < 1e-300) high = low + 1;
  const room = 0.06 * (high - low);
  return { low: low < 0 ? low - room : low, high: high > 0 ? high + room : high, log };
}

function ticks(plot: Plot): number[] {
  const list: number[] = [];
  if (plot.log) {
    const first = Math.round(Math.log10(plot.low));
    const last = Math.round(Math.log10(plot.high));
    const step = Math.max(1, Math.ceil((last - first) / 3));
    for (let k = first; k <= last; k += step) list.push(Math.pow(10, k));
    return list;
  }
  const step = niceStep((plot.high - plot.low) / 3);
  for (let k = Math.ceil(plot.low / step); k * step <= plot.high; ++k) list.push(k * step);
  return list;
}

function xOf(plot: Plot, time: number): number {
  return plot.left + (plot.right - plot.left) * (plot.end > 0 ? time / plot.end : 0);
}

function yOf(plot: Plot, value: number): number {
  const part = plot.log
    ? (Math.log10(Math.max(value, plot.low)) - Math.log10(plot.low)) / (Math.log10(plot.high) - Math.log10(plot.low))
    : (value - plot.low) / (plot.high - plot.low);
  return plot.bottom - (plot.bottom - plot.top) * part;
}

function curve(plot: Plot, series: SeriesData, colour: string): void {
  const { g } = plot;
  g.strokeStyle = colour;
  g.lineWidth = 1.5;
  g.lineJoin = "round";
  g.beginPath();
  let pen = false;
  for (let i = 0; i < series.times.length; ++i) {
    const value = series.values[i];
    if (!Number.isFinite(value)) {
      pen = false;
      continue;
    }
    const x = xOf(plot, series.times[i]);
    const y = yOf(plot, value);
    if (pen) g.lineTo(x, y);
    else g.moveTo(x, y);
    pen = true;
  }
  g.stroke();
}

export function nearestIndex(times: ArrayLike<number>, time: number): number {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] < time) low = middle + 1;
    else high = middle;
  }
  return low > 0 && time - times[low - 1] < times[low] - time ? low - 1 : low;
}
