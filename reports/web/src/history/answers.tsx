// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shows the answer to one question of history/questions/questions.h as a table. The title of a column determines where
// its cells link to.
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { duration, grouped, share } from "../format";
import { Issue } from "../issue";
import { type Column, DataTable } from "../table";
import type { Place } from "./address";
import { type Cell, type Kind, kindName, type RawTable } from "./data";
import { useLines } from "./load";
import { Badge, Link, type ViewProps, Waiting } from "./parts";

export function cellText(value: Cell, kind: Kind): string {
  if (value === null) return "";
  if (typeof value === "string") return kind === "date" ? value.slice(0, 16).replace("T", " ") : value;
  switch (kind) {
    case "share":
      return share(value);
    case "drift":
      return `${value > 0 ? "+" : ""}${(100 * Math.expm1(value)).toFixed(1)} %`;
    case "us":
      return duration(value / 1000);
    default:
      return grouped(value);
  }
}

const LINKS: Record<string, (text: string) => Partial<Place>> = {
  "run": (run) => ({ run }),
  "row": (row) => ({ case: row }),
  "first row": (row) => ({ case: row }),
  "case": (of) => ({ case: of }),
  "group": (group) => ({ view: "groups", group }),
  "model": (model) => ({ view: "rows", model }),
  "op": (op) => ({ view: "rows", op }),
};

// Links in a series' line stay in that series.
function cellOf(title: string, kind: Kind, value: Cell, series: string): ComponentChildren {
  const text = cellText(value, kind);
  if (text === "") return "";
  if (title === "status") return <Badge status={text} />;
  if (title === "kind") return kindName(text);
  if (title === "issue") return <Issue issue={text} />;
  const to = LINKS[title];
  if (to) {
    const place = to(text);
    return <Link to={place.view === "rows" ? { ...place, series } : place}><code>{text}</code></Link>;
  }
  if (kind === "long") return <span class="long" title={text}>{text}</span>;
  return text;
}

// Columns that are left out in a narrow window.
const MINOR = new Set(["started", "first", "toolchain", "models", "ops", "owner", "issue"]);
// Columns of one question that are left out.
const MINOR_OF: Record<string, string[]> = { rank: ["cases", "kinds of op", "rows without time"], slowest: ["series", "op", "shapes"] };

interface Props extends ViewProps {
  verb: string;
  keep?: (line: (title: string) => Cell) => boolean;
  // lines with a lower rank come first; none: in the order of the answer
  rank?: (line: (title: string) => Cell) => number;
  pageSize?: number;
  without?: string[]; // titles
  empty?: string; // shown if no line is left
}

function at(table: RawTable, line: Cell[], title: string): Cell {
  return line[table.columns.findIndex((column) => column.title === title)] ?? null;
}

export function useAnswer(props: ViewProps & { verb: string }): { table: RawTable; error?: string; lines?: Cell[][]; cell: (line: Cell[], title: string) => Cell } {
  const table = props.history.table(props.verb);
  const loaded = useLines(props.loader, table);
  const { series } = props.place;
  const column = table.columns.findIndex((each) => each.title === "series" && each.kind === "text");
  const lines = useMemo(() => loaded.data?.filter((line) => !series || column < 0 || line[column] === series), [loaded.data, series, column]);
  return { table, cell: (line, title) => at(table, line, title), ...(loaded.error ? { error: loaded.error } : {}), ...(lines ? { lines } : {}) };
}

export function Answer(props: Props) {
  const { verb, keep, rank, pageSize = 25, without = [], place, empty, history } = props;
  const { table, lines, error } = useAnswer(props);
  const kept = useMemo(() => {
    const found = keep ? lines?.filter((line) => keep((title) => at(table, line, title))) : lines;
    if (!rank || !found) return found;
    const rankOf = (line: Cell[]) => rank((title) => at(table, line, title));
    return [...found].sort((a, b) => rankOf(a) - rankOf(b));
  }, [lines, keep, rank, table]);
  const oneSeries = history.raw.series.length < 2;
  const columns = useMemo(
    () => table.columns.map(({ title, kind }, index): Column<Cell[]> => ({
      id: title,
      name: title,
      value: (line) => line[index] ?? (kind === "text" || kind === "long" || kind === "date" ? "" : Number.NaN),
      cell: (line) => cellOf(title, kind, line[index] ?? null, String(at(table, line, "series") ?? place.series)),
      ...(kind === "us" ? { unit: "µs" } : {}),
      ...(title === "series" && oneSeries ? { minor: 2 as const } : MINOR.has(title) || MINOR_OF[verb]?.includes(title) ? { minor: 1 as const } : {}),
    })).filter(({ name }) => !without.includes(name) && !(place.series && name === "series")),
    [table, place.series, without.join(), oneSeries],
  );
  if (!kept) return <Waiting loaded={error ? { error } : {}} />;
  return <DataTable key={`${verb} ${place.series}`} name={verb} columns={columns} rows={kept} empty={empty && table.count > 0 ? empty : `${table.empty.charAt(0).toUpperCase()}${table.empty.slice(1)}.`} pageSize={pageSize} />;
}
