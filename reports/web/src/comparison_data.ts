// The data of a comparison as reports/comparison.cc writes it (`opbyop-comparison/1`), and its decoded form.
import type { Num } from "./data";

export const COMPARISON_SCHEMA = "opbyop-comparison/1";

export interface RawComparison {
  schema: string;
  statuses: string[];
  problems: number[];
  runs: RawRun[];
  ops: [string, string, RawCell[]][];
  cases: [string, number, number, (RawOutcome | 0)[]][];
  strings: string[];
}

interface RawRun {
  target: string;
  toolchain: string;
  link: string;
  complete: boolean;
  wall_s: number;
  rows: number;
  counts: number[];
  stages: (string | number)[];
}

type RawCell = [number, number, number, number, Num, number, number];
type RawOutcome = [number, number, number, Num, Num, Num, number, number];

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
      stages: this.decodeStages(run.stages),
    }));
    this.ops = raw.ops.map(([label, kind, cells]) => ({ label, kind, cells: cells.map((cell) => this.decodeCell(cell)) }));
    this.cases = raw.cases.map(([id, op, signature, outcomes]) => {
      const decoded = outcomes.map((outcome) => (outcome === 0 ? undefined : this.decodeOutcome(outcome)));
      const ends = new Set(decoded.map((outcome) => (outcome ? `${outcome.status} ${outcome.stage}` : "")));
      const ratios = decoded.flatMap((outcome) => {
        const ratio = outcome ? asNumber(outcome.boundRatio) : -1;
        return ratio < 0 ? [] : [ratio];
      });
      return {
        id,
        op: raw.ops[op]?.[0] ?? "",
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

  private decodeStages(flat: (string | number)[]): ComparedRun["stages"] {
    const stages = [];
    for (let at = 0; at < flat.length; at += 4) {
      stages.push({
        name: String(flat[at]),
        passed: Number(flat[at + 1]),
        reached: Number(flat[at + 2]),
        medianMs: Number(flat[at + 3]),
      });
    }
    return stages;
  }

  private decodeCell([cases, passed, worst, stage, boundRatio, medianUs, compileMs]: RawCell): OpCell {
    return { cases, passed, worst: this.status(worst), stage: this.text(stage), boundRatio, medianUs, compileMs };
  }

  private decodeOutcome(raw: RawOutcome): Outcome {
    const [status, stage, diagnostic, boundRatio, maxAbs, maxRel, medianUs, compileMs] = raw;
    return {
      status: this.status(status),
      stage: this.text(stage),
      diagnostic: this.text(diagnostic),
      boundRatio,
      maxAbs,
      maxRel,
      medianUs,
      compileMs,
    };
  }
}
