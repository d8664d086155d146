// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The days of a time axis.
import { utcTicks } from "d3-time";

const DAY_MS = 86_400_000;

// Midnights, UTC, between two times in ms since 1970, evenly spaced and about `many`; none within one day.
export function midnights(first: number, last: number, many: number): number[] {
  return utcTicks(new Date(first), new Date(last), many).map(Number).filter((time) => time % DAY_MS === 0);
}

// "2026-11-02"
export function dayText(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

// "2026-11-02 02:15"
export function minuteText(time: number): string {
  return new Date(time).toISOString().slice(0, 16).replace("T", " ");
}
