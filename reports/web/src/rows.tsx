// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The rows of the run, with search, filters and sorting. Only visible rows are drawn.
import { options } from "preact";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Page, Row } from "./data";
import { Detail } from "./detail";
import { EMPTY, type SortKey, type View } from "./filter";
import { duration, grouped, plural, words } from "./format";
import { useSearchKeys } from "./keys";
import { Status } from "./status";
import { useWindowVirtualizer } from "./virtual";

const PRINTED = 300; // rows on paper
const COLUMNS: { key: SortKey; name: string }[] = [
  { key: "status", name: "status" },
  { key: "op", name: "op" },
  { key: "case", name: "case" },
  { key: "model", name: "model" },
  { key: "stage", name: "ended in" },
  { key: "wall", name: "wall" },
];

interface Props {
  page: Page;
  view: View;
  change: (part: Partial<View>) => void;
  candidates: Row[];
  rows: Row[];
}

// True while the browser prints; then all rows are drawn, visible or not.
function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    const draw = (value: boolean) => () => {
      options.debounceRendering = (callback) => {
        callback();
      };
      setPrinting(value);
      delete options.debounceRendering;
    };
    const before = draw(true);
    const after = draw(false);
    addEventListener("beforeprint", before);
    addEventListener("afterprint", after);
    return () => {
      removeEventListener("beforeprint", before);
      removeEventListener("afterprint", after);
    };
  }, []);
  return printing;
}

function Choice({ label, value, values, change }: {
  label: string;
  value: string;
  values: string[];
  change: (value: string) => void;
}) {
  return (
    <label>
      <span>{label}</span>
      <select value={value} onChange={(event) => { change(event.currentTarget.value); }}>
        <option value="">all</option>
        {values.map((item) => (
          <option key={item} value={item}>{item}</option>
        ))}
      </select>
    </label>
  );
}

function StatusButtons({ page, view, change, candidates }: Omit<Props, "rows">) {
  const counts = page.statuses.map(() => 0);
  for (const row of candidates) counts[row.status] = (counts[row.status] ?? 0) + 1;
  const toggle = (name: string) => {
    const on = view.statuses.includes(name);
    change({ statuses: on ? view.statuses.filter((other) => other !== name) : [...view.statuses, name] });
  };
  return (
    <div class="chips" role="group" aria-label="Show only these statuses">
      {page.statuses.map((name, status) =>
        (page.counts[status] ?? 0) > 0 || view.statuses.includes(name) ? (
          <button type="button" key={name} aria-pressed={view.statuses.includes(name)} onClick={() => { toggle(name); }}>
            <span class={`status s-${name}`}>{words(name)}</span> {grouped(counts[status] ?? 0)}
          </button>
        ) : null,
      )}
    </div>
  );
}

function RowButton({ page, row, open, toggle }: { page: Page; row: Row; open: boolean; toggle: () => void }) {
  return (
    <button type="button" class="row" aria-expanded={open} data-row={row.name} onClick={toggle}>
      <span class="c-status">
        <Status page={page} status={row.status} />
      </span>
      <code class="c-op">{row.op}</code>
      <code class="c-case">{row.id}</code>
      <span class="c-model">{page.models[row.model]?.name}</span>
      <span class="c-stage">{row.status === page.passed ? "" : (page.stages[row.stage]?.name ?? "")}</span>
      <span class="c-wall">{duration(row.wallMs)}</span>
      {row.diagnostic && !open && (
        <span class="c-diagnostic">
          {row.baseline?.owner && <span class="owner">{row.baseline.owner}: </span>}
          {row.diagnostic}
        </span>
      )}
    </button>
  );
}

// Up, Down, Home and End move between rows; Enter is left to the button.
function moveFocus(event: KeyboardEvent, count: number, focusRow: (index: number) => void) {
  const button = (event.target as HTMLElement).closest<HTMLElement>("button.row");
  const index = Number(button?.parentElement?.dataset.index ?? NaN);
  if (Number.isNaN(index) || event.altKey || event.ctrlKey || event.metaKey) return;
  const goals: Record<string, number> = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: count - 1 };
  const goal = goals[event.key];
  if (goal === undefined) return;
  event.preventDefault();
  focusRow(Math.max(0, Math.min(count - 1, goal)));
}

