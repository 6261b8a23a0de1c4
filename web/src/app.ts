// The page: messages in, drawings and panels out.
import { Vector3 } from "three";
import { Charts, LiveSeries } from "./charts";
import type { Link, Listener } from "./connection";
import { contactCard, legend, nameOf } from "./contact_card";
import { byId, facts, make, place } from "./dom";
import { Drawings, makeDrawings } from "./draw/all";
import type { Hit } from "./draw/drawable";
import { GRAIN_UNITS, GrainColour } from "./draw/grains";
import { grainStatusColours } from "./draw/palette";
import type { SliceField } from "./draw/slice";
import { AXES_LIMIT } from "./draw/lines";
import { scaleGradient } from "./draw/scale";
import { number, withUnit } from "./format";
import { drawGauge } from "./gauge";
import { Key, listen, showHelp } from "./help";
import { Pace } from "./pace";
import { Pen } from "./pen";
import { copyText, renderCommand, savePicture } from "./picture";
import { Player, Want } from "./player";
import { Pointer } from "./pointer";
import { Binary, Contact, contactOf, Frame, Kind, ObjectMessage, SceneMessage, SeriesData, StatusMessage, TextMessage } from "./protocol";
import { SettingsPanel } from "./settings";
import { Stage } from "./stage";
import { Theme, Themes } from "./theme";

const TURNS: Record<string, [number, number, number]> = {
  j: [-0.1, 0, 1],
  l: [0.1, 0, 1],
  i: [0, 0.1, 1],
  k: [0, -0.1, 1],
  "+": [0, 0, 0.9],
  "=": [0, 0, 0.9], // the same key without Shift
  "-": [0, 0, 1 / 0.9],
};

const NEXT_COLOUR: Record<GrainColour, string> = { places: "speed", speed: "pressure", pressure: "fraction", fraction: "status", status: "slice-pressure", slice: "places" };

const LIVE_SERIES = ["kinetic", "potential", "elastic", "contacts", "stick", "slide", "residual", "iterations", "nu"];

export class App {
  readonly stage = new Stage(byId<HTMLCanvasElement>("canvas"));
  readonly charts: Charts;
  scene: SceneMessage | null = null;
  drawings: Drawings | null = null;
  player: Player | null = null;
  status: StatusMessage | null = null;
  frame: Frame | null = null;
  selected: { kind: Kind; index: number } | null = null;
  hovered: Contact | null = null;
  closed: string | null = null;
  private readonly themes = new Themes((theme) => this.paint(theme));
  private readonly connection: Link;
  readonly pen: Pen; // before the pointer: it takes what it wants
  private readonly pointer: Pointer;
  private readonly live = new LiveSeries();
  private pace: Pace | null = null; // of a simulation in this page
  private settings: SettingsPanel | null = null;
  private pickedContact = -1; // of the frame that is shown
  private arrivedFrame: Frame | null = null; // live: not drawn yet
  private fitFrames: Frame[] = [];
  private keys: Key[] = [];
  private noticeTimer = 0;
  private seriesAsked = 0; // that have not come
  private seriesUpTo = 0; // s, time of the request

  constructor(connect: (listener: Listener) => Link) {
    this.connection = connect({
      text: (message) => this.text(message),
      binary: (message) => this.binary(message),
      closed: (sentence) => this.lost(sentence),
    });
    const { connection } = this;
    if (connection.pause) this.pace = new Pace((on) => connection.pause?.(on));
    this.charts = new Charts(byId("charts"), this.themes.current, (time) => this.seekTime(time));
    this.pen = new Pen(this.stage, this.connection, () => this.scene?.mode === "live" && this.closed === null);
    this.pointer = new Pointer(
      this.stage,
      () => this.drawings?.contacts ?? null,
      this.connection,
      () => this.scene?.mode === "live" && this.closed === null,
      {
        hover: (index, x, y) => this.hover(index, x, y),
        pick: (hit) => this.pick(hit),
        pickContact: (index) => this.pickContact(index),
        grabbed: () => this.hint(""),
        isHeld: (sheet, vertex) => this.drawings?.sheets?.isHeld(sheet, vertex) ?? false,
      },
    );
    this.stage.onDraw(() => {
      this.placeLabels();
      drawGauge(this.stage);
    });
    this.buttons();
    this.themes.apply();
    const loop = (now: number): void => {
      this.tick(now);
      requestAnimationFrame(loop);
    };
    requestAnimationFrame(loop);
  }

