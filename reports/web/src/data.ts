// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The page's data as reports/page/page_data.cc writes it (`opbyop-page/4`), and its decoded form.
import { type ColumnNames, int, ints, type Item, itemsOf, maybe, num, type Num, Table, text } from "./columns";

export type { Num };

export interface RunFacts {
  id: string;
  target: string;
  toolchain: string;
  compile_only?: string; // why nothing was executed
  compiled?: string; // where and when a bundle was compiled that this run executed
  other_version?: string; // the versions that compiled and executed, if they differ
  policy: string;
  seed: string;
  start: string;
  end: string;
  wall_s: number;
  git_sha: string;
  argv: string[];
  host: Record<string, string>;
  properties: Record<string, string>; // what the target reports about itself
  complete: boolean;
  unmet: string[]; // demands on the run that its rows do not meet
  model_ops: number;
  records: number;
  unknown_records: number;
  suite?: string; // "stablehlo 1.0 full"; empty: the cases are those of models
  manifest?: string; // sha256
  score_card?: string; // in the page's folder, without its ending; empty: there is none
  files?: string; // the folder of the cases' files, relative to the page's folder; empty: not known
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
  whole?: WholeModel; // set if the model was also run in one piece
  profile?: { href: string; target: string }; // set if there is a profile near the page
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

// Kinds of items that there are many of. A number whose name is that of a text is its index in `strings`; flags are 0
// or 1.
const SHAPE = { signature: int, cases: int };
const ELEMENT = { index: text, got: text, expected: text, bound_ratio: num };
const COMPARISON = {
  output: int, dtype: int, elements: int, mismatches: int, max_abs: num, max_rel: num, max_ulp: num, pcc: num,
  cosine: num, rmse: num, nan_mismatches: int, inf_mismatches: int, bound_ratio: num, rule: int, relaxed: int,
  constant: int, accepted: int, worst: itemsOf<typeof ELEMENT>(), policy: int, unbounded: int,
};
const STAGE = { name: int, status: int, ms: int, diagnostic: int };
const TIMING = { n: int, min_us: int, median_us: int, p95_us: int, first_call: int };
const SET = { policy: int, seed: text, status: int, stage: int, diagnostic: int, unbounded: int };
const FIGURE = { name: int, value: num };
const RECORD = {
  stages: itemsOf<typeof STAGE>(), comparisons: itemsOf<typeof COMPARISON>(), timing: maybe<typeof TIMING>(),
  artifact_bytes: int, peak_rss_kb: int, attempts: int, seed: text, worker: int, signal: int, stderr: ints, start: text,
  wall_ms: int, repro: int, batched: int, cached_from: int, differential: int, second_comparisons: itemsOf<typeof COMPARISON>(),
  cost: itemsOf<typeof FIGURE>(), memory: itemsOf<typeof FIGURE>(), sets: itemsOf<typeof SET>(),
};
const ATTRIBUTE = { name: int, value: int };
const ORIGIN = { model: int, count: int, framework_op: int, module_path: ints, locations: ints };
const PROGRAM = { bytes: int, text };
const DETAIL = {
  file: int, signature: int, attributes: itemsOf<typeof ATTRIBUTE>(), flops: int, bytes: int,
  record: maybe<typeof RECORD>(), program: maybe<typeof PROGRAM>(),
};
// `detail`: an item of DETAIL, as JSON.
const CASE = { id: text, op: int, dtype: int, wall_ms: int, origins: itemsOf<typeof ORIGIN>(), detail: text };
const BASELINE = { reason: int, issue: int, since: int, owner: int };
const ROW = {
  case: int, model: int, status: int, stage: int, ops: int, diagnostic: int, baseline: maybe<typeof BASELINE>(),
};

export const SHAPES = {
  shape: SHAPE, element: ELEMENT, comparison: COMPARISON, stage: STAGE, timing: TIMING, set: SET, figure: FIGURE, record: RECORD,
  attribute: ATTRIBUTE, origin: ORIGIN, program: PROGRAM, detail: DETAIL, case: CASE, baseline: BASELINE, row: ROW,
};

type CaseItem = Item<typeof CASE>;
type DetailItem = Item<typeof DETAIL>;
type RowItem = Item<typeof ROW>;

interface RawOp {
  label: string;
  kind: string;
  cases: number;
  counts: number[]; // rows by status
  stages: Cell[];
}

interface RawBlocker {
  id: string;
  of: string[];
  stage: number;
  status: number;
  diagnostic: number;
  diagnostics: number;
  cases: number;
  rows: number;
  ops: number;
  shared: string[]; // what all of its rows have in common
  models: number[];
  unlocked: number[];
}

interface RawGapOp {
  op: number;
  cases: number;
  rows: number;
  ops: number;
  shapes: Item<typeof SHAPE>[];
}

interface RawGap {
  status: number;
  stage: number;
  reason: number;
  reasons: number;
  cases: number;
  rows: number;
  ops: number;
  models: number[];
  of: RawGapOp[];
}

// An earlier run of the same series, from a history.
export interface EarlierRun {
  id: string;
  start: string;
  rows: number;
  passed: number;
  href: string; // its page; empty: it has none any more
}

export interface RawPage {
  schema: string;
  run: RunFacts;
  before?: { runs: EarlierRun[]; red?: string[] }; // oldest first; names of the rows that were red in the newest
  statuses: string[];
  problems: number[];
  silent: number[]; // statuses that show neither right nor wrong
  stages: Stage[];
  models: Model[];
  ops: RawOp[];
  blockers: RawBlocker[];
  gap_lines: string[];
  gaps: RawGap[];
  cases: (CaseItem | null)[];
  rows: RowItem[];
  strings: string[];
  columns: ColumnNames;
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

// Rows of one op with one type of result.
export interface TypeCell {
  rows: number;
  passed: number;
  problems: number;
}

export interface Blocker {
  id: string; // id of its cause, the same in every run
  of: string[]; // ops, that with most rows first
  stage: number;
  status: number;
  diagnostic: string;
  diagnostics: number;
  cases: number;
  rows: number;
  ops: number;
  shared: string[]; // what all of its rows have in common
  models: number[];
  unlocked: number[];
}

export interface Gap {
  status: number;
  stage: number;
  reason: string; // the most frequent one
  reasons: number; // how many different ones there are
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
  dtype: string; // of the case's first result
  caseIndex: number;
  model: number;
  status: number;
  stage: number; // -1: nothing ran
  ops: number;
  diagnostic: string;
  wallMs: number; // -1: nothing ran
  baseline: { reason: string; issue: string; since: string; owner: string } | undefined;
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
  policy: string; // of the inputs; empty in results from before there were several policies
  unbounded: number; // elements that no rule judged
}

// The outcome of the case on the inputs of one policy.
export interface InputSet {
  policy: string;
  seed: string;
  status: number;
  stage: string;
  diagnostic: string;
  unbounded: number;
}

export interface Figure {
  name: string;
  value: Num;
}

export interface CaseRecord {
  stages: { name: string; status: number; ms: number; diagnostic: string }[];
  comparisons: Comparison[];
  timing: { n: number; min: number; median: number; p95: number; firstCall: boolean } | undefined;
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
  batched: number; // cases that were compiled in one module with this one; 0: none
  cachedFrom: string; // the run that made the record; empty: this one
  differential: string; // comparison with another target on the same inputs; empty: not asked for
  secondComparisons: Comparison[];
  cost: Figure[]; // the compiler's estimates for the program: "flops", "optimal_seconds"
  memory: Figure[]; // bytes of the device's memory by use, as the compiler reports them
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
  program: { bytes: number; text: string } | undefined; // text: empty if the page does not contain it
}

const SCHEMA = "opbyop-page/4";

// Readers of a page's packed items.
function tables(columns: ColumnNames) {
  return {
    shape: new Table("shape", SHAPE, columns),
    element: new Table("element", ELEMENT, columns),
    comparison: new Table("comparison", COMPARISON, columns),
    stage: new Table("stage", STAGE, columns),
    timing: new Table("timing", TIMING, columns),
    set: new Table("set", SET, columns),
    figure: new Table("figure", FIGURE, columns),
    record: new Table("record", RECORD, columns),
    attribute: new Table("attribute", ATTRIBUTE, columns),
    origin: new Table("origin", ORIGIN, columns),
    program: new Table("program", PROGRAM, columns),
    detail: new Table("detail", DETAIL, columns),
    case: new Table("case", CASE, columns),
    baseline: new Table("baseline", BASELINE, columns),
    row: new Table("row", ROW, columns),
  };
}

// Rows are decoded at once, the rest of a case only when it is opened.
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
  readonly types: string[]; // of first results
  readonly counts: number[]; // rows by status
  readonly passed: number; // index of the status "pass"
  readonly before: EarlierRun[]; // oldest first
  readonly newlyRed: Row[] | undefined; // undefined: not known
  readonly fixed: number; // rows that were red in the run before, and are not red now
  private readonly tables: ReturnType<typeof tables>;

