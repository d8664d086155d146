// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The data that profile.html embeds; reports/optrace/profile_data.cc writes it. Times are picoseconds.
import type { Num } from "../data";
import { assignColours } from "./colour";

export type { Num };

export interface Device { id: number; name: string; cores: number; peak_gflops: number; peak_gb_per_s: number; peak_source: string }
export interface Header {
  run_id: string; command: string[]; model: string; target: string; toolchain: string; start: string; devices: Device[];
  warmup: number; iterations: number; resolution_ps: number; mode: string; overlap?: boolean;
}
export interface Run {
  status: string; stage: string; diagnostic: string; n: number; min: number; median: number; p95: number; max: number; clock: string;
}
export interface Op {
  case: string; hlo: string; name: string; framework: string; frameworkPath: string; instance: number; path: string[];
  location: string; text: string; operands: string[]; results: string[]; flops: number; bytes: number; category: string;
  time: number; clock: string; count: number; transfer: number; compare: number; stages: Record<string, number>; run?: Run;
}
export interface OperatorRow {
  name: string; occurrences: number; device: number; core: number; time: number; percent: number; cumulative: number; self: number;
  min: number; average: number; p95: number; flops: number; bytes: number; bound: string; clock: string; status: string; stage: string;
  ulp: Num; pcc: Num; ops: number[]; opCount: number;
}
export interface RawRow {
  section: string; sectionTitle: string; title: string; device: number; core: number;
  s: number[]; d: number[]; n: number[]; f: number[][]; b: number[][];
  w: number[]; // flow of each slice, minus that of the slice before; 0: none
}
export interface Comparison {
  output: number; dtype: string; elements: number; mismatches: number; max_abs: Num; max_rel: Num; max_ulp: Num; pcc: Num;
  cosine: Num; rmse: Num; nan_mismatches: number; inf_mismatches: number; bound_ratio: Num; rule: string; relaxed: string;
  accepted: boolean; range_error: Num; // absent if there is no error
}
export interface Compare { op: number; mode: string; comparison: Partial<Comparison>; cpu: string[]; device: string[] }
export interface Insight {
  rule: string; title: string; condition: string; cause: string; action: string; time: number; wrong: boolean; ops: number[];
}
export interface DiffSide { op: number; time: number; min: number; p95: number; clock: string; status: string; ulp: Num }
export interface DiffRow { name: string; base: DiffSide | null; candidate: DiffSide | null; delta: number; otherClocks: boolean; noise: boolean }
export interface Diff { run: string; target: string; base: number; candidate: number; rows: DiffRow[] }

// An instruction of the model that was compiled in one piece; `ops` are the indices of the ops that it computes, the one
// whose name it has first.
export interface Instruction {
  track: number; name: string; category: string; ops: number[]; start: number; time: number; self: number; flops: number; bytes: number;
  bound: string; live: number; wire: number; collective: boolean;
}
export interface Region { start: number; end: number; module: string; idle: number; exposed: number; advice: string[] }
export interface Compiled { tracks: { device: number; name: string }[]; instructions: Instruction[]; regions: Region[] }

// A device of several: times in picoseconds; `both` is a part of `compute` and of `collective`.
export interface DeviceRow { device: number; compute: number; collective: number; both: number; idle: number; wire: number; slowest: boolean }
export interface Devices { chain: DeviceRow[]; whole: DeviceRow[] }

export type ScopeName = "execution" | "transfer" | "compile";
export type Grouping = "framework" | "framework+shape" | "hlo" | "hlo+shape" | "category" | "module";

export type Tables = Record<ScopeName, Record<Grouping, OperatorRow[]>>;
export interface Iteration { start: number; end: number; time: number; tables: Tables }

export interface RawProfile {
  schema: string; header: Header; footer: { wall_ps: number; whole_model_ps: number; whole_model_clock?: string; whole_model_status?: string; whole_model_verdict?: string } | null; spans: number;
  clock: string; // "by the host's clock", "estimated by the compiler"; "" if nothing was timed
  warnings: string[]; defects: string[]; gaps: string[]; stages: string[]; ops: Op[];
  tables: Tables; iterations: Iteration[];
  timeline: { labels: string[]; merged: number; rows: RawRow[] };
  compiled: Compiled | null; devices: Devices | null; compares: Compare[]; insights: Insight[]; diff: Diff | null;
}