  private tick(now: number): void {
    this.player?.tick(now);
    this.pointer.tick();
    this.pen.tick();
    const fresh = this.pace?.ready(now) === false ? null : this.arrivedFrame;
    if (fresh) {
      this.arrivedFrame = null;
      this.show(fresh);
    }
    this.stage.draw();
    if (!fresh) return;
    if (this.stage.watch.crowded) this.pace?.draws(now, this.stage.fence());
    this.connection.send({ type: "ack", index: fresh.index });
  }

  // -- messages ---------------------------------------------------------------------------------------------------

  private text(message: TextMessage): void {
    if (message.type === "scene") this.begin(message);
    else if (message.type === "status") this.statusChanged(message);
    else if (message.type === "settings") this.settings?.show(message);
    else if (message.type === "object") this.objectFacts(message);
    else if (message.type === "curve") this.pen.told(message);
    else if (message.type === "grown") this.grown(message);
    else if (message.type === "saved") this.settings?.answer(`Saved ${message.path}`);
    else if (message.type === "error") this.notice(message.text, 6);
  }

  private binary(message: Binary): void {
    if (message.what === "mesh") {
      this.stage.mesh(message.mesh);
      if (this.frame) this.stage.show(this.frame);
      this.stage.theme(this.themes.current);
    } else if (message.what === "surfaces") this.stage.surfaces(message.triangles);
    else if (message.what === "series") this.seriesCame(message.series);
    else if (this.player) this.playerFrame(message.frame);
    else this.frameCame(message.frame);
  }

  // A frame of the scene before this one, on its way when that ended, is not drawn.
  private frameCame(frame: Frame): void {
    const points = this.scene?.lines.count.reduce((sum, count) => sum + count, 0) ?? 0;
    if (frame.pointCount === points) this.arrivedFrame = frame;
    else this.connection.send({ type: "ack", index: frame.index });
  }

  private seriesCame(series: SeriesData): void {
    if (!this.player) return this.live.seed(series);
    this.charts.set(series);
    this.seriesAsked--;
    if (this.seriesAsked === 0 && this.seriesUpTo < this.scene!.end) this.askSeries(); // more has come meanwhile
  }

  private begin(scene: SceneMessage): void {
    this.scene = scene;
    this.arrivedFrame = null;
    document.title = `${scene.title || scene.file} – Capstan`;
    byId("title").textContent = scene.title || scene.file;
    byId("file").textContent = scene.title ? scene.file : "";
    this.drawings = makeDrawings(scene);
    this.stage.add(this.drawings.list, scene);
    this.stage.theme(this.themes.current);
    const live = scene.mode === "live";
    byId("runner").hidden = !live;
    byId("player").hidden = live;
    byId("scrub").hidden = live;
    byId("toggle-settings").hidden = !live;
    byId("toggle-tension").hidden = !scene.has_tension;
    const grainColour = byId<HTMLSelectElement>("grain-colour");
    grainColour.hidden = !this.drawings.grains;
    for (const option of grainColour.options) option.disabled = !scene.grains.stress && (option.value === "status" || option.value.startsWith("slice"));
    if (grainColour.selectedOptions[0]?.disabled) grainColour.value = "places";
    this.chooseGrains(grainColour.value); // as it was in the scene before
    byId("copy-command").hidden = live; // there is a result to render
    this.hint(live ? pullable(scene) : "");
    const contacts = byId<HTMLButtonElement>("toggle-contacts");
    contacts.disabled = !scene.has_contacts;
    if (!scene.has_contacts) contacts.title = "The result holds no contacts (output.contacts of its scene)";
    this.makeKeys(live);
    if (live) this.beginLive(scene);
    else this.beginResult(scene);
  }

