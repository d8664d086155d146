// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The page's data as reports/page/page_data.cc writes it (`opbyop-page/5`), and its decoded form.
import { type ColumnNames, type Decoded, int, type Item, items, maybe, type Num, type Source, Table, text, word, words } from "./columns";
import { COMPARISON, ELEMENT, FIGURE, RECORD, SET, STAGE, TIMING } from "./record_shapes";

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
  tree?: string; // the page of the models as trees, in the page's folder; absent: all cases are single ops
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

// Kinds of items that there are many of.
const SHAPE = { signature: word, cases: int };
const ATTRIBUTE = { name: word, value: word };
const ORIGIN = { model: int, count: int, framework_op: word, module_path: words, locations: words };
const PROGRAM = { bytes: int, text };
const DETAIL = {
  file: word, signature: word, attributes: items(ATTRIBUTE), flops: int, bytes: int, record: maybe(RECORD),
  program: maybe(PROGRAM),
};
// `detail`: an item of DETAIL, as JSON.
const CASE = { id: text, op: int, dtype: word, wall_ms: int, origins: items(ORIGIN), detail: text };
const BASELINE = { reason: word, issue: word, since: word, owner: word };
const ROW = { case: int, model: int, status: int, stage: int, ops: int, diagnostic: word, baseline: maybe(BASELINE) };

export const SHAPES = {
  shape: SHAPE, element: ELEMENT, comparison: COMPARISON, stage: STAGE, timing: TIMING, set: SET, figure: FIGURE, record: RECORD,
  attribute: ATTRIBUTE, origin: ORIGIN, program: PROGRAM, detail: DETAIL, case: CASE, baseline: BASELINE, row: ROW,
};

type CaseItem = Item<typeof CASE>;
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
  baseline: Decoded<typeof BASELINE> | undefined;
}

export type Comparison = Decoded<typeof COMPARISON>;
export type InputSet = Decoded<typeof SET>;
export type CaseRecord = Decoded<typeof RECORD>;

export interface CaseDetail {
  id: string;
  file: string;
  signature: string;
  attributes: Decoded<typeof ATTRIBUTE>[];
  flops: number;
  bytes: number;
  origins: Decoded<typeof ORIGIN>[];
  record: CaseRecord | undefined;
  program: { bytes: number; text: string } | undefined; // text: empty if the page does not contain it
}

const SCHEMA = "opbyop-page/5";

// Rows are decoded at once, the rest of a case only when it is opened.
export class Page implements Source {
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
  private readonly tables: Map<object, Table<object>>; // by shape

  constructor(private readonly raw: RawPage) {
    if (raw.schema !== SCHEMA) throw new Error(`this page reads ${SCHEMA}, its data is ${raw.schema}`);
    this.tables = new Map(Object.entries(SHAPES).map(([name, shape]) => [shape, new Table<object>(name, shape, raw.columns)]));
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
      shapes: of.shapes.map((item) => this.decode(SHAPE, item)),
    }));
  }

  detail(index: number): CaseDetail {
    const { id, origins, detail } = this.decode(CASE, this.rawCase(index));
    const { file, record, ...others } = this.decode(DETAIL, JSON.parse(detail) as Item<typeof DETAIL>);
    const own = (of: string) => of.replaceAll("{id}", id);
    return { ...others, id, origins, file: own(file), record: record && { ...record, repro: own(record.repro) } };
  }

  // The link from the page to a case's file, or undefined if it is not known.
  fileHref(file: string): string | undefined {
    const { files } = this.run;
    return files ? `${files}/${file}`.split("/").map(encodeURIComponent).join("/") : undefined;
  }

  // The text that the search box searches, in lower case.
  haystack(row: Row): string {
    const frameworkOps = this.table(CASE)
      .read(this.rawCase(row.caseIndex), "origins", this)
      .map((origin) => `${origin.framework_op} ${origin.module_path.join("/")}`);
    const status = this.statuses[row.status] ?? "";
    return [row.name, row.op, status, row.diagnostic, ...frameworkOps].join(" ").toLowerCase();
  }

  decode<T extends object>(shape: T, item: Item<T>): Decoded<T> {
    return this.table(shape).decode(item, this);
  }

  text(index: number): string {
    return index < 0 ? "" : (this.raw.strings[index] ?? "");
  }

  private table<T extends object>(shape: T): Table<T> {
    return this.tables.get(shape) as unknown as Table<T>;
  }

  private rawCase(index: number): CaseItem {
    const found = this.raw.cases[index];
    if (!found) throw new Error(`the data has no case ${index}`);
    return found;
  }

  private decodeRow(item: RowItem, index: number): Row {
    const { case: caseIndex, ...row } = this.decode(ROW, item);
    const raw = this.rawCase(caseIndex);
    const id = this.table(CASE).get(raw, "id");
    return {
      ...row,
      index,
      id,
      name: `${this.models[row.model]?.name ?? ""}__${id}`,
      op: this.ops[this.table(CASE).get(raw, "op")]?.label ?? "",
      dtype: this.table(CASE).read(raw, "dtype", this),
      caseIndex,
      wallMs: this.table(CASE).get(raw, "wall_ms"),
    };
  }
}
