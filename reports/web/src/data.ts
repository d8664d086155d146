// The page's data as reports/page_data.cc writes it (`opbyop-page/1`), and its decoded form.

export type Num = number | "nan" | "inf" | "-inf";

export interface RunFacts {
  id: string;
  target: string;
  toolchain: string;
  policy: string;
  seed: string;
  start: string;
  end: string;
  wall_s: number;
  git_sha: string;
  argv: string[];
  host: Record<string, string>;
  complete: boolean;
  unmet: string[]; // demands on the run that its rows do not meet
  model_ops: number;
  records: number;
  unknown_records: number;
}

export interface Stage {
  name: string;
  reached: number;
  passed: number;
  failed: number;
  total_ms: number;
  median_ms: number;
}

export interface Model {
  name: string;
  frontend: string;
  producer: string;
  source: string;
  ops: number;
  error: string;
  counts: number[]; // rows by status
  whole?: WholeModel; // where it was run in one piece too
  profile?: { href: string; target: string }; // where one stands beside the page
}

export interface WholeModel {
  status: number;
  stage: string;
  diagnostic: string;
  compared: boolean;
  weak: boolean; // the bound of some output was too wide to judge it
  range_error: Num;
  bound_ratio: Num;
  wall_ms: Num;
  repro: string;
}

type RawStages = (number | Num)[]; // stage, status, ms, diagnostic, ...
type RawComparison = [
  number, number, number, number, Num, Num, Num, Num, Num, Num, number, number, Num, number, number, number,
  unknown[], number, number,
];
type RawSet = [number, string, number, number, number, number];
type RawRecord = [
  RawStages, RawComparison[], [number, number, number, number] | 0, number, number, number, string, number, number,
  number[], string, number, number, number, number, RawComparison[], RawSet[],
];
type RawOrigin = [number, number, number, number[], number[]];
type RawCase = [string, number, number, number, number[], number, number, RawOrigin[], RawRecord | 0];
type RawRow = [number, number, number, number, number, number, [number, number, number] | 0];
type RawOp = [string, string, number, number[], number[]];
type RawGapOp = [number, number, number, number, number[]];
type RawGap = [number, number, number, number, number, number, number, number[], RawGapOp[]];
type RawBlocker = [string, number, number, number, number, number, number, number, number[], number[]];

export interface RawPage {
  schema: string;
  run: RunFacts;
  statuses: string[];
  problems: number[];
  silent: number[]; // statuses that say neither right nor wrong
  stages: Stage[];
  models: Model[];
  ops: RawOp[];
  blockers: RawBlocker[];
  gap_lines: string[];
  gaps: RawGap[];
  cases: RawCase[];
  rows: RawRow[];
  strings: string[];
}

export interface Cell {
  reached: number;
  passed: number;
  failed: number;
}

export interface Op {
  label: string;
  kind: string;
  cases: number;
  rows: number;
  counts: number[];
  cells: Cell[];
}

export interface Blocker {
  op: string;
  stage: number;
  status: number;
  diagnostic: string;
  diagnostics: number;
  cases: number;
  rows: number;
  ops: number;
  models: number[];
  unlocked: number[];
}

export interface Gap {
  status: number;
  stage: number;
  reason: string; // the most frequent one
  reasons: number; // how many different ones
  cases: number;
  rows: number;
  ops: number;
  models: number[];
  of: RawGapOp[];
}

export interface GapOp {
  op: string;
  cases: number;
  rows: number;
  ops: number;
  shapes: { signature: string; cases: number }[];
}

export interface Row {
  index: number; // in the page's order
  id: string; // case id
  name: string; // "<model>__<case id>"
  op: string;
  caseIndex: number;
  model: number;
  status: number;
  stage: number; // -1: nothing ran
  ops: number;
  diagnostic: string;
  wallMs: number; // -1: nothing ran
  baseline: { reason: string; issue: string; since: string } | undefined;
}

export interface Comparison {
  output: number;
  dtype: string;
  elements: number;
  mismatches: number;
  maxAbs: Num;
  maxRel: Num;
  maxUlp: Num;
  pcc: Num;
  cosine: Num;
  rmse: Num;
  nanMismatches: number;
  infMismatches: number;
  boundRatio: Num;
  rule: string;
  relaxed: string;
  constant: boolean;
  accepted: boolean;
  worst: { index: string; got: string; expected: string; ratio: Num }[];
  policy: string; // of the inputs; empty in results from before there were several
  unbounded: number; // elements that nothing judged
}