// The position of an occurrence, by the drawn slices or by the clock.
export interface Placement { startExact: boolean; durationExact: boolean; start: [number, number]; duration: [number, number] }

export interface Slice { start: number; end: number; name: string; members: string[]; kind: "op" | "fused" | "window" | "merged"; count: number }

export class TimelineRow {
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  readonly flows: Float64Array; // of each slice; empty if none has any
  private readonly fusedBefore: Int32Array; // how many fused slices come before each slice
  constructor(readonly raw: RawRow, private readonly labels: string[]) {
    const count = raw.s.length;
    this.starts = new Float64Array(count);
    this.ends = new Float64Array(count);
    this.fusedBefore = new Int32Array(raw.f.length);
    this.flows = Float64Array.from(raw.w);
    for (let i = 1; i < this.flows.length; ++i) this.flows[i] = (this.flows[i] ?? 0) + (this.flows[i - 1] ?? 0);
    let start = 0;
    let fused = 0;
    for (let i = 0; i < count; ++i) {
      start += raw.s[i] ?? 0;
      this.starts[i] = start;
      this.ends[i] = start + (raw.d[i] ?? 0);
      const name = raw.n[i] ?? 0;
      if (name < 0 && raw.f[-1 - name]?.[0] !== 2) this.fusedBefore[-1 - name] = ++fused;
    }
  }
  get size(): number {
    return this.starts.length;
  }
  start(index: number): number {
    return this.starts[index] ?? 0;
  }
  end(index: number): number {
    return this.ends[index] ?? 0;
  }
  label(index: number): string {
    return this.labels[index] ?? "";
  }
  flow(index: number): number {
    return this.flows[index] ?? 0;
  }
  // Label ids of a slice; none if neighbours are drawn as one.
  memberIds(index: number): number[] {
    const name = this.raw.n[index] ?? 0;
    if (name >= 0) return [name];
    const entry = this.raw.f[-1 - name] ?? [];
    return entry[0] === 2 ? [] : entry.slice(1);
  }
  slice(index: number): Slice {
    const name = this.raw.n[index] ?? 0;
    const place = { start: this.start(index), end: this.end(index) };
    if (name >= 0) {
      const label = this.label(name);
      return { ...place, name: label, members: [label], kind: "op", count: 1 };
    }
    const entry = this.raw.f[-1 - name] ?? [];
    if (entry[0] === 2) return { ...place, name: `${entry[1] ?? 0} slices`, members: [], kind: "merged", count: entry[1] ?? 0 };
    const members = entry.slice(1).map((id) => this.label(id));
    return {
      ...place, members, name: `fused_${this.fusedBefore[-1 - name] ?? 0}`, kind: entry[0] === 1 ? "window" : "fused", count: 1,
    };
  }
  // The first slice that ends after `time`.
  at(time: number): number {
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.end(middle) > time) high = middle;
      else low = middle + 1;
    }
    return low;
  }
  // The occurrence of a label that a slice is part of: by the drawn slices, and by the clock.
  placements(index: number, label: string): { view: Placement; clock: Placement } {
    for (const entry of this.raw.b) {
      const [id = 0, first = 0, last = 0] = entry;
      if (first > index || last < index || this.label(id) !== label) continue;
      return { view: placement(entry.slice(3, 9)), clock: placement(entry.slice(9, 15)) };
    }
    const id = this.memberIds(index).find((member) => this.label(member) === label) ?? -1;
    let first = index;
    let last = index;
    while (first > 0 && this.end(first - 1) === this.start(first) && this.memberIds(first - 1).includes(id)) --first;
    while (last + 1 < this.size && this.start(last + 1) === this.end(last) && this.memberIds(last + 1).includes(id)) ++last;
    const start = this.start(first);
    const duration = this.end(last) - start;
    const exact: Placement = { startExact: true, durationExact: true, start: [start, start], duration: [duration, duration] };
    return { view: exact, clock: exact };
  }
}

