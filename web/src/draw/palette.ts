// Colours of materials: quiet ones, so that the arrows of contacts stand out.
import { Color } from "three";

// The palette of src/base/palette.h: stone, clay, sage, mauve, teal, straw, umber, slate. Nothing has the colours of contacts.
const PALETTE = ["#b9a88f", "#a8584a", "#7f9474", "#8a7aa0", "#5f8f92", "#cdbb7a", "#7a5236", "#77889b"];
export const OBSTACLE = "#c3c8ce";
// where the first material of a kind is
const BODY = 0;
const FIBRE = 6;
const SHEET = 4;
const GRAIN = 5;
const colourOf = (kind: number, material: number): string => PALETTE[(material + kind) % PALETTE.length];

// Neighbours of one material differ a little, so that one stone can be told from the next.
function shaded(hex: string, index: number, amount: number): Color {
  const noise = ((Math.imul(index + 1, 2654435761) >>> 8) % 1000) / 999 - 0.5;
  return new Color(hex).offsetHSL(0, 0, amount * noise);
}

export function bodyColour(material: number, index: number): Color {
  return shaded(colourOf(BODY, material), index, 0.13);
}

export function fibreColour(material: number, index: number, many: boolean): Color {
  return shaded(colourOf(FIBRE, material), index, many ? 0.14 : 0.06);
}

export function sheetColour(material: number, index: number): Color {
  return new Color(colourOf(SHEET, material + index));
}

export function grainColour(): string {
  return PALETTE[GRAIN];
}

// Flying, solid, flowing.
export function grainStatusColours(): string[] {
  return ["#8fb8d8", "#7a5236", "#e0a94a"];
}

export function obstacleColour(index: number): Color {
  return shaded(OBSTACLE, index, 0.05);
}
