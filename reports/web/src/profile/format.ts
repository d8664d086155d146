// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import type { Num } from "./data";

const GROUPED = new Intl.NumberFormat("en-US", { maximumFractionDigits: 3 });

// Nanoseconds with three decimals (picoseconds), without a unit, for columns whose title has it.
export function ns(ps: number): string {
  return GROUPED.format(ps / 1000);
}

// "1.234 µs"
export function time(ps: number): string {
  const size = Math.abs(ps);
  const units: [number, string][] = [[1e12, "s"], [1e9, "ms"], [1e6, "µs"], [1e3, "ns"]];
  for (const [scale, unit] of units) if (size >= scale) return `${Number((ps / scale).toPrecision(4))} ${unit}`;
  return `${Math.round(ps)} ps`;
}

export function percent(value: number): string {
  return `${value.toFixed(2)} %`;
}

export function share(part: number, whole: number): string {
  return whole > 0 ? percent((100 * part) / whole) : "–";
}

export function figure(value: Num | undefined): string {
  if (value === undefined) return "–";
  if (typeof value === "string") return value;
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) return value.toExponential(2);
  return Number(value.toPrecision(4)).toString();
}
