// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The two time axes of the timeline: the true one, and device time, which leaves out the gaps in which the device
// neither computed nor moved data because the harness was at work. Also computes what the device did at each time.
import type { Profile } from "./data";

export type Kind = "compute" | "transfer" | "overlap";
export interface Piece { start: number; end: number; kind: Kind }

// A monotonic map of moments.
export interface Axis { shown: (time: number) => number; real: (shown: number) => number; end: number }

interface Interval { start: number; end: number }

function merged(intervals: Interval[]): Interval[] {
  const result: Interval[] = [];
  for (const next of intervals.sort((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last && next.start <= last.end) last.end = Math.max(last.end, next.end);
    else result.push({ ...next });
  }
  return result;
}

function busy(profile: Profile, section: string): Interval[] {
  const intervals: Interval[] = [];
  for (const row of profile.rows) {
    if (row.raw.section !== section || row.raw.title !== "HLO Ops") continue;
    for (let i = 0; i < row.size; ++i) intervals.push({ start: row.start(i), end: row.end(i) });
  }
  return merged(intervals);
}

// The times when the device computed, moved data, or did both, in order.
export function activity(profile: Profile): Piece[] {
  const edges: [number, number, number][] = [];
  busy(profile, "execution").forEach(({ start, end }) => { edges.push([start, 1, 0], [end, -1, 0]); });
  busy(profile, "data_transfer").forEach(({ start, end }) => { edges.push([start, 0, 1], [end, 0, -1]); });
  edges.sort((a, b) => a[0] - b[0]);
  const pieces: Piece[] = [];
  let computes = 0;
  let moves = 0;
  let since = 0;
  for (const [at, compute, move] of edges) {
    if (at > since && computes + moves > 0) {
      const kind: Kind = computes > 0 && moves > 0 ? "overlap" : computes > 0 ? "compute" : "transfer";
      const last = pieces.at(-1);
      if (last?.kind === kind && last.end === since) last.end = at;
      else pieces.push({ start: since, end: at, kind });
    }
    computes += compute;
    moves += move;
    since = at;
  }
  return pieces;
}

export function trueAxis(profile: Profile): Axis {
  return { shown: (time) => time, real: (shown) => shown, end: profile.end };
}

export function deviceAxis(pieces: readonly Piece[]): Axis {
  const intervals = merged(pieces.map(({ start, end }) => ({ start, end })));
  const before: number[] = []; // device time at the start of each
  let total = 0;
  for (const { start, end } of intervals) {
    before.push(total);
    total += end - start;
  }
  // The last interval that begins at or before the moment.
  const find = (value: number, startOf: (index: number) => number) => {
    let low = 0;
    let high = intervals.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (startOf(middle) <= value) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  };
  return {
    end: Math.max(1, total),
    shown: (time) => {
      const index = find(time, (i) => intervals[i]?.start ?? 0);
      const interval = intervals[index];
      return interval ? (before[index] ?? 0) + Math.min(time, interval.end) - interval.start : 0;
    },
    real: (shown) => {
      const index = find(shown, (i) => before[i] ?? 0);
      const interval = intervals[index];
      return interval ? interval.start + Math.min(shown - (before[index] ?? 0), interval.end - interval.start) : 0;
    },
  };
}

// The start of each pass over the model; empty if the trace does not have it.
export function iterationStarts(profile: Profile): number[] {
  const row = profile.rows.find((candidate) => candidate.raw.section === "control" && candidate.raw.title === "iteration");
  if (row) return [...row.starts];
  return profile.raw.iterations.map((iteration) => iteration.start);
}

// The pass that a moment is in, and its start. A moment before the first pass is measured from the recording's start.
export function iterationAt(starts: readonly number[], time: number): { index: number; start: number } {
  let index = -1;
  while (index + 1 < starts.length && (starts[index + 1] ?? 0) <= time) ++index;
  return { index, start: index < 0 ? 0 : (starts[index] ?? 0) };
}
