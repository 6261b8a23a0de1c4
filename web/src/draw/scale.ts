// Colours of numbers: the map of src/render/colour.c, from dark violet over teal to yellow, whose lightness grows evenly. With t in [0, 1]
//   L = 0.32 + 0.58 t,  hue = 5.15 - 3.30 t,  chroma <= 0.17 as strong as a screen can show it      (OKLab, Ottosson 2020)    (1)
import { ClampToEdgeWrapping, Color, DataTexture, LinearFilter, RGBAFormat, SRGBColorSpace } from "three";

const STEPS = 64;

// OKLab to linear RGB.
function fromOklab(L: number, a: number, b: number): [number, number, number] {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

// (1)
export function scaleColour(t: number): Color {
  const hue = 5.15 - 3.3 * t;
  for (let chroma = 0.17; ; chroma -= 0.002) {
    const colour = fromOklab(0.32 + 0.58 * t, chroma * Math.cos(hue), chroma * Math.sin(hue));
    if (chroma <= 0.01 || colour.every((x) => x >= 0 && x <= 1)) return new Color(...colour);
  }
}

export function scaleTexture(): DataTexture {
  const bytes = new Uint8Array(4 * STEPS);
  for (let i = 0; i < STEPS; ++i) {
    const hex = scaleColour(i / (STEPS - 1)).getHex();
    bytes.set([hex >> 16, (hex >> 8) & 255, hex & 255, 255], 4 * i);
  }
  const texture = new DataTexture(bytes, STEPS, 1, RGBAFormat);
  texture.colorSpace = SRGBColorSpace;
  texture.magFilter = texture.minFilter = LinearFilter;
  texture.wrapS = ClampToEdgeWrapping;
  texture.needsUpdate = true;
  return texture;
}

export function scaleGradient(): string {
  const stops = Array.from({ length: 9 }, (_, i) => scaleColour(i / 8).getStyle());
  return `linear-gradient(to right, ${stops.join(", ")})`;
}
