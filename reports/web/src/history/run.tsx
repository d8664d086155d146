// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shows one run: how its rows ended, and its changes since the run before, row by row.
import { useMemo } from "preact/hooks";
import type { Num } from "../columns";
import { duration, grouped, number, percent, plural, when, words } from "../format";
import { type Column, DataTable } from "../table";
import { Answer, cellText } from "./answers";
import { KINDS, kindName, kindRank, type RawChange, type RunFacts } from "./data";
import { useData } from "./load";
import { Badge, Chips, Link, type ViewProps, Waiting } from "./parts";

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value || "–"}</dd>
    </div>
  );
}

const TIMES = new Set(["slower", "faster"]);
const ERRORS = new Set(["worse", "better"]);

function valueText(kind: string, value: Num | null): string {
  if (value === null || typeof value === "string") return value ?? "";
  if (TIMES.has(kind)) return duration(value / 1000);
  return ERRORS.has(kind) ? `${number(value)} of the bound` : number(value);
}

function rowName(change: RawChange): string {
  return `${change[1]}__${change[2]}`;
}

const NUMBER = (value: Num | null) => (typeof value === "number" ? value : Number.NaN);

const COLUMNS: Column<RawChange>[] = [
  { id: "kind", name: "kind", value: (c) => kindName(c[0]), cell: (c) => <span class={KINDS.find((each) => each.kind === c[0])?.bad ? "red" : ""}>{kindName(c[0])}</span> },
  { id: "row", name: "row", value: rowName, cell: (c) => <Link to={{ case: rowName(c) }}><code>{rowName(c)}</code></Link> },
  { id: "op", name: "op", value: (c) => c[3], cell: (c) => <code>{c[3]}</code>, minor: 2 },
  { id: "before", name: "before", value: (c) => c[5] ?? "", cell: (c) => (c[10] !== null ? valueText(c[0], c[10]) : c[5] ? <Badge status={c[5]} /> : "") },
  { id: "after", name: "after", value: (c) => c[6] ?? "", cell: (c) => (c[11] !== null ? valueText(c[0], c[11]) : c[6] ? <Badge status={c[6]} /> : "") },
  { id: "before-value", name: "value before", value: (c) => NUMBER(c[10]), cell: (c) => valueText(c[0], c[10]), minor: 2 },
  { id: "after-value", name: "value after", value: (c) => NUMBER(c[11]), cell: (c) => valueText(c[0], c[11]), minor: 2 },
  { id: "confidence", name: "confidence", value: (c) => NUMBER(c[12]), cell: (c) => (c[12] === null ? "" : number(c[12])), minor: 2 },
  { id: "group", name: "group", value: (c) => c[7] ?? "", cell: (c) => (c[7] ? <Link to={{ view: "groups", group: c[7] }}><code>{c[7]}</code></Link> : "") },
  { id: "stage", name: "stage", value: (c) => c[8] ?? "", minor: 1 },
  { id: "diagnostic", name: "diagnostic", value: (c) => c[9] ?? "", cell: (c) => <span class="long" title={c[9] ?? ""}>{c[9]}</span>, minor: 1 },
  { id: "signature", name: "shapes", value: (c) => c[4], cell: (c) => <span class="long" title={c[4]}>{c[4]}</span>, minor: 2 },
];

function Changes({ loader, place, change, run }: ViewProps & { run: RunFacts }) {
  const loaded = useData<RawChange[]>(loader, run.changes);
  const counts = useMemo(() => {
    const found = new Map<string, number>();
    for (const each of loaded.data ?? []) found.set(each[0], (found.get(each[0]) ?? 0) + 1);
    return found;
  }, [loaded.data]);
  const lines = useMemo(
    () => (loaded.data ?? []).filter((each) => !place.kind || each[0] === place.kind).sort((a, b) => kindRank(a[0]) - kindRank(b[0])),
    [loaded.data, place.kind],
  );
  if (!run.changes) return <p class="empty">{run.previous ? `Nothing changed since ${run.previous}.` : run.partial ? "A run of chosen rows is compared with none." : "The first run of its series: there is none to compare it with."}</p>;
  if (!loaded.data) return <Waiting loaded={loaded} />;
  return (
    <>
      <Chips label="Show only this kind of change" values={KINDS.filter(({ kind }) => counts.has(kind)).map(({ kind, name, bad }) => ({ id: kind, name, bad, count: counts.get(kind) ?? 0 }))} chosen={place.kind} choose={(kind) => { change({ kind }); }} />
      <DataTable name={`changes of ${run.name}`} columns={COLUMNS} rows={lines} empty="No such change." pageSize={25} />
    </>
  );
}

