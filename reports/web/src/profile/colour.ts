// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One colour per name on every view, in both themes.
export const PALETTE = ["#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#b07aa1", "#d4a72c", "#9c755f", "#ff9da7", "#5b8ff9", "#86bc25", "#a05195"];
export const OTHER = "#9aa0a6";
export const QUIET = "#7d858d"; // for times of neither computing nor moving data

// The uses of a time; the device did both at once when they overlap.
export const KINDS = { compute: "#2f6db5", transfer: "#c26a14", overlap: "#7b4aa8" };

// Colours of the style sheet, resolved because a canvas takes no variables.
const ofTheme = new Map<string, string>();

function hash(text: string): number {
  let value = 2166136261;
  for (let i = 0; i < text.length; ++i) value = Math.imul(value ^ text.charCodeAt(i), 16777619);
  return value >>> 0;
}

const inks = new Map<string, string>();

// Names with a colour of their own, while there are free colours: those with most time (`assignColours`).
const apart = new Map<string, string>();

// "dot_general.3" and "dot_general.7" are one operator.
function operatorOf(label: string): string {
  return label.slice(label.lastIndexOf("/") + 1).replace(/\.\d+$/, "");
}

export function assignColours(labels: string[]): void {
  apart.clear();
  for (const name of new Set(labels.map(operatorOf))) {
    const colour = PALETTE[apart.size];
    if (colour) apart.set(name, colour);
  }
}

export function ofName(label: string): string {
  const name = operatorOf(label);
  return apart.get(name) ?? PALETTE[hash(name) % PALETTE.length] ?? OTHER;
}

function luminance(red: number, green: number, blue: number): number {
  const linear = [red, green, blue].map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * (linear[0] ?? 0) + 0.7152 * (linear[1] ?? 0) + 0.0722 * (linear[2] ?? 0);
}

// The parts of "#rrggbb" or "hsl(120 55% 48%)".
function partsOf(fill: string): [number, number, number] {
  const [hue = 0, saturation = 0, light = 0] = (/^hsl\(([\d.]+) ([\d.]+)% ([\d.]+)%\)$/.exec(fill) ?? []).slice(1).map(Number);
  if (fill.startsWith("hsl")) {
    const reach = (saturation / 100) * Math.min(light / 100, 1 - light / 100);
    const part = (n: number) => light / 100 - reach * Math.max(-1, Math.min(((n + hue / 30) % 12) - 3, 9 - ((n + hue / 30) % 12), 1));
    return [part(0), part(8), part(4)];
  }
  const value = Number.parseInt(fill.slice(1), 16);
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}

// Black or white, whichever is easier to read on this colour.
export function inkOn(fill: string): string {
  let ink = inks.get(fill);
  if (!ink) {
    const bright = luminance(...partsOf(fill)) + 0.05;
    ink = bright / 0.05 > 1.05 / bright ? "#000" : "#fff";
    inks.set(fill, ink);
  }
  return ink;
}

export function ofStatus(status: string | undefined): string {
  if (!status) return OTHER;
  const key = `${matchMedia("(prefers-color-scheme: dark)").matches} ${status}`;
  const known = ofTheme.get(key) ?? (getComputedStyle(document.documentElement).getPropertyValue(`--s-${status}`).trim() || OTHER);
  ofTheme.set(key, known);
  return known;
}

// From green over yellow to red on a scale of powers of two.
export function ofError(ulp: number): string {
  if (Number.isNaN(ulp)) return ofStatus("fail");
  const heat = Math.min(1, Math.log2(1 + ulp) / 16);
  return `hsl(${Math.round(140 * (1 - heat))} 55% 48%)`;
}
