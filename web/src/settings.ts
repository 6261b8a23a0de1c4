// The sliders of a live simulation. They show the server's values and send the user's changes.
import type { Link } from "./connection";
import { make } from "./dom";
import { number, withUnit } from "./format";
import type { Settings, Triple } from "./protocol";

interface Slider {
  input: HTMLInputElement;
  output: HTMLOutputElement;
}

export class SettingsPanel {
  private readonly gravity: Slider;
  private readonly mu: Slider;
  private readonly grainMu: Slider | null;
  private readonly step: Slider;
  private readonly tolerance: Slider;
  private readonly method = make("select", { id: "method" });
  private readonly asScene = make("button", { id: "mu-scene", text: "Use μ of the scene" });
  private readonly saved = make("output", { id: "saved" });
  private down: Triple = [0, 0, -1]; // direction of gravity, kept while its size is zero

  constructor(
    private readonly form: HTMLFormElement,
    private readonly connection: Link,
    settings: Settings,
    grains: boolean,
  ) {
    form.addEventListener("submit", (event) => event.preventDefault());
    this.gravity = this.slider("gravity", "Gravity", [0, 30, 0.01], (g) =>
      this.set("gravity", this.down.map((x) => x * g)),
    );
    this.mu = this.slider("mu", "Friction μ", [0, 1.5, 0.01], (mu) => this.set("mu", mu));
    const asScene = make("div", { className: "wide" }, this.asScene);
    this.asScene.type = "button";
    this.asScene.addEventListener("click", () => {
      this.set("mu", null);
      if (grains) this.set("grain_mu", null);
    });
    form.append(asScene);
    // friction inside sand; null in the answer: as the scene says
    this.grainMu = grains ? this.slider("grain-mu", "Friction μ of grains", [0, 1.5, 0.01], (mu) => this.set("grain_mu", mu)) : null;
    this.step = this.slider("dt", "Time step", [-5, -1.5, 0.05], (x) => this.set("step", rounded(Math.pow(10, x))));
    this.tolerance = this.slider("tolerance", "Tolerance", [-12, -2, 0.5], (x) =>
      this.set("tolerance", rounded(Math.pow(10, x))),
    );
    const label = make("label", { text: "Solver" });
    label.htmlFor = "method";
    form.append(label, this.method);
    this.method.addEventListener("change", () => this.set("method", this.method.value));
    this.saving();
    this.show(settings);
  }

  private slider(id: string, text: string, [min, max, step]: Triple, change: (value: number) => void): Slider {
    const label = make("label", { text });
    const input = make("input", { id });
    const output = make("output", { id: id + "-value" });
    label.htmlFor = id;
    Object.assign(input, { type: "range", min: String(min), max: String(max), step: String(step) });
    input.addEventListener("input", () => change(Number(input.value)));
    this.form.append(label, input, output);
    return { input, output };
  }

  private saving(): void {
    const row = make("div", { className: "wide" });
    for (const [what, text] of [["scene", "Save scene"], ["problem", "Save problem"]]) {
      const button = make("button", { id: "save-" + what, text });
      button.type = "button";
      button.addEventListener("click", () => this.connection.send({ type: "save", what }));
      row.append(button);
    }
    this.form.append(row, make("div", { className: "wide" }, this.saved));
  }

  private set(key: string, value: unknown): void {
    this.connection.send({ type: "set", key, value });
  }

  show(settings: Settings): void {
    const g = Math.hypot(...settings.gravity);
    if (g > 0) this.down = settings.gravity.map((x) => x / g) as Triple;
    put(this.gravity, g, withUnit(g, "m/s²"));
    put(this.mu, settings.mu ?? 0.5, settings.mu === null ? "scene" : number(settings.mu));
    const inside = settings.grain_mu ?? null;
    if (this.grainMu) put(this.grainMu, inside ?? 0.5, inside === null ? "scene" : number(inside));
    this.asScene.disabled = settings.mu === null && inside === null;
    put(this.step, Math.log10(settings.step), withUnit(settings.step, "s"));
    put(this.tolerance, Math.log10(settings.tolerance), number(settings.tolerance, 2));
    if (this.method.options.length === 0)
      for (const name of settings.methods) this.method.append(new Option(name, name));
    this.method.value = settings.method;
  }

  answer(text: string): void {
    this.saved.textContent = text;
  }
}

// A slider that is being moved is left alone: its own message is on the way.
function put({ input, output }: Slider, value: number, text: string): void {
  if (!input.matches(":active")) input.value = String(value);
  input.setAttribute("aria-valuetext", text);
  output.textContent = text;
}

function rounded(x: number): number {
  return Number(x.toPrecision(3));
}
