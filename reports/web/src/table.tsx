// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A table that can be sorted, searched, paged and saved as CSV; @tanstack/table-core does the work.
import {
  type ColumnDef, createTable, getCoreRowModel, getFilteredRowModel, getPaginationRowModel, getSortedRowModel, type RowData,
  type Table, type TableState, type Updater,
} from "@tanstack/table-core";
import type { ComponentChildren } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { csv, save } from "./csv";
import { useFit } from "./scroll";

export interface Column<T> {
  id: string;
  name: string;
  value: (row: T) => string | number;
  cell?: (row: T) => ComponentChildren;
  help?: string;
  unit?: string; // of its numbers, shown in the CSV file
  minor?: 1 | 2; // left out if the table would be wider than the window; first those of 2 and those without a value
}

interface Props<T> {
  name: string; // of the CSV file, and of the table for screen readers
  columns: Column<T>[];
  rows: T[];
  sort?: string; // column id; descending for numbers; none: in the order of the rows
  ascending?: boolean;
  empty: ComponentChildren;
  pageSize?: number;
  find?: string; // initial text of the search
}

function isBlank(value: string | number): boolean {
  return value === "" || Number.isNaN(value);
}

const PAGE_SIZES = [10, 25, 50, 100];
const MINOR_LEVELS = 2; // of Column.minor

function useTable<T extends RowData>(rows: T[], columns: Column<T>[], sort: string, ascending: boolean, pageSize: number, find: string): Table<T> {
  const definitions = useMemo(
    () => columns.map((column): ColumnDef<T> => ({
      id: column.id, accessorFn: column.value, sortDescFirst: typeof (rows[0] && column.value(rows[0])) === "number",
      sortingFn: typeof (rows[0] && column.value(rows[0])) === "number" ? "basic" : "alphanumeric",
    })),
    [columns, rows],
  );
  const [state, setState] = useState<Partial<TableState>>({
    sorting: sort ? [{ id: sort, desc: !ascending }] : [], pagination: { pageIndex: 0, pageSize }, globalFilter: find,
  });
  const [table] = useState(() => createTable<T>({
    data: rows, columns: definitions, state: {}, renderFallbackValue: null, onStateChange: () => undefined,
    getCoreRowModel: getCoreRowModel(), getFilteredRowModel: getFilteredRowModel(), getSortedRowModel: getSortedRowModel(),
    getPaginationRowModel: getPaginationRowModel(), getColumnCanGlobalFilter: () => true,
    globalFilterFn: (row, id, words: string) => String(row.getValue(id)).toLowerCase().includes(words.toLowerCase()),
  }));
  table.setOptions((before) => ({
    ...before, data: rows, columns: definitions, state: { ...table.initialState, ...state },
    onStateChange: (updater: Updater<TableState>) => {
      setState((old) => (typeof updater === "function" ? updater({ ...table.initialState, ...old }) : updater));
    },
  }));
  return table;
}

export function DataTable<T>({ name, columns, rows, sort = "", ascending = false, empty, pageSize = 10, find = "" }: Props<T>) {
  const table = useTable(rows, columns, sort, ascending, pageSize, find);
  const box = useRef<HTMLDivElement>(null);
  const [all, setAll] = useState(false);
  const { dropped, wide } = useFit(box, MINOR_LEVELS, all);
  const blank = useMemo(() => new Set(columns.filter((column) => rows.every((row) => isBlank(column.value(row)))).map((column) => column.id)), [columns, rows]);
  const minor = (column: Column<T>) => (blank.has(column.id) ? MINOR_LEVELS : column.minor ?? 0);
  const seen = all ? columns : columns.filter((column) => minor(column) === 0 || minor(column) + dropped <= MINOR_LEVELS);
  const { pageIndex, pageSize: size } = table.getState().pagination;
  const filtered = table.getFilteredRowModel().rows.length;
  const sorted = table.getState().sorting[0];
  const download = () => {
    const lines = table.getSortedRowModel().rows.map((row) => csv(columns.map((column) => column.value(row.original))));
    save(`${name}.csv`, [csv(columns.map((column) => column.name + (column.unit ? ` (${column.unit})` : ""))), ...lines].join("\n") + "\n");
  };
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  const first = filtered === 0 ? 0 : pageIndex * size + 1;
  return (
    <div class="data-table" data-table={name}>
      <div class="table-tools">
        <label>
          Search{" "}
          <input type="search" value={String(table.getState().globalFilter)} onInput={(event) => { table.setGlobalFilter(event.currentTarget.value); table.setPageIndex(0); }} />
        </label>
        <label>
          Rows{" "}
          <select value={size} onChange={(event) => { table.setPageSize(Number(event.currentTarget.value)); }}>
            {[...new Set([...PAGE_SIZES, pageSize])].sort((a, b) => a - b).map((count) => <option key={count}>{count}</option>)}
          </select>
        </label>
        <button type="button" class="tool" onClick={download}>CSV</button>
        <span class="muted pager" role="status">
          {first}–{Math.min(filtered, first + size - 1)} of {filtered}
          {filtered < rows.length && ` (${rows.length} in all)`}
          <button type="button" class="tool" aria-label="Previous page" disabled={!table.getCanPreviousPage()} onClick={() => { table.previousPage(); }}>‹</button>
          <button type="button" class="tool" aria-label="Next page" disabled={!table.getCanNextPage()} onClick={() => { table.nextPage(); }}>›</button>
        </span>
      </div>
      {(dropped > 0 || wide) && (
        <p class="muted small sideways">
          {seen.length < columns.length && `${columns.length - seen.length} of ${columns.length} columns are left out: the table is wider than the window. `}
          {wide && "Wider than the window: it scrolls sideways. "}
          {(all || seen.length < columns.length) && <button type="button" class="link" onClick={() => { setAll(!all); }}>{all ? "Only the main columns" : "Show all columns"}</button>}
        </p>
      )}
      <div class="scroll" ref={box} tabIndex={0} role="region" aria-label={`${name}, table`}>
        <table class="grid" aria-label={name}>
          <thead>
            <tr>
              {seen.map((column) => {
                const order = sorted?.id === column.id ? (sorted.desc ? "descending" : "ascending") : "none";
                return (
                  <th key={column.id} scope="col" aria-sort={order} title={column.help} class={rows[0] && typeof column.value(rows[0]) === "number" ? "num" : ""}>
                    <button type="button" onClick={() => { table.getColumn(column.id)?.toggleSorting(); }}>
                      {column.name}
                      <span aria-hidden="true">{order === "none" ? "" : order === "descending" ? " ▾" : " ▴"}</span>
                    </button>
                  </th>
                );
              })}
            </tr>
          </thead>
          <tbody>
            {table.getRowModel().rows.map((row) => (
              <tr key={row.id}>
                {seen.map((column) => {
                  const value = column.value(row.original);
                  return <td key={column.id} class={typeof value === "number" ? "num" : ""}>{column.cell ? column.cell(row.original) : value}</td>;
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {filtered === 0 && <p class="empty">No row has these words.</p>}
    </div>
  );
}
