// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads kinds of items that a page has many of: the data has them as arrays, and the names of their fields once, under
// `columns` (reports/page/page_columns.h).
//
//   const rows = new Table("row", { case: int, status: int }, raw.columns);
//   rows.get(item, "status");   // 0
//   rows.unpack(item);          // { case: 3, status: 0 }

export type Num = number | "nan" | "inf" | "-inf";

export type ColumnNames = Record<string, string[]>;

// The values of a T in the order of its columns.
export type Item<T> = readonly unknown[] & { readonly item?: T };

// The fields of a shape; the examples give their types.
export const int = 0 as number;
export const text = "" as string;
export const num = 0 as Num;
export const ints = [] as number[];
export const itemsOf = <T>(): Item<T>[] => [];
export const maybe = <T>(): Item<T> | null => null;

export class Table<T extends object> {
  private readonly fields: (keyof T & string)[];
  private readonly places = new Map<keyof T, number>();

  // Fails by name if the data lacks a field. If there is no item of a kind, the data has no columns for it either.
  constructor(private readonly name: string, shape: T, columns: ColumnNames) {
    this.fields = Object.keys(shape) as (keyof T & string)[];
    const names = columns[name];
    if (!names) return;
    for (const field of this.fields) {
      const place = names.indexOf(field);
      if (place < 0) throw new Error(`the data has no ${name}.${field}`);
      this.places.set(field, place);
    }
  }

  get<F extends keyof T>(item: Item<T>, field: F): T[F] {
    const place = this.places.get(field);
    if (place === undefined) throw new Error(`the data has no columns of ${this.name}`);
    return item[place] as T[F];
  }

  unpack(item: Item<T>): T {
    const unpacked: Partial<T> = {};
    for (const field of this.fields) unpacked[field] = this.get(item, field);
    return unpacked as T;
  }
}