// What the case did on the inputs of one policy.
export interface InputSet {
  policy: string;
  seed: string;
  status: number;
  stage: string;
  diagnostic: string;
  unbounded: number;
}

export interface CaseRecord {
  stages: { name: string; status: number; ms: number; diagnostic: string }[];
  comparisons: Comparison[];
  timing: { n: number; min: number; median: number; p95: number } | undefined;
  artifactBytes: number;
  peakRssKb: number;
  attempts: number;
  seed: string;
  worker: number;
  signal: number;
  stderr: string[];
  start: string;
  wallMs: number;
  repro: string;
  batched: number; // cases compiled in one module with this one; 0: alone
  secondOpinion: string; // of another target on the same inputs; empty: none was asked for
  secondComparisons: Comparison[];
  sets: InputSet[];
}

export interface CaseDetail {
  id: string;
  file: string;
  signature: string;
  attributes: { name: string; value: string }[];
  flops: number;
  bytes: number;
  origins: { model: number; count: number; frameworkOp: string; modulePath: string[]; locations: string[] }[];
  record: CaseRecord | undefined;
}

const SCHEMA = "opbyop-page/1";

function chunks<T>(list: readonly T[], size: number): T[][] {
  const out: T[][] = [];
  for (let at = 0; at < list.length; at += size) out.push(list.slice(at, at + size));
  return out;
}

// Rows are decoded at once, the rest of a case only when it is looked at.
export class Page {
  readonly run: RunFacts;
  readonly statuses: string[];
  readonly stages: Stage[];
  readonly models: Model[];
  readonly ops: Op[];
  readonly blockers: Blocker[];
  readonly gapLines: string[]; // what is not judged, a line for each status
  readonly gaps: Gap[];
  readonly rows: Row[];
  readonly counts: number[]; // rows by status
  readonly passed: number; // index of the status "pass"

  constructor(private readonly raw: RawPage) {
    if (raw.schema !== SCHEMA) throw new Error(`this page reads ${SCHEMA}, its data is ${raw.schema}`);
    this.run = raw.run;
    this.statuses = raw.statuses;
    this.stages = raw.stages;
    this.models = raw.models;
    this.passed = raw.statuses.indexOf("pass");
    this.ops = raw.ops.map(([label, kind, cases, counts, cells]) => ({
      label,
      kind,
      cases,
      counts,
      rows: counts.reduce((sum, count) => sum + count, 0),
      cells: chunks(cells, 3).map(([reached = 0, passed = 0, failed = 0]) => ({ reached, passed, failed })),
    }));
    this.blockers = raw.blockers.map(
      ([op, stage, status, diagnostic, diagnostics, cases, rows, ops, models, unlocked]) => ({
        op, stage, status, diagnostic: this.text(diagnostic), diagnostics, cases, rows, ops, models, unlocked,
      }),
    );
    this.gapLines = raw.gap_lines;
    this.gaps = raw.gaps.map(([status, stage, reason, reasons, cases, rows, ops, models, of]) => ({
      status, stage, reason: this.text(reason), reasons, cases, rows, ops, models, of,
    }));
    this.rows = raw.rows.map((row, index) => this.decodeRow(row, index));
    this.counts = raw.statuses.map(() => 0);
    for (const row of this.rows) this.counts[row.status] = (this.counts[row.status] ?? 0) + 1;
  }

  isProblem(status: number): boolean {
    return this.raw.problems.includes(status);
  }

  problems(counts: readonly number[]): number {
    return this.raw.problems.reduce((sum, status) => sum + (counts[status] ?? 0), 0);
  }

  // Unsupported, inconclusive, skipped.
  isSilent(status: number): boolean {
    return this.raw.silent.includes(status);
  }

  silent(counts: readonly number[]): number {
    return this.raw.silent.reduce((sum, status) => sum + (counts[status] ?? 0), 0);
  }

  // Of a gap that is looked at.
  gapOps(gap: Gap): GapOp[] {
    return gap.of.map(([op, cases, rows, ops, shapes]) => ({
      op: this.text(op),
      cases,
      rows,
      ops,
      shapes: chunks(shapes, 2).map(([signature = -1, count = 0]) => ({ signature: this.text(signature), cases: count })),
    }));
  }