function placement(values: number[]): Placement {
  const [startExact = 1, durationExact = 1, start = 0, latest = 0, shortest = 0, longest = 0] = values;
  return { startExact: startExact === 1, durationExact: durationExact === 1, start: [start, latest], duration: [shortest, longest] };
}

export interface Hit { row: number; index: number }

export class Profile {
  private hitsByFlow: Map<number, Hit[]> | undefined;
  readonly rows: TimelineRow[];
  readonly opByName = new Map<string, number>();
  readonly opsByFramework = new Map<string, number[]>(); // "NN[model]/.../aten__addmm.1"
  readonly comparesByOp = new Map<number, Compare[]>();
  readonly opTime: number; // all execution time
  readonly estimated: boolean; // by the compiler: nothing was executed
  readonly end: number; // of the time axis
  constructor(readonly raw: RawProfile) {
    this.rows = raw.timeline.rows.map((row) => new TimelineRow(row, raw.timeline.labels));
    let time = 0;
    raw.ops.forEach((op, index) => {
      this.opByName.set(op.name, index);
      const framework = `${op.frameworkPath}.${op.instance}`;
      const known = this.opsByFramework.get(framework);
      if (known) known.push(index);
      else this.opsByFramework.set(framework, [index]);
      time += op.time;
    });
    for (const compare of raw.compares) {
      const known = this.comparesByOp.get(compare.op);
      if (known) known.push(compare);
      else this.comparesByOp.set(compare.op, [compare]);
    }
    this.opTime = time;
    const byTime = [...raw.ops].sort((a, b) => b.time - a.time);
    assignColours([...byTime.map((op) => op.name), ...byTime.map((op) => op.frameworkPath)]);
    this.estimated = raw.header.mode === "estimate";
    this.end = this.rows.reduce((end, row) => Math.max(end, row.end(row.size - 1)), 1);
  }
  op(index: number): Op | undefined {
    return this.raw.ops[index];
  }
  deviceName(id: number): string {
    const device = this.raw.header.devices.find((candidate) => candidate.id === id);
    return device ? `${device.name} ${id}` : `device ${id}`;
  }
  ulp(op: number, mode: string): number {
    let worst = 0;
    for (const compare of this.comparesByOp.get(op) ?? []) {
      if (compare.mode === mode) worst = Math.max(worst, toNumber(compare.comparison.max_ulp ?? 0));
    }
    return worst;
  }
  // The worst error of an op's outputs as a share of the range of the expected values.
  rangeError(op: number, mode: string): number {
    let worst = 0;
    for (const compare of this.comparesByOp.get(op) ?? []) {
      if (compare.mode === mode) worst = Math.max(worst, toNumber(compare.comparison.range_error ?? 0));
    }
    return worst;
  }
  // All slices of an execution of an op, in order of time: its transfers, the op itself, the comparisons.
  ofFlow(flow: number): Hit[] {
    if (!this.hitsByFlow) {
      const hits = new Map<number, Hit[]>();
      this.rows.forEach((row, index) => {
        row.flows.forEach((id, slice) => {
          if (id === 0) return;
          const known = hits.get(id);
          if (known) known.push({ row: index, index: slice });
          else hits.set(id, [{ row: index, index: slice }]);
        });
      });
      const startOf = (hit: Hit) => this.rows[hit.row]?.start(hit.index) ?? 0;
      for (const list of hits.values()) list.sort((a, b) => startOf(a) - startOf(b) || a.row - b.row);
      this.hitsByFlow = hits;
    }
    return this.hitsByFlow.get(flow) ?? [];
  }
  // The ops with a label of the timeline.
  opsOf(label: string): number[] {
    const op = this.opByName.get(label);
    return op === undefined ? (this.opsByFramework.get(label) ?? []) : [op];
  }
  inModule(op: Op, module: string): boolean {
    return module === "" || `${op.frameworkPath}/${op.name}/`.startsWith(`${module}/`);
  }
}

export function toNumber(value: Num): number {
  if (typeof value === "number") return value;
  if (/^\+?inf/i.test(value)) return Infinity;
  if (/^-inf/i.test(value)) return -Infinity;
  return Number(value);
}
