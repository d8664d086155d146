// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads kinds of items that a page has many of: the data has them as arrays, and the names of their fields once, under
// `columns` (reports/page/page_columns.h).
//
//   const rows = new Table("row", { case: int, status: int }, raw.columns);
//   rows.get(item, "status");   // 0
//   rows.unpack(item);          // { case: 3, status: 0 }
//   rows.decode(item, page);    // the same, with a text for each `word` and so on

export type Num = number | "nan" | "inf" | "-inf";

export type ColumnNames = Record<string, string[]>;

// The values of a T in the order of its columns.
export type Item<T> = readonly unknown[] & { readonly item?: T };

// The fields of a shape; the examples give their types.
export const int = 0 as number;
export const text = "" as string;
export const num = 0 as Num;

// Texts of the page and items of its other shapes, for the kinds of fields that refer to them.
export interface Source {
  text(index: number): string;
  decode<T extends object>(shape: T, item: Item<T>): Decoded<T>;
}

// A field whose value in the data is not the value that it has in the page.
export interface Kind<Value> {
  readonly read: (stored: unknown, source: Source) => Value;
}

export type Decoded<T> = { [F in keyof T]: T[F] extends Kind<infer Value> ? Value : T[F] };

export const flag: Kind<boolean> = { read: (stored) => stored === 1 };
export const word: Kind<string> = { read: (stored, source) => source.text(stored as number) };
export const words: Kind<string[]> = { read: (stored, source) => (stored as number[]).map((each) => source.text(each)) };
export const items = <T extends object>(shape: T): Kind<Decoded<T>[]> => ({
  read: (stored, source) => (stored as Item<T>[]).map((item) => source.decode(shape, item)),
});
export const maybe = <T extends object>(shape: T): Kind<Decoded<T> | undefined> => ({
  read: (stored, source) => (stored === null ? undefined : source.decode(shape, stored as Item<T>)),
});

export class Table<T extends object> {
  private readonly fields: (keyof T & string)[];
  private readonly places = new Map<keyof T, number>();

  // Fails by name if the data lacks a field. If there is no item of a kind, the data has no columns for it either.
  constructor(private readonly name: string, private readonly shape: T, columns: ColumnNames) {
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

  read<F extends keyof T>(item: Item<T>, field: F, source: Source): Decoded<T>[F] {
    const kind = this.shape[field] as Partial<Kind<unknown>>;
    const stored: unknown = this.get(item, field);
    return (kind.read ? kind.read(stored, source) : stored) as Decoded<T>[F];
  }

  decode(item: Item<T>, source: Source): Decoded<T> {
    const decoded: Partial<Decoded<T>> = {};
    for (const field of this.fields) decoded[field] = this.read(item, field, source);
    return decoded as Decoded<T>;
  }
}
