// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The rows of a newest run, with search, filters, sorting and CSV. Only visible rows are drawn.
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { csv, save } from "../csv";
import { duration, grouped, number, plural } from "../format";
import { useWindowVirtualizer } from "../virtual";
import { toHash } from "./address";
import type { Num } from "../columns";
import type { RawCases, RawRows, SeriesFacts } from "./data";
import { useData } from "./load";
import { Badge, Chips, Link, type ViewProps, Waiting } from "./parts";
import { Cases, filterOf, Rows, type SortKey } from "./rows_data";

const HEIGHT = 36;
const COLUMNS: { key: SortKey; name: string }[] = [
  { key: "status", name: "status" }, { key: "op", name: "op" }, { key: "case", name: "case" }, { key: "model", name: "model" },
  { key: "stage", name: "ended in" }, { key: "group", name: "group" }, { key: "device", name: "device" }, { key: "bound", name: "error / bound" }, { key: "wall", name: "wall" },
];

function ms(value: Num | null | undefined): string {
  return typeof value === "number" ? duration(value) : "";
}

function Choice({ label, value, values, change }: { label: string; value: string; values: string[]; change: (value: string) => void }) {
  return (
    <label>
      <span>{label}</span>
      <select value={value} onChange={(event) => { change(event.currentTarget.value); }}>
        <option value="">all</option>
        {(value && !values.includes(value) ? [value, ...values] : values).map((item) => <option key={item} value={item}>{item}</option>)}
      </select>
    </label>
  );
}

function download(rows: Rows, chosen: number[], series: string) {
  const plain = (value: Num | null | undefined) => value ?? "";
  const lines = chosen.map((row) => {
    const at = rows.case(row);
    return csv([
      rows.status(row), rows.op(row), rows.cases.name(at), rows.model(row), rows.stage(row), rows.group(row), rows.cases.text("dtype", at), rows.cases.text("signature", at),
      rows.raw.ops[row] ?? 0, plain(rows.raw.us[row]), plain(rows.raw.compile_ms[row]), plain(rows.raw.wall_ms[row]), plain(rows.raw.bound[row]),
      rows.string(rows.raw.reason[row]), rows.string(rows.raw.issue[row]), rows.string(rows.raw.owner[row]),
    ]);
  });
  const head = csv(["status", "op", "case", "model", "stage", "group", "type", "shapes", "ops", "device (µs)", "compile (ms)", "wall (ms)", "error / bound", "reason", "issue", "owner"]);
  save(`rows of ${series}.csv`, [head, ...lines].join("\n") + "\n");
}

function List({ rows, chosen }: { rows: Rows; chosen: number[] }) {
  const list = useRef<HTMLUListElement>(null);
  const [margin, setMargin] = useState(0);
  useLayoutEffect(() => {
    const place = () => { if (list.current) setMargin(list.current.getBoundingClientRect().top + window.scrollY); };
    place();
    const observer = new ResizeObserver(place);
    observer.observe(document.body);
    return () => { observer.disconnect(); };
  }, []);
  const virtualizer = useWindowVirtualizer({
    count: chosen.length, scrollMargin: margin, estimateSize: useCallback(() => HEIGHT, []),
    getItemKey: useCallback((index: number) => chosen[index] ?? index, [chosen]),
  });
  return (
    <ul class="rows history-rows" ref={list} style={{ height: `${virtualizer.getTotalSize()}px` }}>
      {virtualizer.getVirtualItems().map(({ index, start }) => {
        const row = chosen[index];
        if (row === undefined) return null;
        return (
          <li key={row} data-index={index} ref={(node) => { virtualizer.measureElement(node); }} aria-setsize={chosen.length} aria-posinset={index + 1} style={{ transform: `translateY(${start - margin}px)` }}>
            <a class="row" href={toHash({ case: rows.name(row) })} data-row={rows.name(row)}>
              <span class="c-status"><Badge status={rows.status(row)} /></span>
              <code class="c-op">{rows.op(row)}</code>
              <code class="c-case">{rows.cases.name(rows.case(row))}</code>
              <span class="c-model">{rows.model(row)}</span>
              <span class="c-stage">{rows.status(row) === "pass" ? "" : rows.stage(row)}</span>
              <code class="c-group">{rows.group(row)}</code>
              <span class="c-device">{typeof rows.raw.us[row] === "number" ? duration(rows.raw.us[row] / 1000) : ""}</span>
              <span class="c-bound">{rows.raw.bound[row] === null ? "" : number(rows.raw.bound[row] ?? 0)}</span>
              <span class="c-wall">{ms(rows.raw.wall_ms[row])}</span>
            </a>
          </li>
        );
      })}
    </ul>
  );
}

