// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The data of a history's page, as history/page/page_overview.h and history/page/page_cases.h write it.
import type { Num } from "../columns";
import type { RawPage } from "../data";

export const SCHEMA = "opbyop-history/1";

export type Cell = string | number | null;
export type Kind = "text" | "long" | "count" | "share" | "drift" | "us" | "date";

export interface RawTable {
  verb: string;
  help: string;
  empty: string;
  columns: { title: string; kind: Kind }[];
  count: number;
  lines?: Cell[][];
  file?: string; // where the lines are, if they are too many
}

export interface RunFacts {
  name: string;
  series: string;
  age: number; // in its series, 1: the newest; 0: of chosen rows
  latest: boolean;
  started: string;
  target: string;
  toolchain: string;
  policy: string;
  mode: string;
  seed: string;
  git_sha: string;
  machine: string;
  source: string;
  compile_only: string;
  wall_s: Num;
  complete: boolean;
  partial: boolean;
  previous: string;
  drift: number | null;
  counts: number[]; // rows by status
  added: [rows: number, passed: number]; // rows that the run before does not have
  gone: [rows: number, passed: number]; // rows that only the run before has
  changes: string; // file; none: there are no changes
  page: string; // of the run itself; none: it has no page
}

export interface SeriesFacts {
  name: string;
  run: number; // its newest
  rows: number;
  file: string;
  absent: string; // why there are no records of the run
}

export interface RawHistory {
  schema: string;
  version: string;
  statuses: { name: string; red: boolean; blocks: boolean }[];
  runs: RunFacts[]; // newest first
  tables: RawTable[];
  causes: Record<string, [run: number, rows: number, cases: number, models: number, ops: number][]>;
  series: SeriesFacts[];
  cases: number;
  chunk: number;
  shown_runs: number;
}

export interface RawCases {
  name: string[];
  op: number[];
  kind: number[];
  dtype: number[];
  signature: number[];
  flops: number[];
  bytes: number[];
  strings: string[];
}

export interface RawRows {
  case: number[];
  model: number[];
  status: number[];
  stage: number[];
  cause: number[];
  ops: number[];
  reason: number[];
  issue: number[];
  owner: number[];
  us: (Num | null)[];
  compile_ms: (Num | null)[];
  wall_ms: (Num | null)[];
  bound: (Num | null)[];
  strings: string[];
}

export type RawCaseRun = [
  run: number, status: number, stage: number, cause: number, rows: number, us: Num | null, compileMs: Num | null,
  wallMs: Num | null, bound: Num | null,
];

export interface RawCase {
  runs: RawCaseRun[];
  stages: [run: number, stage: number, status: number, ms: Num][];
  comparisons: [
    run: number, policy: number, rule: number, output: number, elements: number, mismatches: number, accepted: number,
    maxAbs: Num | null, maxRel: Num | null, maxUlp: Num | null, pcc: Num | null, bound: Num | null,
  ][];
  origins: [model: number, ops: number, frameworkOp: number, path: string[], locations: string[]][];
  recorded: string[];
}

export interface RawChunk {
  first: number;
  cases: RawCase[];
  strings: string[];
}

export interface RawRecord {
  page: RawPage;
  texts: Record<string, { name: string; text: string; bytes: number }[]>;
  errors: Record<string, { policy: string; output: number; bins: number[] }[] | undefined>;
}

export type RawChange = [
  kind: string, model: string, case_: string, op: string, signature: string, before: string | null, after: string | null,
  group: string | null, stage: string | null, diagnostic: string | null, beforeValue: Num | null, afterValue: Num | null,
  confidence: Num | null, alike: number,
];

// The worst first.
export const KINDS: { kind: string; name: string; bad: boolean }[] = [
  { kind: "broke", name: "broke", bad: true },
  { kind: "unsupported", name: "unsupported now", bad: true },
  { kind: "lost", name: "verdict lost", bad: true },
  { kind: "slower", name: "slower", bad: true },
  { kind: "worse", name: "less exact", bad: true },
  { kind: "moved", name: "fails differently", bad: false },
  { kind: "new", name: "new rows", bad: false },
  { kind: "gone", name: "gone", bad: false },
  { kind: "fixed", name: "fixed", bad: false },
  { kind: "faster", name: "faster", bad: false },
  { kind: "better", name: "more exact", bad: false },
];

// The index of a kind among them.
export function kindRank(kind: string): number {
  return KINDS.findIndex((each) => each.kind === kind);
}

export function kindName(kind: string): string {
  return KINDS.find((each) => each.kind === kind)?.name ?? kind;
}

export class History {
  readonly passed: number;
  private readonly byName = new Map<string, RunFacts>();

  constructor(readonly raw: RawHistory) {
    if (raw.schema !== SCHEMA) throw new Error(`this page reads ${SCHEMA}, its data is ${raw.schema}`);
    this.passed = raw.statuses.findIndex((status) => status.name === "pass");
    for (const run of raw.runs) this.byName.set(run.name, run);
  }

  status(index: number): string {
    return this.raw.statuses[index]?.name ?? "missing";
  }

  run(name: string): RunFacts | undefined {
    return this.byName.get(name);
  }

  table(verb: string): RawTable {
    const found = this.raw.tables.find((table) => table.verb === verb);
    if (!found) throw new Error(`the data has no answer to ${verb}`);
    return found;
  }

  rowsOf(run: RunFacts): number {
    return run.counts.reduce((sum, count) => sum + count, 0);
  }

  // The share of rows that pass, without the rows `but`.
  shareOf(run: RunFacts, but: [rows: number, passed: number] = [0, 0]): number {
    const rows = this.rowsOf(run) - but[0];
    return rows > 0 ? (this.passedOf(run) - but[1]) / rows : 0;
  }

  passedOf(run: RunFacts): number {
    return run.counts[this.passed] ?? 0;
  }

  redOf(run: RunFacts): number {
    return run.counts.reduce((sum, count, status) => sum + (this.raw.statuses[status]?.red ? count : 0), 0);
  }

  // The latest runs of one series, or of all.
  latest(series: string): RunFacts[] {
    return this.raw.runs.filter((run) => run.latest && (!series || run.series === series));
  }

  // The run after this one in its series; the one before is `previous`.
  next(run: RunFacts): RunFacts | undefined {
    return this.raw.runs.find((each) => each.series === run.series && each.previous === run.name);
  }
}

// The index of the case in a name, which may be a row's: "<model>__<case id>". The model's name may contain "__".
export function caseOf(name: string, places: ReadonlyMap<string, number>): number {
  for (let rest = name; ; ) {
    const found = places.get(rest);
    if (found !== undefined) return found;
    const at = rest.indexOf("__");
    if (at < 0) return -1;
    rest = rest.slice(at + 2);
  }
}
