// Colours of materials: quiet ones, so that the arrows of contacts stand out.
import { Color } from "three";

const BODIES = ["#b9a88f", "#a8584a", "#7f9474", "#8a7aa0", "#5f8f92", "#c2a15a"];
const FIBRES = ["#b3803f", "#6f4a36", "#d3b57c", "#7d8f63", "#96657f", "#567b92"];
const SHEETS = ["#6d8fb3", "#b8766a", "#8a9a6b", "#a98bb0", "#c9a86a", "#5f9a93"];
export const OBSTACLE = "#a3a9b1";

// Neighbours of one material differ a little, so that one stone can be told from the next.
function shaded(hex: string, index: number, amount: number): Color {
  const noise = ((Math.imul(index + 1, 2654435761) >>> 8) % 1000) / 999 - 0.5;
  return new Color(hex).offsetHSL(0, 0, amount * noise);
}

export function bodyColour(material: number, index: number): Color {
  return shaded(BODIES[material % BODIES.length], index, 0.13);
}

export function fibreColour(material: number, index: number, many: boolean): Color {
  return shaded(FIBRES[material % FIBRES.length], index, many ? 0.14 : 0.06);
}

export function sheetColour(material: number, index: number): Color {
  return new Color(SHEETS[(material + index) % SHEETS.length]);
}

export function obstacleColour(index: number): Color {
  return shaded(OBSTACLE, index, 0.05);
}
