// Numbers as a person reads them.
export function number(x: number, digits = 3): string {
  if (!Number.isFinite(x)) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e5 || size < 1e-3) {
    const [mantissa, exponent] = x.toExponential(digits - 1).split("e");
    const short = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
    return `${short}e${exponent.replace("+", "")}`.replace("-", "−").replace("e-", "e−");
  }
  return String(Number(x.toPrecision(digits))).replace("-", "−");
}

export function withUnit(x: number, unit: string): string {
  const prefixes: [number, string][] = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];
  const size = Math.abs(x);
  if (!Number.isFinite(x)) return "–";
  const [factor, prefix] = prefixes.find(([f]) => size >= f * 0.9995) ?? (size > 1e-12 ? [1e-9, "n"] : [1, ""]);
  return size <= 1e-12 ? `0 ${unit}` : `${number(x / (factor as number))} ${prefix}${unit}`;
}

// 1, 2 or 5 times a power of ten, not below `rough`.
export function niceStep(rough: number): number {
  const power = Math.pow(10, Math.floor(Math.log10(rough)));
  const lead = rough / power;
  return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}