  private beginResult(scene: SceneMessage): void {
    byId<HTMLInputElement>("scrub").max = String(Math.max(0, scene.frames - 1));
    this.charts.setup(scene.series, scene.end);
    this.player = new Player(
      this.connection,
      scene,
      (frame) => this.show(frame),
      () => this.playerChanged(),
    );
    this.player.want(this.wanted());
    // the last frame first: the view is fitted to where things begin and where they end
    this.player.seek(scene.frames - 1);
  }

  // A run has added frames. A view of the last frame follows.
  private grown(now: Pick<SceneMessage, "frames" | "end" | "until" | "finished">): void {
    const { scene, player } = this;
    if (!scene || !player) return;
    const follow = !player.playing && player.index >= scene.frames - 1;
    const { frames, end, until, finished } = now;
    Object.assign(scene, { frames, end, until, finished });
    byId<HTMLInputElement>("scrub").max = String(Math.max(0, frames - 1));
    this.charts.setEnd(end);
    if (!byId("charts").hidden) this.askSeries();
    player.seek(follow ? frames - 1 : player.index);
  }

  // Requests the series of the charts. One round at a time: the server limits the number of open requests.
  private askSeries(): void {
    if (this.seriesAsked > 0) return;
    const there = this.charts.wanted.filter((series) => this.scene?.series.includes(series));
    this.seriesAsked = this.player ? there.length : 0;
    this.seriesUpTo = this.scene?.end ?? 0;
    for (const series of there) this.connection.send({ type: "series", name: series });
  }

  private playerFrame(frame: Frame): void {
    const player = this.player!;
    if (this.fitFrames.length < 2 && this.scene) {
      this.fitFrames.push(frame);
      if (this.fitFrames.length === 1 && this.scene.frames > 1) {
        player.arrived(frame);
        player.seek(0);
        return;
      }
      player.arrived(frame);
      this.stage.fit(this.fitFrames, this.scene, false);
      return;
    }
    player.arrived(frame);
  }

  private beginLive(scene: SceneMessage): void {
    if (scene.settings && !this.settings) {
      this.settings = new SettingsPanel(byId<HTMLFormElement>("settings"), this.connection, scene.settings, scene.grains.particles > 0);
      this.panel("settings", window.innerWidth > 700 && window.innerHeight > 420); // on small windows they are folded
    }
    if (this.frame === null) this.charts.setup(LIVE_SERIES, 1);
    this.connection.send({ type: "want", ...this.wanted() });
  }

  private wanted(): Want {
    let points = 0;
    for (const count of this.scene?.lines.count ?? []) points += count;
    const { contacts, lines, grains } = this.drawings ?? {};
    return {
      contacts: contacts?.visible ?? false,
      axes: points > 0 && points <= AXES_LIMIT,
      tension: lines?.byTension ?? false,
      grains: grains?.by ?? "places",
    };
  }

  private show(frame: Frame): void {
    const first = this.frame === null;
    this.frame = frame;
    this.pickedContact = -1; // contacts have other numbers now; its card stays as it was
    this.stage.show(frame);
    if (first && this.scene?.mode === "live") this.stage.fit([frame], this.scene, false);
    if (this.drawings?.contacts.visible) byId("legend").replaceChildren(...legend(this.drawings.contacts.counts));
    if (this.drawings?.lines?.byTension) byId("strongest").textContent = `pulled, ${withUnit(this.drawings.lines.strongest, "N")}`;
    this.showGrainScale();
    this.hover(-1, 0, 0);
    if (this.player) {
      this.charts.cursor(frame.time);
      this.playerChanged();
    }
  }