export function Run(props: ViewProps) {
  const { history, place } = props;
  const run = history.run(place.run);
  if (!run) return <p class="empty">The history has no run <code>{place.run}</code>.</p>;
  const rows = history.rowsOf(run);
  const next = history.next(run);
  return (
    <>
      <p class="steps">
        {run.previous && <Link to={{ run: run.previous }}>‹ {run.previous}</Link>}
        {next && <Link to={{ run: next.name }}>{next.name} ›</Link>}
        {run.page && <a href={run.page}>The page of this run</a>}
        {run.latest && <Link to={{ view: "rows", series: run.series }}>Its rows</Link>}
      </p>
      {!run.complete && <p class="banner" role="alert"><strong>The run did not end.</strong> What it did not reach is missing.</p>}
      {run.compile_only && <p class="banner"><strong>Compiled only, not executed:</strong> {run.compile_only}</p>}
      <p class="counts">
        <strong>{percent(history.passedOf(run), rows)}</strong> of {plural(rows, "row")} pass:{" "}
        {run.counts.map((count, status) => (count > 0 ? <span key={status} class={`status s-${history.status(status)}`}>{grouped(count)} {words(history.status(status))}</span> : null))}
      </p>
      <dl class="facts">
        <Fact name="Series" value={run.series} />
        <Fact name="Started" value={when(run.started)} />
        <Fact name="Toolchain" value={run.toolchain} />
        <Fact name="Policies; seed" value={`${run.policy.replaceAll(",", ", ") || "–"}; ${run.seed}`} />
        <Fact name="Machine" value={run.machine} />
        <Fact name="Revision" value={run.git_sha.slice(0, 12)} />
        <Fact name="Wall time" value={typeof run.wall_s === "number" ? duration(run.wall_s * 1000) : "unknown"} />
        <Fact name="All times, since the run before" value={cellText(run.drift, "drift")} />
        <Fact name="Imported from" value={run.source} />
      </dl>
      <section aria-labelledby="changed-title">
        <h3 id="changed-title">What it changed{run.previous && ` since ${run.previous}`}</h3>
        <Changes key={run.name} {...props} run={run} />
      </section>
    </>
  );
}

// All runs with their changes, newest first.
export function Regressions(props: ViewProps) {
  const { place, change, history } = props;
  const table = history.table("changes");
  const counts = useMemo(() => {
    const kind = table.columns.findIndex((column) => column.title === "kind");
    const rows = table.columns.findIndex((column) => column.title === "rows");
    const found = new Map<string, number>();
    for (const line of table.lines ?? []) found.set(String(line[kind]), (found.get(String(line[kind])) ?? 0) + Number(line[rows]));
    return found;
  }, [table]);
  const keep = useMemo(() => (place.kind ? (line: (title: string) => unknown) => line("kind") === place.kind : undefined), [place.kind]);
  return (
    <>
      {counts.size > 0 && <Chips label="Show only this kind of change" values={KINDS.filter(({ kind }) => counts.has(kind)).map(({ kind, name, bad }) => ({ id: kind, name, bad, count: counts.get(kind) ?? 0 }))} chosen={place.kind} choose={(kind) => { change({ kind }); }} />}
      <Answer {...props} verb="changes" {...(keep ? { keep } : {})} pageSize={50} />
    </>
  );
}
