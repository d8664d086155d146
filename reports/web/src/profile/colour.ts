// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One colour per name on every view, in both themes.
export const PALETTE = ["#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#b07aa1", "#d4a72c", "#9c755f", "#ff9da7", "#5b8ff9", "#86bc25", "#a05195"];
export const OTHER = "#9aa0a6";
export const QUIET = "#7d858d"; // of what is neither computing nor moving data; white text is read on it

// What a time was spent on; the device did both where they overlap.
export const KINDS = { compute: "#2f6db5", transfer: "#c26a14", overlap: "#7b4aa8" };

// The colours of the style sheet: a canvas takes no variables.
const ofTheme = new Map<string, string>();

function hash(text: string): number {
  let value = 2166136261;
  for (let i = 0; i < text.length; ++i) value = Math.imul(value ^ text.charCodeAt(i), 16777619);
  return value >>> 0;
}

// "dot_general.3" and "dot_general.7" are one operator.
export function ofName(label: string): string {
  const leaf = label.slice(label.lastIndexOf("/") + 1).replace(/\.\d+$/, "");
  return PALETTE[hash(leaf) % PALETTE.length] ?? OTHER;
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