  private statusChanged(status: StatusMessage): void {
    this.status = status;
    const row: Record<string, number> = {};
    for (const name of LIVE_SERIES) row[name] = status[name as keyof StatusMessage] as number;
    this.live.push(status.time, row);
    if (!byId("charts").hidden) {
      this.charts.update(this.live, Math.max(status.time, status.dt));
      this.charts.cursor(status.time);
    }
    const run = byId<HTMLButtonElement>("run");
    run.setAttribute("aria-pressed", String(status.running));
    run.setAttribute("aria-label", status.running ? "Pause" : "Run");
    byId("time").textContent = `${status.time.toFixed(3)} s`;
    byId("status").textContent = statusLine(status);
    this.drawings?.hand.hold(status.hand);
    this.stage.touch();
  }

  private lost(sentence: string): void {
    this.closed = sentence;
    this.player?.pause();
    const again = make("button", { text: "Reload" });
    again.addEventListener("click", () => location.reload());
    window.clearTimeout(this.noticeTimer);
    byId("notice").replaceChildren(document.createTextNode(sentence), again);
    byId("notice").hidden = false;
  }

  private notice(text: string, seconds: number): void {
    if (this.closed) return;
    byId("notice").textContent = text;
    byId("notice").hidden = false;
    window.clearTimeout(this.noticeTimer);
    this.noticeTimer = window.setTimeout(() => (byId("notice").hidden = true), 1000 * seconds);
  }

  // -- hovering and picking ---------------------------------------------------------------------------------------

  private hover(index: number, x: number, y: number): void {
    const tip = byId("tip");
    const { frame, scene, drawings } = this;
    this.hovered = index >= 0 && frame && scene && drawings ? contactOf(frame, index) : null;
    tip.hidden = this.hovered === null || index === this.pickedContact; // that one has its card
    drawings?.contacts.hover(this.hovered);
    if (this.hovered) {
      tip.replaceChildren(...contactCard(scene!, frame!, this.hovered, drawings!.contacts.pickedSide(this.hovered)));
      place(tip, x + 16, y + 16);
    }
    this.stage.touch();
  }

  private pick(hit: Pick<Hit, "kind" | "index"> | null): void {
    this.selected = hit ? { kind: hit.kind, index: hit.index } : null;
    this.pickedContact = -1;
    this.stage.select(hit?.kind ?? null, hit?.index ?? -1);
    const shown = this.player && this.frame ? { frame: this.frame.index } : {}; // later frames of a result may be here already
    if (hit) this.connection.send({ type: "pick", kind: hit.kind, index: hit.index, ...shown });
    else byId("info").hidden = true;
  }

  // By the keyboard: through all bodies, fibres, sheets and obstacles.
  private pickNext(by: number): void {
    if (!this.scene) return;
    const { bodies, fibres, sheets, obstacles } = this.scene;
    const counts: [Kind, number][] = [["body", bodies.length], ["fibre", fibres.length], ["sheet", sheets.length], ["obstacle", obstacles.length]];
    const all = counts.reduce((sum, [, count]) => sum + count, 0);
    let place = by > 0 ? -1 : 0;
    let before = 0;
    for (const [kind, count] of counts) {
      if (this.selected?.kind === kind) place = before + this.selected.index;
      before += count;
    }
    place = (place + by + all) % Math.max(1, all);
    for (const [kind, count] of counts) {
      if (place < count) return this.pick({ kind, index: place });
      place -= count;
    }
  }

  private pickContact(index: number): void {
    const { frame, scene } = this;
    if (!frame || !scene) return;
    const contact = contactOf(frame, index);
    this.pickedContact = index;
    byId("tip").hidden = true;
    this.info(...contactCard(scene, frame, contact, this.drawings?.contacts.pickedSide(contact) ?? -1));
  }

  private objectFacts(message: ObjectMessage): void {
    const name = message.name || nameOf(this.scene!, message.kind, message.index);
    this.info(make("h2", { text: name }), facts(message.facts));
  }

