// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Formats numbers for people.
import type { Num } from "./data";

const GROUPED = new Intl.NumberFormat("en-US");

export function grouped(value: number): string {
  return GROUPED.format(value);
}

// "98.7 %", rounded, but 100 % only for all and 0 % only for none.
export function share(value: number): string {
  const rounded = Math.round(value * 1000) / 10;
  const shown = value > 0 && value < 1 ? Math.min(Math.max(rounded, 0.1), 99.9) : rounded;
  return `${shown.toFixed(1)} %`;
}

export function percent(part: number, whole: number): string {
  return whole === 0 ? "–" : share(part / whole);
}

export function number(value: Num): string {
  if (typeof value === "string") return value;
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return value.toExponential(2);
  return Number(value.toPrecision(4)).toString();
}

// Distinguishes 0.9999999 from 1: "1 − 1.0e-7".
export function correlation(value: Num): string {
  if (typeof value === "string") return value;
  const rest = 1 - value;
  if (rest !== 0 && Math.abs(rest) < 1e-5) return `1 ${rest > 0 ? "−" : "+"} ${Math.abs(rest).toExponential(1)}`;
  return Number(value.toPrecision(6)).toString();
}

export function duration(ms: number): string {
  if (ms < 0) return "–";
  if (ms > 0 && ms < 0.001) return `${(ms * 1e6).toFixed(0)} ns`;
  if (ms < 1) return `${(ms * 1000).toFixed(0)} µs`;
  if (ms < 1000) return `${ms.toFixed(ms < 10 ? 2 : 1)} ms`;
  if (ms < 120_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

export function bytes(value: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  let size = value;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    ++unit;
  }
  return `${unit === 0 ? size : size.toFixed(1)} ${units[unit] ?? ""}`;
}

export function si(value: number): string {
  const units = ["", "k", "M", "G", "T", "P"];
  let unit = 0;
  let size = value;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    ++unit;
  }
  return `${unit === 0 ? size : size.toFixed(1)} ${units[unit] ?? ""}`.trim();
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

// "2026-11-21 10:15:00 UTC"
export function when(timestamp: string): string {
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)/.exec(timestamp);
  return match ? `${match[1] ?? ""} ${match[2] ?? ""} UTC` : timestamp;
}

export function words(status: string): string {
  return status.replaceAll("_", " ");
}