function Filtered({ rows, series, history, place, change }: Omit<ViewProps, "loader"> & { rows: Rows; series: SeriesFacts }) {
  const filter = filterOf(place);
  const key = JSON.stringify({ ...filter, status: "" });
  const candidates = useMemo(() => rows.candidates(filter), [rows, key]);
  const chosen = useMemo(
    () => rows.sorted(place.status ? candidates.filter((row) => rows.status(row) === place.status) : candidates, place.sort),
    [rows, candidates, place.status, place.sort],
  );
  const counts = useMemo(() => {
    const found = history.raw.statuses.map(() => 0);
    for (const row of candidates) found[rows.raw.status[row] ?? 0] = (found[rows.raw.status[row] ?? 0] ?? 0) + 1;
    return found;
  }, [candidates, rows, history]);
  const choices = useMemo(() => ({ model: rows.values("model"), op: rows.values("op"), dtype: rows.values("dtype"), stage: rows.values("stage") }), [rows]);
  const sort = place.sort.replace(/^-/, "") || "status";
  const run = history.raw.runs[series.run];
  return (
    <>
      <p class="muted" role="status">
        {chosen.length === rows.count ? plural(rows.count, "row") : `${grouped(chosen.length)} of ${plural(rows.count, "row")}`} of <Link to={{ run: run?.name ?? "" }}>{run?.name}</Link>, the newest of {series.name}{" "}
        <button type="button" class="tool" onClick={() => { download(rows, chosen, series.name); }}>CSV</button>
      </p>
      <div class="filters">
        <label class="search">
          <span>search</span>
          <input type="search" value={place.query} placeholder="case, op, model, group, shape" onInput={(event) => { change({ query: event.currentTarget.value }); }} />
        </label>
        <Choice label="model" value={place.model} values={choices.model} change={(model) => { change({ model }); }} />
        <Choice label="op" value={place.op} values={choices.op} change={(op) => { change({ op }); }} />
        <Choice label="type" value={place.dtype} values={choices.dtype} change={(dtype) => { change({ dtype }); }} />
        <Choice label="stopped in" value={place.stage} values={choices.stage} change={(stage) => { change({ stage }); }} />
        {place.group && <button type="button" class="clear" onClick={() => { change({ group: "" }); }}>group {place.group} ×</button>}
        <button type="button" class="clear" onClick={() => { change({ query: "", model: "", op: "", dtype: "", stage: "", group: "", status: "" }); }}>Clear</button>
      </div>
      <Chips
        label="Show only this status"
        values={history.raw.statuses.flatMap(({ name, red }, at) => ((counts[at] ?? 0) > 0 || place.status === name ? [{ id: name, name: name.replaceAll("_", " "), count: counts[at] ?? 0, bad: red }] : []))}
        chosen={place.status}
        choose={(status) => { change({ status }); }}
      />
      <div class="row columns history-columns" role="group" aria-label="Sort by">
        {COLUMNS.map(({ key: column, name }) => (
          <button type="button" key={column} class={`c-${column}`} aria-pressed={sort === column} onClick={() => { change({ sort: sort === column && !place.sort.startsWith("-") ? `-${column}` : column }); }}>
            {name}
            <span aria-hidden="true">{sort === column ? (place.sort.startsWith("-") ? " ▴" : " ▾") : ""}</span>
          </button>
        ))}
      </div>
      {chosen.length === 0 && <p class="empty">No row meets these conditions.</p>}
      <List rows={rows} chosen={chosen} />
    </>
  );
}

export function RowsView(props: ViewProps) {
  const { history, loader, place, change } = props;
  const series = history.raw.series.find((each) => each.name === place.series) ?? history.raw.series[0];
  const cases = useData<RawCases>(loader, "cases");
  const loaded = useData<RawRows>(loader, series?.file ?? "");
  const known = useMemo(() => cases.data && new Cases(cases.data), [cases.data]);
  const rows = useMemo(() => (known && loaded.data ? new Rows(history, known, loaded.data) : undefined), [history, known, loaded.data]);
  // The address names the series that is shown.
  useEffect(() => { if (series && place.series !== series.name) change({ series: series.name }); }, [series, place.series, change]);
  if (!series) return <p class="empty">No run keeps its results.</p>;
  if (!rows) return <Waiting loaded={cases.error ? cases : loaded} />;
  return <Filtered key={series.name} history={history} place={place} change={change} rows={rows} series={series} />;
}
