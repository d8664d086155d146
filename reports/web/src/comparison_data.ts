// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The data of a comparison as reports/comparison/comparison.cc writes it (`opbyop-comparison/3`), and its decoded form.
import { type ColumnNames, int, type Item, num, type Num, Table, text } from "./columns";

export const COMPARISON_SCHEMA = "opbyop-comparison/3";

// Kinds of items that there are many of. A number whose name is that of a text is its index in `strings`.
const OUTCOME = {
  status: int, stage: int, diagnostic: int, bound_ratio: num, max_abs: num, max_rel: num, median_us: int, first_call: int, compile_ms: int,
  repro: int,
};
const END = { status: int, stage: int, cases: int };
const CASE = { id: text, op: int, dtype: int, signature: int, outcomes: [] as (Item<typeof OUTCOME> | null)[] };

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
  ends: Item<typeof END>[];
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

// The number of cases with one outcome.
export interface End {
  status: string;
  stage: string;
  cases: number;
}

export interface OpCell {
  cases: number; // 0 if the run has none
  passed: number;
  ends: End[]; // without passes; the worst first
  boundRatio: Num;
  medianUs: number;
  compileMs: number;
}

export interface ComparedOp {
  label: string;
  kind: string;
  cells: OpCell[]; // by run
  differs: boolean; // whether the outcome differs between targets
}

export interface Outcome {
  status: string;
  stage: string;
  diagnostic: string;
  boundRatio: Num;
  maxAbs: Num;
  maxRel: Num;
  medianUs: number;
  firstCall: boolean;
  compileMs: number;
  repro: string; // command; empty on pass
}

// The cases of one op with one type of the first result.
export interface ComparedType {
  dtype: string;
  shapes: number;
  cells: { cases: number; passed: number; ends: End[] }[]; // by run
}

export interface ComparedCase {
  id: string;
  op: string;
  dtype: string; // of the first result
  signature: string;
  outcomes: (Outcome | undefined)[]; // by run
  differs: boolean; // whether the outcome differs between targets
  spread: number; // largest distance of two bound ratios
}

function asNumber(value: Num): number {
  if (value === "nan" || value === "inf") return Infinity;
  return value === "-inf" ? -Infinity : value;
}

export class Comparison {
  readonly runs: ComparedRun[];
  readonly ops: ComparedOp[]; // ops with most problems first, then those whose outcome differs
  readonly cases: ComparedCase[];
  private readonly outcomes: Table<typeof OUTCOME>;
  private readonly ends: Table<typeof END>;

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
    this.ends = new Table("end", END, raw.columns);
    const ops = raw.ops.map((op) => {
      const cells = op.cells.map((cell) => this.decodeCell(cell));
      return { ...op, cells, differs: new Set(cells.map(({ passed, cases, ends: e }) => JSON.stringify([passed, cases, e]))).size > 1 };
    });
    this.ops = ops.sort((a, b) => this.problemCases(b) - this.problemCases(a) || Number(b.differs) - Number(a.differs) || a.label.localeCompare(b.label));
    const cases = new Table("case", CASE, raw.columns);
    this.cases = raw.cases.map((item) => {
      const { id, op, dtype, signature, outcomes } = cases.unpack(item);
      const decoded = outcomes.map((outcome) => (outcome ? this.decodeOutcome(outcome, id) : undefined));
      const ends = new Set(decoded.map((outcome) => (outcome ? `${outcome.status} ${outcome.stage}` : "")));
      const ratios = decoded.flatMap((outcome) => {
        const ratio = outcome ? asNumber(outcome.boundRatio) : -1;
        return ratio < 0 ? [] : [ratio];
      });
      return {
        id,
        op: raw.ops[op]?.label ?? "",
        dtype: this.text(dtype),
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

  // Cases that make a run red, over all targets.
  problemCases(op: ComparedOp): number {
    const ends = op.cells.flatMap((cell) => cell.ends);
    return ends.reduce((sum, end) => sum + (this.isProblem(end.status) ? end.cases : 0), 0);
  }

  isProblem(status: string): boolean {
    return this.raw.problems.includes(this.raw.statuses.indexOf(status));
  }

  // Cases whose outcome differs first, then those whose numbers differ most.
  select(op: string, onlyDiffering: boolean): ComparedCase[] {
    return this.cases
      .filter((each) => (op === "" || each.op === op) && (!onlyDiffering || each.differs))
      .sort((a, b) => Number(b.differs) - Number(a.differs) || b.spread - a.spread || a.id.localeCompare(b.id));
  }

  // The cases of one op, by type of the first result.
  types(op: string): ComparedType[] {
    const groups = new Map<string, ComparedCase[]>();
    for (const each of this.cases) {
      if (each.op === op) groups.set(each.dtype, [...(groups.get(each.dtype) ?? []), each]);
    }
    return [...groups]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([dtype, cases]) => ({
        dtype,
        shapes: new Set(cases.map((each) => each.signature)).size,
        cells: this.runs.map((_, run) => this.count(cases, run)),
      }));
  }

  // The first case of an op with this outcome on a target, for its diagnostic and command.
  first(op: string, run: number, end: End): ComparedCase | undefined {
    return this.cases.find((each) => {
      const outcome = each.outcomes[run];
      return each.op === op && outcome?.status === end.status && outcome.stage === end.stage;
    });
  }

  private count(cases: ComparedCase[], run: number): { cases: number; passed: number; ends: End[] } {
    const outcomes = cases.flatMap((each) => each.outcomes[run] ?? []);
    const ends: End[] = [];
    for (const { status, stage } of outcomes) {
      if (status === "pass") continue;
      const end = ends.find((each) => each.status === status && each.stage === stage);
      if (end) end.cases++;
      else ends.push({ status, stage, cases: 1 });
    }
    ends.sort((a, b) => Number(this.isProblem(b.status)) - Number(this.isProblem(a.status)) || b.cases - a.cases);
    return { cases: outcomes.length, passed: outcomes.filter((each) => each.status === "pass").length, ends };
  }

  private text(index: number): string {
    return index < 0 ? "" : (this.raw.strings[index] ?? "");
  }

  private decodeCell({ cases, passed, ends, bound_ratio, median_us, compile_ms }: RawCell): OpCell {
    return {
      cases,
      passed,
      ends: ends.map((item) => {
        const { status, stage, cases: count } = this.ends.unpack(item);
        return { status: this.status(status), stage: this.text(stage), cases: count };
      }),
      boundRatio: bound_ratio,
      medianUs: median_us,
      compileMs: compile_ms,
    };
  }

  private decodeOutcome(item: Item<typeof OUTCOME>, id: string): Outcome {
    const outcome = this.outcomes.unpack(item);
    return {
      status: this.status(outcome.status),
      stage: this.text(outcome.stage),
      diagnostic: this.text(outcome.diagnostic),
      boundRatio: outcome.bound_ratio,
      maxAbs: outcome.max_abs,
      maxRel: outcome.max_rel,
      medianUs: outcome.median_us,
      firstCall: outcome.first_call === 1,
      compileMs: outcome.compile_ms,
      repro: this.text(outcome.repro).replaceAll("{id}", id),
    };
  }
}