  private info(...nodes: Node[]): void {
    const close = make("button", { text: "×" });
    close.setAttribute("aria-label", "Close");
    close.addEventListener("click", () => this.pick(null));
    byId("info").replaceChildren(close, ...nodes);
    byId("info").hidden = false;
  }

  private placeLabels(): void {
    const force = byId("force");
    const hand = this.status?.hand ?? null;
    force.hidden = hand === null;
    if (!hand) return;
    const depth = this.pointer.depth;
    const deep = Math.abs(depth) < 1e-4 * this.stage.radius ? "" : `, ${withUnit(Math.abs(depth), "m")} ${depth > 0 ? "away" : "nearer"}`;
    force.textContent = withUnit(Math.hypot(...hand.force), "N") + deep;
    const at = this.stage.project(new Vector3(...hand.target));
    place(force, at.x + 14, at.y - 30);
  }

  // -- panels and buttons -----------------------------------------------------------------------------------------

  private paint(theme: Theme): void {
    this.stage.theme(theme);
    this.charts?.setTheme(theme);
  }

  private playerChanged(): void {
    const { player, scene, frame } = this;
    if (!player || !scene) return;
    const scrub = byId<HTMLInputElement>("scrub");
    scrub.value = String(player.index);
    const time = frame?.index === player.index ? frame.time : player.index / player.rate;
    scrub.setAttribute("aria-valuetext", `${time.toFixed(3)} seconds`);
    scrub.style.setProperty("--done", `${(100 * player.index) / Math.max(1, scene.frames - 1)}%`);
    const play = byId<HTMLButtonElement>("play");
    play.setAttribute("aria-pressed", String(player.playing));
    play.setAttribute("aria-label", player.playing ? "Pause" : "Play");
    byId("time").textContent = `${time.toFixed(3)} s`;
    const end = scene.finished ? `end ${number(scene.end)} s` : `written up to ${number(scene.end)} s of ${number(scene.until)} s`;
    byId("status").textContent = `frame ${player.index} of ${scene.frames - 1}, ${end}`;
  }

  private seekTime(time: number): void {
    this.player?.pause();
    this.player?.seek(time * (this.player?.rate ?? 0));
  }

  private panel(name: "charts" | "settings", on: boolean): void {
    byId(name).hidden = !on;
    byId("toggle-" + name).setAttribute("aria-pressed", String(on));
    const other = name === "charts" ? "settings" : "charts";
    if (on && window.innerHeight < 640 && !byId(other).hidden) this.panel(other, false); // there is room for one
    byId("side").hidden = byId("charts").hidden && byId("settings").hidden;
    if (name !== "charts" || !on) return;
    this.askSeries();
    this.charts.draw();
  }

  private toggleContacts(): void {
    const contacts = this.drawings?.contacts;
    if (!contacts || !this.scene?.has_contacts) return;
    contacts.visible = !contacts.visible;
    byId("toggle-contacts").setAttribute("aria-pressed", String(contacts.visible));
    byId("legend").hidden = !contacts.visible;
    byId("legend").replaceChildren(...legend(contacts.counts));
    this.hover(-1, 0, 0);
    this.askFor();
  }

  private toggleTension(): void {
    const lines = this.drawings?.lines;
    if (!lines || !this.scene?.has_tension) return;
    lines.byTension = !lines.byTension;
    byId("toggle-tension").setAttribute("aria-pressed", String(lines.byTension));
    byId("scale").hidden = !lines.byTension;
    if (this.frame) this.stage.show(this.frame);
    this.askFor();
  }

  // One of the words of the list: a colour, or a slice and its field.
  private chooseGrains(word: string): void {
    const { grains, slice } = this.drawings ?? {};
    if (!grains || !slice) return;
    const [by, field] = word.split("-");
    grains.by = by as GrainColour;
    slice.on = by === "slice";
    if (field) slice.field = field as SliceField;
    byId<HTMLSelectElement>("grain-colour").value = word;
    byId("slice-at").hidden = !slice.on;
  }