  constructor(private readonly raw: RawPage) {
    if (raw.schema !== SCHEMA) throw new Error(`this page reads ${SCHEMA}, its data is ${raw.schema}`);
    this.tables = tables(raw.columns);
    this.run = raw.run;
    this.statuses = raw.statuses;
    this.stages = raw.stages;
    this.models = raw.models;
    this.passed = raw.statuses.indexOf("pass");
    this.ops = raw.ops.map(({ stages, ...op }) => ({
      ...op,
      rows: op.counts.reduce((sum, count) => sum + count, 0),
      cells: stages,
    }));
    this.blockers = raw.blockers.map((blocker) => ({ ...blocker, diagnostic: this.text(blocker.diagnostic) }));
    this.gapLines = raw.gap_lines;
    this.gaps = raw.gaps.map((gap) => ({ ...gap, reason: this.text(gap.reason) }));
    this.rows = raw.rows.map((row, index) => this.decodeRow(row, index));
    this.types = [...new Set(this.rows.map((row) => row.dtype))].sort();
    this.counts = raw.statuses.map(() => 0);
    for (const row of this.rows) this.counts[row.status] = (this.counts[row.status] ?? 0) + 1;
    this.before = raw.before?.runs ?? [];
    const red = raw.before?.red && new Set(raw.before.red);
    this.newlyRed = red && this.rows.filter((row) => this.isProblem(row.status) && !red.has(row.name));
    this.fixed = red ? this.rows.filter((row) => !this.isProblem(row.status) && red.has(row.name)).length : 0;
  }