  detail(index: number): CaseDetail {
    const [id, , file, signature, attributes, flops, bytes, origins, record] = this.rawCase(index);
    const own = (text: string) => text.replaceAll("{id}", id);
    return {
      id,
      file: own(this.text(file)),
      signature: this.text(signature),
      attributes: chunks(attributes, 2).map(([name = -1, value = -1]) => ({
        name: this.text(name),
        value: this.text(value),
      })),
      flops,
      bytes,
      origins: origins.map(([model, count, frameworkOp, modulePath, locations]) => ({
        model,
        count,
        frameworkOp: this.text(frameworkOp),
        modulePath: modulePath.map((part) => this.text(part)),
        locations: locations.map((location) => this.text(location)),
      })),
      record: record === 0 ? undefined : this.decodeRecord(record, own),
    };
  }

  // What the search box looks through, in lower case.
  haystack(row: Row): string {
    const frameworkOps = this.rawCase(row.caseIndex)[7].map(
      ([, , op, path]) => `${this.text(op)} ${path.map((part) => this.text(part)).join("/")}`,
    );
    const status = this.statuses[row.status] ?? "";
    return [row.name, row.op, status, row.diagnostic, ...frameworkOps].join(" ").toLowerCase();
  }

  private text(index: number): string {
    return index < 0 ? "" : (this.raw.strings[index] ?? "");
  }

  private rawCase(index: number): RawCase {
    const found = this.raw.cases[index];
    if (!found) throw new Error(`the data has no case ${index}`);
    return found;
  }

  private decodeRow([caseIndex, model, status, stage, ops, diagnostic, baseline]: RawRow, index: number): Row {
    const raw = this.rawCase(caseIndex);
    return {
      index,
      id: raw[0],
      name: `${this.models[model]?.name ?? ""}__${raw[0]}`,
      op: this.ops[raw[1]]?.label ?? "",
      caseIndex,
      model,
      status,
      stage,
      ops,
      diagnostic: this.text(diagnostic),
      wallMs: raw[8] === 0 ? -1 : raw[8][11],
      baseline:
        baseline === 0
          ? undefined
          : { reason: this.text(baseline[0]), issue: this.text(baseline[1]), since: this.text(baseline[2]) },
    };
  }

  private decodeRecord(raw: RawRecord, own: (text: string) => string): CaseRecord {
    const [stages, comparisons, timing, artifactBytes, peakRssKb, attempts, seed, worker, signal, stderr, start, wallMs,
      repro, batched, secondOpinion, secondComparisons, sets] = raw;
    return {
      stages: chunks(stages, 4).map(([name, status, ms, diagnostic]) => ({
        name: this.text(Number(name)),
        status: Number(status),
        ms: Number(ms),
        diagnostic: this.text(Number(diagnostic)),
      })),
      comparisons: comparisons.map((comparison) => this.decodeComparison(comparison)),
      timing: timing === 0 ? undefined : { n: timing[0], min: timing[1], median: timing[2], p95: timing[3] },
      artifactBytes,
      peakRssKb,
      attempts,
      seed,
      worker,
      signal,
      stderr: stderr.map((line) => this.text(line)),
      start,
      wallMs,
      repro: own(this.text(repro)),
      batched,
      secondOpinion: this.text(secondOpinion),
      secondComparisons: secondComparisons.map((comparison) => this.decodeComparison(comparison)),
      sets: sets.map(([policy, setSeed, status, stage, diagnostic, unbounded]) => ({
        policy: this.text(policy), seed: setSeed, status, stage: this.text(stage), diagnostic: this.text(diagnostic),
        unbounded,
      })),
    };
  }

  private decodeComparison(raw: RawComparison): Comparison {
    const [output, dtype, elements, mismatches, maxAbs, maxRel, maxUlp, pcc, cosine, rmse, nanMismatches,
      infMismatches, boundRatio, rule, relaxed, flags, worst, policy, unbounded] = raw;
    return {
      output,
      dtype: this.text(dtype),
      elements,
      mismatches,
      maxAbs,
      maxRel,
      maxUlp,
      pcc,
      cosine,
      rmse,
      nanMismatches,
      infMismatches,
      boundRatio,
      rule: this.text(rule),
      relaxed: this.text(relaxed),
      constant: (flags & 1) !== 0,
      accepted: (flags & 2) !== 0,
      worst: chunks(worst, 4).map(([index, got, expected, ratio]) => ({
        index: String(index),
        got: String(got),
        expected: String(expected),
        ratio: ratio as Num,
      })),
      policy: this.text(policy),
      unbounded,
    };
  }
}
