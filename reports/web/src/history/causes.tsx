// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shows each cause over time: in how many rows of which runs it was. Its id stays the same.
import { useMemo, useState } from "preact/hooks";
import { grouped, plural, when } from "../format";
import { type Column, DataTable } from "../table";
import { Answer, useAnswer } from "./answers";
import type { Cell, History, RunFacts } from "./data";
import { Badge, Link, type ViewProps, Waiting } from "./parts";

const SHOWN = 25; // causes at first
const STRIP = 60; // newest runs of a series

type CauseRun = History["raw"]["causes"][string][number];

// A mark for each of the newest runs of one series; its height is the number of rows with the cause.
function Strip({ history, series, status, of }: { history: History; series: string; status: string; of: CauseRun[] }) {
  const runs = useMemo(
    () => history.raw.runs.map((run, index) => ({ run, index })).filter(({ run }) => run.series === series && run.age > 0 && run.age <= STRIP).reverse(),
    [history, series],
  );
  const rows = new Map(of.map(([run, count]) => [run, count]));
  const most = Math.max(1, ...of.map(([, count]) => count));
  const there = runs.filter(({ index }) => rows.has(index));
  const newest = there.at(-1);
  return (
    <div class="strip">
      <span class="muted small">{series}</span>
      <svg viewBox={`0 0 ${runs.length * 8} 22`} width={runs.length * 8} height="22" role="img" aria-label={`${series}: in ${there.length} of the newest ${plural(runs.length, "run")}${newest ? `, last in ${newest.run.name} with ${plural(rows.get(newest.index) ?? 0, "row")}` : ""}`}>
        {runs.map(({ run, index }, at) => {
          const count = rows.get(index) ?? 0;
          const height = count > 0 ? 5 + (15 * count) / most : 2;
          return (
            <rect key={run.name} x={at * 8} y={21 - height} width="7" height={height} fill={count > 0 ? `var(--s-${status})` : "var(--strong-line)"}>
              <title>{`${run.name}, ${when(run.started)}: ${plural(count, "row")}`}</title>
            </rect>
          );
        })}
      </svg>
    </div>
  );
}

interface CauseLine { run: RunFacts; rows: number; cases: number; models: number; ops: number }

const COLUMNS: Column<CauseLine>[] = [
  { id: "run", name: "run", value: (line) => line.run.name, cell: (line) => <Link to={{ run: line.run.name }}><code>{line.run.name}</code></Link> },
  { id: "started", name: "started", value: (line) => line.run.started, cell: (line) => when(line.run.started) },
  { id: "series", name: "series", value: (line) => line.run.series },
  { id: "toolchain", name: "toolchain", value: (line) => line.run.toolchain, cell: (line) => <span class="long" title={line.run.toolchain}>{line.run.toolchain}</span>, minor: 2 },
  { id: "rows", name: "rows", value: (line) => line.rows },
  { id: "cases", name: "cases", value: (line) => line.cases },
  { id: "models", name: "models", value: (line) => line.models },
  { id: "ops", name: "ops", value: (line) => line.ops },
];

export function Causes(props: ViewProps) {
  const { history, place, change } = props;
  const { lines, cell, error } = useAnswer({ ...props, verb: "groups" });
  const [shown, setShown] = useState(SHOWN);
  if (!lines) return <Waiting loaded={error ? { error } : {}} />;
  const of = (group: string): CauseRun[] =>
    (history.raw.causes[group] ?? []).filter(([run]) => !place.series || history.raw.runs[run]?.series === place.series);
  const causes = lines.map((line) => ({ line, id: String(cell(line, "group")) })).filter(({ id }) => (!place.group || id === place.group) && of(id).length > 0);
  const text = (line: Cell[], title: string) => String(cell(line, title) ?? "");
  const red = new Set(history.raw.statuses.filter((status) => status.red).map((status) => status.name));
  causes.sort((a, b) => Number(red.has(text(b.line, "status"))) - Number(red.has(text(a.line, "status"))));
  const latest = new Set(history.raw.runs.flatMap((run, index) => (run.latest ? [index] : [])));
  if (causes.length === 0) return <p class="empty">{place.group ? <>No run {place.series && `of ${place.series} `}has the group <code>{place.group}</code>.</> : "Every row of every run passed."}</p>;
  return (
    <>
      {place.group && <p><button type="button" class="link" onClick={() => { change({ group: "" }); }}>All groups</button></p>}
      <ul class="causes">
        {causes.slice(0, shown).map(({ line, id }) => {
          const runs = of(id);
          const now = runs.filter(([run]) => latest.has(run)).reduce((sum, [, rows]) => sum + rows, 0);
          const series = [...new Set(runs.map(([run]) => history.raw.runs[run]?.series ?? ""))].sort();
          return (
            <li key={id} class="cause">
              <p class="what">
                <Link to={{ view: "groups", group: id, series: place.series }}><code>{id}</code></Link>
                <Badge status={text(line, "status")} />
                {text(line, "stage") && <span>in <b>{text(line, "stage")}</b></span>}
                <span class="count">
                  {now > 0 ? <Link to={{ view: "rows", group: id, series: place.series }}>{plural(now, "row")} now</Link> : <span class="green">gone from the newest runs</span>}
                </span>
              </p>
              <p class="diagnostic">{text(line, "fingerprint")}</p>
              <p class="muted small">
                {plural(runs.length, "run")}, {text(line, "first").slice(0, 10)} to {text(line, "last").slice(0, 10)}, at most {plural(Math.max(...runs.map(([, rows]) => rows)), "row")} in one
              </p>
              {series.map((name) => <Strip key={name} history={history} series={name} status={text(line, "status")} of={runs.filter(([run]) => history.raw.runs[run]?.series === name)} />)}
              {place.group && (
                <DataTable
                  name={`group ${id}`}
                  columns={COLUMNS}
                  rows={runs.flatMap(([run, rows, cases, models, ops]) => { const facts = history.raw.runs[run]; return facts ? [{ run: facts, rows, cases, models, ops }] : []; }).reverse()}
                  empty="No run has it."
                  pageSize={25}
                />
              )}
            </li>
          );
        })}
      </ul>
      {causes.length > shown && <button type="button" class="more" onClick={() => { setShown(causes.length); }}>{grouped(causes.length - shown)} more</button>}
      {!place.group && (
        <section aria-labelledby="groups-title">
          <h3 id="groups-title">As a table</h3>
          <Answer {...props} verb="groups" without={["series"]} />
        </section>
      )}
    </>
  );
}
