// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Selects and sorts the rows. The state is in the address (#...), so that a view can be linked to.
import type { Page, Row } from "./data";

export type SortKey = "status" | "op" | "case" | "model" | "stage" | "wall";

export interface View {
  query: string;
  statuses: string[]; // none: all
  model: string;
  op: string;
  dtype: string; // of the first result
  stage: string; // rows that did not pass and ended in this stage
  since: boolean; // red now, but not in the run before
  sort: SortKey;
  descending: boolean;
  open: string; // name of the row that is open
}

export const EMPTY: View = {
  query: "", statuses: [], model: "", op: "", dtype: "", stage: "", since: false, sort: "status", descending: false, open: "",
};

const SORT_KEYS: readonly string[] = ["status", "op", "case", "model", "stage", "wall"];

export function toHash(view: View): string {
  const parameters = new URLSearchParams();
  if (view.query) parameters.set("q", view.query);
  for (const status of view.statuses) parameters.append("status", status);
  if (view.model) parameters.set("model", view.model);
  if (view.op) parameters.set("op", view.op);
  if (view.dtype) parameters.set("type", view.dtype);
  if (view.stage) parameters.set("stage", view.stage);
  if (view.since) parameters.set("new", "1");
  if (view.sort !== EMPTY.sort || view.descending) parameters.set("sort", (view.descending ? "-" : "") + view.sort);
  if (view.open) parameters.set("row", view.open);
  return parameters.toString();
}

export function fromHash(hash: string): View {
  const parameters = new URLSearchParams(hash.replace(/^#/, ""));
  const sort = parameters.get("sort") ?? "";
  const key = sort.replace(/^-/, "");
  return {
    query: parameters.get("q") ?? "",
    statuses: parameters.getAll("status"),
    model: parameters.get("model") ?? "",
    op: parameters.get("op") ?? "",
    dtype: parameters.get("type") ?? "",
    stage: parameters.get("stage") ?? "",
    since: parameters.has("new"),
    sort: SORT_KEYS.includes(key) ? (key as SortKey) : EMPTY.sort,
    descending: sort.startsWith("-"),
    open: parameters.get("row") ?? "",
  };
}

// Problems first, then rows without a verdict, then passes.
function severity(page: Page, status: number): number {
  if (page.isProblem(status)) return 0;
  return status === page.passed ? 2 : 1;
}

// Names of ops and cases have plain letters. Comparing 100,000 rows by locale would take a second.
function byText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function compareBy(page: Page, key: SortKey): (a: Row, b: Row) => number {
  switch (key) {
    case "status":
      return (a, b) =>
        severity(page, a.status) - severity(page, b.status) || a.status - b.status || byText(a.op, b.op);
    case "op":
      return (a, b) => byText(a.op, b.op);
    case "case":
      return (a, b) => byText(a.id, b.id);
    case "model":
      return (a, b) => a.model - b.model;
    case "stage":
      return (a, b) => a.stage - b.stage;
    case "wall":
      return (a, b) => b.wallMs - a.wallMs;
  }
}

// The text of everything that RowIndex.candidates depends on; equal texts mean equal candidates.
export function candidateKey(view: View): string {
  return toHash({ ...EMPTY, ...view, statuses: [], sort: EMPTY.sort, descending: false, open: "" });
}

export class RowIndex {
  private readonly haystacks: string[] = [];

  constructor(private readonly page: Page) {}

  // Rows that meet every condition of `view` except its statuses, which the status buttons count.
  candidates(view: View): Row[] {
    const words = view.query.toLowerCase().split(/\s+/).filter(Boolean);
    const { page } = this;
    return (view.since ? (page.newlyRed ?? []) : page.rows).filter(
      (row) =>
        (!view.model || page.models[row.model]?.name === view.model) &&
        (!view.op || row.op === view.op) &&
        (!view.dtype || row.dtype === view.dtype) &&
        (!view.stage || (row.status !== page.passed && page.stages[row.stage]?.name === view.stage)) &&
        words.every((word) => this.haystack(row).includes(word)),
    );
  }

  select(candidates: Row[], view: View): Row[] {
    const wanted = new Set(view.statuses.map((name) => this.page.statuses.indexOf(name)));
    const chosen = wanted.size === 0 ? [...candidates] : candidates.filter((row) => wanted.has(row.status));
    const compare = compareBy(this.page, view.sort);
    const sign = view.descending ? -1 : 1;
    return chosen.sort((a, b) => sign * compare(a, b) || a.index - b.index);
  }

  private haystack(row: Row): string {
    return (this.haystacks[row.index] ??= this.page.haystack(row));
  }
}