  isProblem(status: number): boolean {
    return this.raw.problems.includes(status);
  }

  problems(counts: readonly number[]): number {
    return this.raw.problems.reduce((sum, status) => sum + (counts[status] ?? 0), 0);
  }

  // Whether it is unsupported, inconclusive or skipped.
  isSilent(status: number): boolean {
    return this.raw.silent.includes(status);
  }

  silent(counts: readonly number[]): number {
    return this.raw.silent.reduce((sum, status) => sum + (counts[status] ?? 0), 0);
  }

  // Cells by op and type of the first result.
  typeCells(): Map<string, Map<string, TypeCell>> {
    const ops = new Map<string, Map<string, TypeCell>>();
    for (const row of this.rows) {
      const types = ops.get(row.op) ?? new Map<string, TypeCell>();
      const cell = types.get(row.dtype) ?? { rows: 0, passed: 0, problems: 0 };
      cell.rows++;
      if (row.status === this.passed) cell.passed++;
      if (this.isProblem(row.status)) cell.problems++;
      ops.set(row.op, types.set(row.dtype, cell));
    }
    return ops;
  }

  // The ops of a gap that is opened.
  gapOps(gap: Gap): GapOp[] {
    return gap.of.map((of) => ({
      ...of,
      op: this.text(of.op),
      shapes: of.shapes.map((item) => {
        const { signature, cases } = this.tables.shape.unpack(item);
        return { signature: this.text(signature), cases };
      }),
    }));
  }

  detail(index: number): CaseDetail {
    const { id, origins, detail } = this.tables.case.unpack(this.rawCase(index));
    const { file, signature, attributes, flops, bytes, record, program } = this.tables.detail.unpack(JSON.parse(detail) as DetailItem);
    const own = (of: string) => of.replaceAll("{id}", id);
    return {
      id,
      file: own(this.text(file)),
      signature: this.text(signature),
      attributes: attributes.map((item) => {
        const { name, value } = this.tables.attribute.unpack(item);
        return { name: this.text(name), value: this.text(value) };
      }),
      flops,
      bytes,
      origins: origins.map((item) => {
        const { model, count, framework_op, module_path, locations } = this.tables.origin.unpack(item);
        return {
          model,
          count,
          frameworkOp: this.text(framework_op),
          modulePath: this.texts(module_path),
          locations: this.texts(locations),
        };
      }),
      record: record ? this.decodeRecord(record, own) : undefined,
      program: program ? this.tables.program.unpack(program) : undefined,
    };
  }

  // The link from the page to a case's file, or undefined if it is not known.
  fileHref(file: string): string | undefined {
    const { files } = this.run;
    return files ? `${files}/${file}`.split("/").map(encodeURIComponent).join("/") : undefined;
  }

  // The text that the search box searches, in lower case.
  haystack(row: Row): string {
    const { origin } = this.tables;
    const frameworkOps = this.tables.case.get(this.rawCase(row.caseIndex), "origins").map(
      (item) => `${this.text(origin.get(item, "framework_op"))} ${this.texts(origin.get(item, "module_path")).join("/")}`,
    );
    const status = this.statuses[row.status] ?? "";
    return [row.name, row.op, status, row.diagnostic, ...frameworkOps].join(" ").toLowerCase();
  }