  private colourGrains(word: string): void {
    if (!this.drawings?.grains) return;
    this.chooseGrains(word);
    if (this.frame) this.stage.show(this.frame);
    this.showGrainScale();
    this.askFor();
  }

  // None before the first frame with the numbers has come.
  private showGrainScale(): void {
    const { grains, slice } = this.drawings ?? {};
    const by = slice?.on ? slice.field : (grains?.by ?? "places");
    const most = (slice?.on ? slice.most : grains?.most) ?? 0;
    byId("grain-scale").hidden = by === "places" || by === "status";
    byId("grain-status").hidden = by !== "status";
    byId("grain-most").textContent = most > 0 ? `${by} ${by === "fraction" ? number(most) : withUnit(most, GRAIN_UNITS[by])}` : `${by} is 0 everywhere`;
  }

  private askFor(): void {
    if (this.player) this.player.want(this.wanted());
    else this.connection.send({ type: "want", ...this.wanted() });
  }

  private run(): void {
    this.connection.send({ type: this.status?.running ? "pause" : "run" });
  }

  private refit(): void {
    if (this.frame && this.scene) this.stage.fit([this.frame], this.scene, true);
  }

  private buttons(): void {
    const click = (id: string, act: () => void): void =>
      byId(id).addEventListener("click", (event) => {
        act();
        if (event.detail > 0) byId(id).blur(); // by the mouse: Space plays again, and does not press this button
      });
    click("toggle-contacts", () => this.toggleContacts());
    click("toggle-tension", () => this.toggleTension());
    click("toggle-charts", () => this.panel("charts", byId("charts").hidden));
    click("toggle-settings", () => this.panel("settings", byId("settings").hidden));
    click("toggle-theme", () => this.themes.toggle());
    click("fit", () => this.refit());
    click("help-button", () => this.help());
    click("save-picture", () => savePicture(this.stage, `${byId("title").textContent} ${byId("time").textContent}.png`));
    click("copy-command", () => void this.copyCommand());
    click("play", () => this.player?.toggle());
    click("first", () => this.player?.seek(0));
    click("last", () => this.player?.seek(Infinity));
    click("previous", () => this.stepFrame(-1));
    click("next", () => this.stepFrame(1));
    click("run", () => this.run());
    click("step", () => this.connection.send({ type: "step" }));
    click("reset", () => this.connection.send({ type: "reset" }));
    const scrub = byId<HTMLInputElement>("scrub");
    scrub.addEventListener("input", () => {
      this.player?.pause();
      this.player?.seek(Number(scrub.value));
    });
    byId("grain-ramp").style.background = scaleGradient();
    const grains = byId<HTMLSelectElement>("grain-colour");
    grains.addEventListener("change", () => {
      this.colourGrains(grains.value);
      grains.blur();
    });
    const at = byId<HTMLInputElement>("slice-at");
    at.addEventListener("input", () => {
      if (!this.drawings?.slice) return;
      this.drawings.slice.at = Number(at.value);
      if (this.frame) this.stage.show(this.frame);
      this.showGrainScale();
    });
    byId("grain-status").replaceChildren(
      ...grainStatusColours().flatMap((colour, k) => {
        const dot = document.createElement("b");
        dot.style.background = colour;
        return [dot, ["flying", "solid", "flowing"][k]];
      }),
    );
    const speed = byId<HTMLSelectElement>("speed");
    speed.addEventListener("change", () => {
      if (this.player) this.player.speed = Number(speed.value);
      speed.blur(); // the keys are the player's again
    });
    this.makeKeys(false);
    listen(this.keys);
  }

  private async copyCommand(): Promise<void> {
    const { scene, frame, drawings } = this;
    if (!scene || !frame) return;
    const options = { dark: this.themes.current.dark, contacts: drawings?.contacts.visible ?? false, tension: drawings?.lines?.byTension ?? false, grains: drawings?.grains?.by ?? "places" } as const;
    const command = renderCommand(this.stage, scene, frame.index, options);
    await copyText(command);
    this.notice(`Copied: ${command}`, 6);
  }

