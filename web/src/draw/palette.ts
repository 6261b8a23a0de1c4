// Colours of materials: quiet ones, so that the arrows of contacts stand out.
import { Color } from "three";

interface Named {
  name: string;
}

// The palette of src/base/palette.h: stone, clay, sage, mauve, teal, straw, umber, slate. Nothing has the colours of contacts.
const PALETTE = ["#b9a88f", "#a8584a", "#7f9474", "#8a7aa0", "#5f8f92", "#cdbb7a", "#7a5236", "#77889b"];
export const OBSTACLE = "#c3c8ce";
// where the first material of a kind is
const BODY = 0;
const FIBRE = 6;
const SHEET = 4;
const GRAIN = 5;
const FAMILIES = 8; // of names that have a colour each
const colourOf = (kind: number, number: number): string => PALETTE[(number + kind) % PALETTE.length];
// Words in names of materials, and how such things look: those of src/render/colour.c.
const LOOKS: [string, string][] = [
  ["hair", "#6b3a1e"],
  ["skin", "#d9a98a"],
  ["pasta", "#e8c47a"],
  ["plate", "#d5dae0"],
  ["steel", "#aeb6bf"],
  ["iron", "#8a8f96"],
  ["hemp", "#c2a26b"],
  ["rope", "#c2a26b"],
  ["wood", "#b98552"],
  ["bark", "#6e5438"],
  ["leaf", "#6f9a3e"],
  ["stone", "#b5ac9e"],
  ["brick", "#b5583f"],
  ["rubber", "#4a4d52"],
  ["glass", "#bcd6dc"],
  ["paper", "#ece6d8"],
  ["cotton", "#e6e1d6"],
  ["wire", "#b87a4b"],
  ["ice", "#c9e3ee"],
];

// Numbers of the families of names: "tower[3]" and "tower[4]" are one. The same as in src/render/colours.c.
export function families(things: Named[]): number[] {
  const found: string[] = [];
  return things.map(({ name }) => {
    const stem = name.split("[")[0];
    const k = found.indexOf(stem);
    if (k >= 0) return k;
    return found.length < FAMILIES ? found.push(stem) - 1 : 0;
  });
}

// By material; a thing without one goes by the family of its name.
function material(names: string[], kind: number, number: number, family: number): string {
  const name = names[number] ?? "";
  const look = LOOKS.find(([word]) => name.includes(word));
  return look ? look[1] : colourOf(kind, name ? number : family);
}

// Neighbours of one material differ a little, so that one stone can be told from the next.
function shaded(hex: string, index: number, amount: number): Color {
  const noise = ((Math.imul(index + 1, 2654435761) >>> 8) % 1000) / 999 - 0.5;
  return new Color(hex).offsetHSL(0, 0, amount * noise);
}

export function bodyColour(names: string[], number: number, index: number, family: number): Color {
  return shaded(material(names, BODY, number, family), index, 0.13);
}

export function fibreColour(names: string[], number: number, index: number, family: number, many: boolean): Color {
  return shaded(material(names, FIBRE, number, family), index, many ? 0.14 : 0.06);
}

export function sheetColour(names: string[], number: number, family: number): Color {
  return new Color(material(names, SHEET, number, family));
}

// Grey without a material, so that moving objects stand out.
export function obstacleColour(names: string[], number: number, index: number): Color {
  return shaded(names[number] ? material(names, BODY, number, 0) : OBSTACLE, index, 0.05);
}

export function grainColour(): string {
  return PALETTE[GRAIN];
}

// Flying, solid, flowing.
export function grainStatusColours(): string[] {
  return ["#8fb8d8", "#7a5236", "#e0a94a"];
}
