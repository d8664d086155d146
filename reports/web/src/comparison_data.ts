// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The data of a comparison as reports/comparison.cc writes it (`opbyop-comparison/2`), and its decoded form.
import { type ColumnNames, int, type Item, num, type Num, Table, text } from "./columns";

export const COMPARISON_SCHEMA = "opbyop-comparison/2";

// What there are many of. Numbers named after a text are its index in `strings`.
const OUTCOME = {
  status: int, stage: int, diagnostic: int, bound_ratio: num, max_abs: num, max_rel: num, median_us: int, compile_ms: int,
};
const CASE = { id: text, op: int, signature: int, outcomes: [] as (Item<typeof OUTCOME> | null)[] };

export interface RawComparison {
  schema: string;
  statuses: string[];
  problems: number[];
  runs: RawRun[];
  ops: { label: string; kind: string; cells: RawCell[] }[];
  cases: Item<typeof CASE>[];
  strings: string[];
  columns: ColumnNames;
}

interface RawRun {
  target: string;
  toolchain: string;
  link: string;
  complete: boolean;
  wall_s: number;
  rows: number;
  counts: number[];
  stages: { name: string; passed: number; reached: number; median_ms: number }[];
}

interface RawCell {
  cases: number;
  passed: number;
  worst: number; // status; -1 where the run has no such case
  stage: number;
  bound_ratio: Num;
  median_us: number;
  compile_ms: number;
}

export interface ComparedRun {
  target: string;
  toolchain: string;
  link: string;
  complete: boolean;
  wallS: number;
  rows: number;
  counts: number[]; // rows by status
  stages: { name: string; passed: number; reached: number; medianMs: number }[];
}

export interface OpCell {
  cases: number;
  passed: number;
  worst: string; // status; empty where the run has no such case
  stage: string;
  boundRatio: Num;
  medianUs: number;
  compileMs: number;
}

export interface ComparedOp {
  label: string;
  kind: string;
  cells: OpCell[]; // by run
}

export interface Outcome {
  status: string;
  stage: string;
  diagnostic: string;
  boundRatio: Num;
  maxAbs: Num;
  maxRel: Num;
  medianUs: number;
  compileMs: number;
}

export interface ComparedCase {
  id: string;
  op: string;
  signature: string;
  outcomes: (Outcome | undefined)[]; // by run
  differs: boolean; // the targets do not end alike
  spread: number; // largest distance of two bound ratios
}

function asNumber(value: Num): number {
  if (value === "nan" || value === "inf") return Infinity;
  return value === "-inf" ? -Infinity : value;
}

export class Comparison {
  readonly runs: ComparedRun[];
  readonly ops: ComparedOp[];
  readonly cases: ComparedCase[];
  private readonly outcomes: Table<typeof OUTCOME>;

  constructor(private readonly raw: RawComparison) {
    if (raw.schema !== COMPARISON_SCHEMA) throw new Error(`this page reads ${COMPARISON_SCHEMA}, not ${raw.schema}`);
    this.runs = raw.runs.map((run) => ({
      target: run.target,
      toolchain: run.toolchain,
      link: run.link,
      complete: run.complete,
      wallS: run.wall_s,
      rows: run.rows,
      counts: run.counts,
      stages: run.stages.map(({ median_ms, ...stage }) => ({ ...stage, medianMs: median_ms })),
    }));
    this.outcomes = new Table("outcome", OUTCOME, raw.columns);
    this.ops = raw.ops.map((op) => ({ ...op, cells: op.cells.map((cell) => this.decodeCell(cell)) }));
    const cases = new Table("case", CASE, raw.columns);
    this.cases = raw.cases.map((item) => {
      const { id, op, signature, outcomes } = cases.unpack(item);
      const decoded = outcomes.map((outcome) => (outcome ? this.decodeOutcome(outcome) : undefined));
      const ends = new Set(decoded.map((outcome) => (outcome ? `${outcome.status} ${outcome.stage}` : "")));
      const ratios = decoded.flatMap((outcome) => {
        const ratio = outcome ? asNumber(outcome.boundRatio) : -1;
        return ratio < 0 ? [] : [ratio];
      });
      return {
        id,
        op: raw.ops[op]?.label ?? "",
        signature: this.text(signature),
        outcomes: decoded,
        differs: ends.size > 1,
        spread: ratios.length > 1 ? Math.max(...ratios) - Math.min(...ratios) || 0 : 0,
      };
    });
  }

  status(index: number): string {
    return this.raw.statuses[index] ?? "";
  }

  // Rows that make the run red.
  problems(run: ComparedRun): number {
    return this.raw.problems.reduce((sum, status) => sum + (run.counts[status] ?? 0), 0);
  }

  passed(run: ComparedRun): number {
    return run.counts[this.raw.statuses.indexOf("pass")] ?? 0;
  }

  isProblem(status: string): boolean {
    return this.raw.problems.includes(this.raw.statuses.indexOf(status));
  }

  // Those that the targets end differently first, then those whose numbers lie farthest apart.
  select(op: string, onlyDiffering: boolean): ComparedCase[] {
    return this.cases
      .filter((each) => (op === "" || each.op === op) && (!onlyDiffering || each.differs))
      .sort((a, b) => Number(b.differs) - Number(a.differs) || b.spread - a.spread || a.id.localeCompare(b.id));
  }

  private text(index: number): string {
    return index < 0 ? "" : (this.raw.strings[index] ?? "");
  }

  private decodeCell({ cases, passed, worst, stage, bound_ratio, median_us, compile_ms }: RawCell): OpCell {
    return {
      cases,
      passed,
      worst: this.status(worst),
      stage: this.text(stage),
      boundRatio: bound_ratio,
      medianUs: median_us,
      compileMs: compile_ms,
    };
  }

  private decodeOutcome(item: Item<typeof OUTCOME>): Outcome {
    const outcome = this.outcomes.unpack(item);
    return {
      status: this.status(outcome.status),
      stage: this.text(outcome.stage),
      diagnostic: this.text(outcome.diagnostic),
      boundRatio: outcome.bound_ratio,
      maxAbs: outcome.max_abs,
      maxRel: outcome.max_rel,
      medianUs: outcome.median_us,
      compileMs: outcome.compile_ms,
    };
  }
}
