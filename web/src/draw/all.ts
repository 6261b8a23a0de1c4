// Everything that is drawn, in order. A later model adds its line here; its data come with the frames as a section of its
// own (Frame.sections), and what belongs to all frames with the message `scene`.
import type { SceneMessage } from "../protocol";
import type { Drawable, Factory } from "./drawable";
import { Contacts } from "./contacts";
import { Grains } from "./grains";
import { Ground } from "./ground";
import { HandDrawing } from "./hand";
import { Lines } from "./lines";
import { Sheets } from "./sheets";
import { Slice } from "./slice";
import { Solids } from "./solids";
import { Ties } from "./ties";

export const FACTORIES: Factory[] = [
  (scene) => new Ground(scene),
  (scene) => (scene.parts.some((part) => part.kind !== "plane") ? new Solids(scene) : null),
  (scene) => (scene.lines.count.length > 0 ? new Lines(scene) : null),
  (scene) => (scene.sheets.length > 0 ? new Sheets(scene) : null),
  (scene) => (scene.grains.particles > 0 ? new Grains(scene) : null),
  (scene) => (scene.grains.particles > 0 ? new Slice(scene) : null),
  (scene) => (scene.ties > 0 ? new Ties(scene) : null),
];

export interface Drawings {
  list: Drawable[];
  lines: Lines | null;
  sheets: Sheets | null;
  grains: Grains | null;
  slice: Slice | null;
  contacts: Contacts;
  hand: HandDrawing;
}

export function makeDrawings(scene: SceneMessage): Drawings {
  const contacts = new Contacts();
  const hand = new HandDrawing(scene);
  const list = FACTORIES.map((make) => make(scene)).filter((drawable): drawable is Drawable => drawable !== null);
  const lines = list.find((drawable): drawable is Lines => drawable instanceof Lines) ?? null;
  const sheets = list.find((drawable): drawable is Sheets => drawable instanceof Sheets) ?? null;
  const grains = list.find((drawable): drawable is Grains => drawable instanceof Grains) ?? null;
  const slice = list.find((drawable): drawable is Slice => drawable instanceof Slice) ?? null;
  return { list: [...list, contacts, hand], lines, sheets, grains, slice, contacts, hand };
}
