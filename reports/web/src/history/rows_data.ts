// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The rows of one run, column by column. They are selected and sorted without an object for each.
import type { Num } from "../columns";
import type { Place } from "./address";
import { caseOf, type History, type RawCases, type RawRows } from "./data";

export const SORTS = ["status", "op", "case", "model", "stage", "group", "device", "compile", "wall", "bound"] as const;
export type SortKey = (typeof SORTS)[number];

export interface Filter {
  query: string;
  op: string;
  model: string;
  dtype: string;
  stage: string;
  group: string;
  status: string;
}

export class Cases {
  readonly places: ReadonlyMap<string, number>;

  constructor(readonly raw: RawCases) {
    this.places = new Map(raw.name.map((name, at) => [name, at]));
  }

  find(name: string): number {
    return caseOf(name, this.places);
  }

  name(at: number): string {
    return this.raw.name[at] ?? "";
  }

  text(column: "op" | "kind" | "dtype" | "signature", at: number): string {
    return this.raw.strings[this.raw[column][at] ?? -1] ?? "";
  }
}

function value(of: Num | null | undefined): number {
  return typeof of === "number" ? of : of === "inf" ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
}

export class Rows {
  readonly count: number;

  constructor(private readonly history: History, readonly cases: Cases, readonly raw: RawRows) {
    this.count = raw.case.length;
  }

  string(index: number | undefined): string {
    return index === undefined || index < 0 ? "" : (this.raw.strings[index] ?? "");
  }

  case(row: number): number {
    return this.raw.case[row] ?? -1;
  }

  status(row: number): string {
    return this.history.status(this.raw.status[row] ?? -1);
  }

  model(row: number): string {
    return this.string(this.raw.model[row]);
  }

  stage(row: number): string {
    return this.string(this.raw.stage[row]);
  }

  group(row: number): string {
    return this.string(this.raw.cause[row]);
  }

  op(row: number): string {
    return this.cases.text("op", this.case(row));
  }

  name(row: number): string {
    return `${this.model(row)}__${this.cases.name(this.case(row))}`;
  }

  // The distinct values of a column, for the choices of the filters.
  values(column: "model" | "stage" | "op" | "dtype"): string[] {
    const found = new Set<string>();
    if (column === "model") for (const index of new Set(this.raw.model)) found.add(this.string(index));
    else if (column === "stage") for (const index of new Set(this.raw.stage)) found.add(this.string(index));
    else {
      const indices = new Set<number>();
      for (const at of this.raw.case) indices.add(this.cases.raw[column][at] ?? -1);
      for (const index of indices) found.add(this.cases.raw.strings[index] ?? "");
    }
    found.delete("");
    return [...found].sort();
  }

  // Rows that meet all conditions except that on the status, which the buttons count.
  candidates(filter: Filter): number[] {
    const words = filter.query.toLowerCase().split(/\s+/).filter(Boolean);
    const passed = this.history.passed;
    const chosen: number[] = [];
    for (let row = 0; row < this.count; ++row) {
      if (filter.op && this.op(row) !== filter.op) continue;
      if (filter.model && this.model(row) !== filter.model) continue;
      if (filter.dtype && this.cases.text("dtype", this.case(row)) !== filter.dtype) continue;
      if (filter.stage && (this.raw.status[row] === passed || this.stage(row) !== filter.stage)) continue;
      if (filter.group && this.group(row) !== filter.group) continue;
      if (words.length > 0) {
        const text = `${this.name(row)} ${this.op(row)} ${this.status(row)} ${this.group(row)} ${this.cases.text("signature", this.case(row))}`.toLowerCase();
        if (!words.every((word) => text.includes(word))) continue;
      }
      chosen.push(row);
    }
    return chosen;
  }

  // Texts are sorted up, numbers down; problems before rows without a verdict, passes last.
  sorted(rows: number[], sort: string): number[] {
    const down = sort.startsWith("-");
    const key = sort.replace(/^-/, "");
    const compare = this.order(SORTS.find((each) => each === key) ?? "status");
    return [...rows].sort((a, b) => (down ? -compare(a, b) : compare(a, b)) || a - b);
  }

  private order(key: SortKey): (a: number, b: number) => number {
    const texts = (of: (row: number) => string) => {
      const found = new Map<number, string>();
      const text = (row: number) => {
        let known = found.get(row);
        if (known === undefined) found.set(row, (known = of(row)));
        return known;
      };
      return (a: number, b: number) => (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0);
    };
    const numbers = (column: (Num | null)[]) => (a: number, b: number) => {
      const [first, second] = [value(column[a]), value(column[b])];
      return first === second ? 0 : second > first ? 1 : -1;
    };
    switch (key) {
      case "status": {
        const severity = this.history.raw.statuses.map(({ red, blocks }, at) => (red ? 0 : blocks ? 100 : at === this.history.passed ? 300 : 200) + at);
        return (a, b) => (severity[this.raw.status[a] ?? 0] ?? 0) - (severity[this.raw.status[b] ?? 0] ?? 0);
      }
      case "op":
        return texts((row) => this.op(row));
      case "case":
        return texts((row) => this.cases.name(this.case(row)));
      case "model":
        return texts((row) => this.model(row));
      case "stage":
        return texts((row) => this.stage(row));
      case "group":
        return texts((row) => this.group(row));
      case "device":
        return numbers(this.raw.us);
      case "compile":
        return numbers(this.raw.compile_ms);
      case "wall":
        return numbers(this.raw.wall_ms);
      case "bound":
        return numbers(this.raw.bound);
    }
  }
}

export function filterOf(place: Place): Filter {
  const { query, op, model, dtype, stage, group, status } = place;
  return { query, op, model, dtype, stage, group, status };
}