  private text(index: number): string {
    return index < 0 ? "" : (this.raw.strings[index] ?? "");
  }

  private texts(indices: number[]): string[] {
    return indices.map((index) => this.text(index));
  }

  private rawCase(index: number): CaseItem {
    const found = this.raw.cases[index];
    if (!found) throw new Error(`the data has no case ${index}`);
    return found;
  }

  private decodeRow(item: RowItem, index: number): Row {
    const row = this.tables.row.unpack(item);
    const raw = this.rawCase(row.case);
    const id = this.tables.case.get(raw, "id");
    return {
      index,
      id,
      name: `${this.models[row.model]?.name ?? ""}__${id}`,
      op: this.ops[this.tables.case.get(raw, "op")]?.label ?? "",
      dtype: this.text(this.tables.case.get(raw, "dtype")),
      caseIndex: row.case,
      model: row.model,
      status: row.status,
      stage: row.stage,
      ops: row.ops,
      diagnostic: this.text(row.diagnostic),
      wallMs: this.tables.case.get(raw, "wall_ms"),
      baseline: row.baseline ? this.decodeBaseline(row.baseline) : undefined,
    };
  }

  private decodeBaseline(item: Item<typeof BASELINE>): Exclude<Row["baseline"], undefined> {
    const { reason, issue, since, owner } = this.tables.baseline.unpack(item);
    return { reason: this.text(reason), issue: this.text(issue), since: this.text(since), owner: this.text(owner) };
  }

  private decodeRecord(item: Item<typeof RECORD>, own: (text: string) => string): CaseRecord {
    const record = this.tables.record.unpack(item);
    return {
      stages: record.stages.map((each) => {
        const stage = this.tables.stage.unpack(each);
        return { ...stage, name: this.text(stage.name), diagnostic: this.text(stage.diagnostic) };
      }),
      comparisons: record.comparisons.map((comparison) => this.decodeComparison(comparison)),
      timing: record.timing ? this.decodeTiming(record.timing) : undefined,
      artifactBytes: record.artifact_bytes,
      peakRssKb: record.peak_rss_kb,
      attempts: record.attempts,
      seed: record.seed,
      worker: record.worker,
      signal: record.signal,
      stderr: this.texts(record.stderr),
      start: record.start,
      wallMs: record.wall_ms,
      repro: own(this.text(record.repro)),
      batched: record.batched,
      cachedFrom: this.text(record.cached_from),
      differential: this.text(record.differential),
      secondComparisons: record.second_comparisons.map((comparison) => this.decodeComparison(comparison)),
      cost: this.decodeFigures(record.cost),
      memory: this.decodeFigures(record.memory),
      sets: record.sets.map((each) => {
        const set = this.tables.set.unpack(each);
        return {
          ...set, policy: this.text(set.policy), stage: this.text(set.stage), diagnostic: this.text(set.diagnostic),
        };
      }),
    };
  }

  private decodeFigures(items: Item<typeof FIGURE>[]): Figure[] {
    return items.map((item) => {
      const { name, value } = this.tables.figure.unpack(item);
      return { name: this.text(name), value };
    });
  }

  private decodeTiming(item: Item<typeof TIMING>): Exclude<CaseRecord["timing"], undefined> {
    const { n, min_us, median_us, p95_us, first_call } = this.tables.timing.unpack(item);
    return { n, min: min_us, median: median_us, p95: p95_us, firstCall: first_call === 1 };
  }

  private decodeComparison(item: Item<typeof COMPARISON>): Comparison {
    const c = this.tables.comparison.unpack(item);
    return {
      output: c.output,
      dtype: this.text(c.dtype),
      elements: c.elements,
      mismatches: c.mismatches,
      maxAbs: c.max_abs,
      maxRel: c.max_rel,
      maxUlp: c.max_ulp,
      pcc: c.pcc,
      cosine: c.cosine,
      rmse: c.rmse,
      nanMismatches: c.nan_mismatches,
      infMismatches: c.inf_mismatches,
      boundRatio: c.bound_ratio,
      rule: this.text(c.rule),
      relaxed: this.text(c.relaxed),
      constant: c.constant !== 0,
      accepted: c.accepted !== 0,
      worst: c.worst.map((element) => {
        const { index, got, expected, bound_ratio } = this.tables.element.unpack(element);
        return { index, got, expected, ratio: bound_ratio };
      }),
      policy: this.text(c.policy),
      unbounded: c.unbounded,
    };
  }
}