  private hint(text: string): void {
    byId("hint").textContent = text;
    byId("hint").hidden = text === "";
  }

  private stepFrame(by: number): void {
    this.player?.pause();
    this.player?.seek(this.player.index + by);
  }

  private help(): void {
    const { scene } = this;
    showHelp(byId<HTMLDialogElement>("help"), this.keys, scene?.mode === "live", (scene?.sheets.length ?? 0) > 0);
  }

  // The table is filled in place: the listener keeps it.
  private makeKeys(live: boolean): void {
    const key = (keys: string[], label: string, text: string, act: (event: KeyboardEvent) => void): Key => ({ keys, label, text, act });
    const own = live
      ? [
          key([" "], "Space", "run, pause", () => this.run()),
          key(["ArrowRight"], "→", "one step", () => this.connection.send({ type: "step" })),
          key(["Home"], "Home", "restart", () => this.connection.send({ type: "reset" })),
          ...(this.scene?.sheets.length
            ? [key(["p"], "p", "pin or release the vertex of a sheet or a solid under the pointer", () => this.pointer.pin())]
            : []),
          key(["e"], "e", "pen: draw fibres", () => this.pen.toggle("pen")),
          key(["x"], "x", "scissors: cut fibres", () => this.pen.toggle("scissors")),
          key(["s"], "s", "settings", () => this.panel("settings", byId("settings").hidden)),
        ]
      : [
          key([" "], "Space", "play, pause", () => this.player?.toggle()),
          key(["ArrowRight", "ArrowLeft"], "← →", "one frame (with Shift: ten)", (event) =>
            this.stepFrame((event.key === "ArrowLeft" ? -1 : 1) * (event.shiftKey ? 10 : 1)),
          ),
          key(["Home"], "Home", "first frame", () => this.player?.seek(0)),
          key(["End"], "End", "last frame", () => this.player?.seek(Infinity)),
        ];
    this.keys.splice(
      0,
      this.keys.length,
      ...own,
      key(["c"], "c", "contacts", () => this.toggleContacts()),
      key(["t"], "t", "colour fibres by tension, if available", () => this.toggleTension()),
      ...(this.scene?.grains.particles
        ? [key(["v"], "v", "colour of grains: material, speed, pressure, fraction, status, slice", () => this.colourGrains(NEXT_COLOUR[this.drawings?.grains?.by ?? "places"]))]
        : []),
      key(["g"], "g", "charts", () => this.panel("charts", byId("charts").hidden)),
      key(["n", "N"], "n N", "select the next or previous object", (event) => this.pickNext(event.key === "n" ? 1 : -1)),
      key(Object.keys(TURNS), "i j k l + −", "rotate the view and zoom", (event) => this.stage.turn(...TURNS[event.key])),
      key(["f"], "f", "fit the view", () => this.refit()),
      key(["d"], "d", "dark, light", () => this.themes.toggle()),
      key(["?"], "?", "show this help", () => this.help()),
      key(["Escape"], "Esc", "close this help, clear the selection", () => this.pick(null)),
    );
  }
}

// A sentence that names the objects that can be pulled.
function pullable(scene: SceneMessage): string {
  const kinds = [scene.bodies.length && "a body", scene.fibres.length && "a fibre", scene.sheets.length && "a sheet or a solid"].filter(Boolean);
  if (kinds.length === 0) return "";
  return `Drag ${kinds.length > 1 ? `${kinds.slice(0, -1).join(", ")} or ${kinds[kinds.length - 1]}` : kinds[0]} to pull it.`;
}

function statusLine(status: StatusMessage): string {
  if (status.sentence) return status.sentence;
  const contacts = `${status.contacts} contacts (${status.stick} stick, ${status.slide} slide)`;
  const solved = `residual ${number(status.residual, 2)} in ${status.iterations} it`;
  return `${contacts}  ·  ${solved}  ·  ν ${number(status.nu, 2)}  ·  ${number(status.pace, 2)}× real time`;
}