export function Rows({ page, view, change, candidates, rows }: Props) {
  const list = useRef<HTMLUListElement>(null);
  const [margin, setMargin] = useState(0);
  const [openRows, setOpenRows] = useState<ReadonlySet<string>>(() => new Set(view.open ? [view.open] : []));
  const printing = usePrinting();
  useSearchKeys(useCallback(() => {
    setOpenRows(new Set());
    change({ open: "" });
  }, [change]));

  useLayoutEffect(() => {
    const place = () => {
      if (list.current) setMargin(list.current.getBoundingClientRect().top + window.scrollY);
    };
    place();
    const observer = new ResizeObserver(place);
    observer.observe(document.body);
    return () => {
      observer.disconnect();
    };
  }, []);

  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    scrollMargin: margin,
    estimateSize: useCallback((index: number) => (rows[index]?.diagnostic ? 58 : 36), [rows]),
    getItemKey: useCallback((index: number) => rows[index]?.index ?? index, [rows]),
  });

  // A link to a row scrolls to it.
  useEffect(() => {
    const at = view.open ? rows.findIndex((row) => row.name === view.open) : -1;
    if (at >= 0) virtualizer.scrollToIndex(at, { align: "start" });
  }, []);

  const toggle = (row: Row) => {
    const next = new Set(openRows);
    const closing = next.delete(row.name);
    if (!closing) next.add(row.name);
    setOpenRows(next);
    change({ open: closing ? "" : row.name });
  };
  const focusRow = (index: number) => {
    virtualizer.scrollToIndex(index, { align: "auto" });
    requestAnimationFrame(() => {
      list.current?.querySelector<HTMLElement>(`[data-index="${index}"] > button`)?.focus({ preventScroll: true });
    });
  };
  const sortBy = (key: SortKey) => {
    change({ sort: key, descending: view.sort === key ? !view.descending : false });
  };
  const item = (row: Row, index: number) => (
    <>
      <RowButton page={page} row={row} open={openRows.has(row.name)} toggle={() => { toggle(row); }} />
      {openRows.has(row.name) && <Detail page={page} row={row} key={index} />}
    </>
  );
  const filtered = toFiltered(view);

  return (
    <>
      <div class="head">
        <h2 id="rows-title">Rows</h2>
        <p class="muted" role="status">
          {rows.length === page.rows.length ? plural(rows.length, "row") : `${grouped(rows.length)} of ${plural(page.rows.length, "row")}`}
        </p>
      </div>
      <div class="filters">
        <label class="search">
          <span>search</span>
          <input
            type="search"
            value={view.query}
            placeholder="case, op, model, message, module path"
            onInput={(event) => { change({ query: event.currentTarget.value }); }}
          />
        </label>
        <Choice label="model" value={view.model} values={page.models.map((model) => model.name)} change={(model) => { change({ model }); }} />
        <Choice label="op" value={view.op} values={page.ops.map((op) => op.label)} change={(op) => { change({ op }); }} />
        <Choice label="type" value={view.dtype} values={page.types} change={(dtype) => { change({ dtype }); }} />
        <Choice label="stopped in" value={view.stage} values={page.stages.map((stage) => stage.name)} change={(stage) => { change({ stage }); }} />
        {page.newlyRed && (
          <label class="since">
            <input type="checkbox" checked={view.since} onChange={(event) => { change({ since: event.currentTarget.checked }); }} />
            <span>newly red</span>
          </label>
        )}
        <button type="button" class="clear" disabled={!filtered} onClick={() => { change({ ...EMPTY, open: view.open }); }}>
          Clear
        </button>
      </div>
      <StatusButtons page={page} view={view} change={change} candidates={candidates} />
      <div class="row columns" role="group" aria-label="Sort by">
        {COLUMNS.map(({ key, name }) => (
          <button type="button" key={key} class={`c-${key}`} aria-pressed={view.sort === key} onClick={() => { sortBy(key); }}>
            {name}
            <span aria-hidden="true">{view.sort === key ? (view.descending ? " ▴" : " ▾") : ""}</span>
          </button>
        ))}
      </div>
      {rows.length === 0 && <p class="empty">No row meets these conditions.</p>}
      {printing ? (
        <ul class="rows printed">
          {rows.slice(0, PRINTED).map((row, index) => (
            <li key={row.index}>{item(row, index)}</li>
          ))}
          {rows.length > PRINTED && <li class="empty">{plural(rows.length - PRINTED, "more row")} not printed.</li>}
        </ul>
      ) : (
        <ul
          class="rows"
          ref={list}
          style={{ height: `${virtualizer.getTotalSize()}px` }}
          onKeyDown={(event) => { moveFocus(event, rows.length, focusRow); }}
        >
          {virtualizer.getVirtualItems().map(({ index, key, start }) => {
            const row = rows[index];
            return row ? (
              <li
                key={Number(key)}
                data-index={index}
                ref={(node) => { virtualizer.measureElement(node); }}
                aria-setsize={rows.length}
                aria-posinset={index + 1}
                style={{ transform: `translateY(${start - margin}px)` }}
              >
                {item(row, index)}
              </li>
            ) : null;
          })}
        </ul>
      )}
    </>
  );
}

function toFiltered(view: View): boolean {
  return Boolean(view.query || view.statuses.length > 0 || view.model || view.op || view.dtype || view.stage || view.since);
}
