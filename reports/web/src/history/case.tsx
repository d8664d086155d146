// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shows one case: its outcome in its runs, its stages and numbers in the newest ones, where it comes from, how to
// repeat it, and what the newest runs recorded.
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { Num } from "../columns";
import { Page } from "../data";
import { Detail } from "../detail";
import { bytes, correlation, duration, grouped, number, plural, si, when } from "../format";
import { type Column, DataTable } from "../table";
import type { History, RawCase, RawCases, RawCaseRun, RawChunk, RawRecord, RunFacts } from "./data";
import { type Loader, useData } from "./load";
import { Badge, Link, type ViewProps, Waiting } from "./parts";
import { reproOf } from "./repro";
import { Cases } from "./rows_data";

interface CaseRun {
  facts: RunFacts;
  status: string;
  stage: string;
  group: string;
  rows: number;
  us: Num | null;
  compileMs: Num | null;
  wallMs: Num | null;
  bound: Num | null;
}

const NUMBER = (value: Num | null) => (typeof value === "number" ? value : Number.NaN);

const RUNS: Column<CaseRun>[] = [
  { id: "run", name: "run", value: (run) => run.facts.name, cell: (run) => <Link to={{ run: run.facts.name }}><code>{run.facts.name}</code></Link> },
  { id: "started", name: "started", value: (run) => run.facts.started, cell: (run) => when(run.facts.started).slice(0, 16), minor: 1 },
  { id: "series", name: "series", value: (run) => run.facts.series },
  { id: "status", name: "status", value: (run) => run.status, cell: (run) => <Badge status={run.status} /> },
  { id: "stage", name: "ended in", value: (run) => run.stage },
  { id: "group", name: "group", value: (run) => run.group, cell: (run) => (run.group ? <Link to={{ view: "groups", group: run.group }}><code>{run.group}</code></Link> : "") },
  { id: "rows", name: "rows", value: (run) => run.rows, minor: 2 },
  { id: "device", name: "device", value: (run) => NUMBER(run.us), cell: (run) => (typeof run.us === "number" ? duration(run.us / 1000) : ""), unit: "µs" },
  { id: "compile", name: "compile", value: (run) => NUMBER(run.compileMs), cell: (run) => (typeof run.compileMs === "number" ? duration(run.compileMs) : ""), unit: "ms", minor: 1 },
  { id: "wall", name: "wall", value: (run) => NUMBER(run.wallMs), cell: (run) => (typeof run.wallMs === "number" ? duration(run.wallMs) : ""), unit: "ms", minor: 2 },
  { id: "bound", name: "error / bound", value: (run) => NUMBER(run.bound), cell: (run) => (run.bound === null ? "" : number(run.bound)) },
  { id: "toolchain", name: "toolchain", value: (run) => run.facts.toolchain, cell: (run) => <span class="long" title={run.facts.toolchain}>{run.facts.toolchain}</span>, minor: 2 },
];

interface CaseComparison { run: RunFacts; policy: string; rule: string; output: number; elements: number; mismatches: number; maxAbs: Num | null; maxRel: Num | null; maxUlp: Num | null; pcc: Num | null; bound: Num | null }

const num = (value: Num | null) => (value === null ? "" : number(value));

const COMPARISONS: Column<CaseComparison>[] = [
  { id: "series", name: "series", value: (c) => c.run.series },
  { id: "policy", name: "inputs", value: (c) => c.policy },
  { id: "output", name: "output", value: (c) => c.output },
  { id: "rule", name: "rule", value: (c) => c.rule, cell: (c) => <code>{c.rule}</code> },
  { id: "elements", name: "elements", value: (c) => c.elements },
  { id: "mismatches", name: "beyond the bound", value: (c) => c.mismatches, cell: (c) => <span class={c.mismatches > 0 ? "red" : ""}>{grouped(c.mismatches)}</span> },
  { id: "bound", name: "error / bound", value: (c) => NUMBER(c.bound), cell: (c) => num(c.bound) },
  { id: "abs", name: "max abs", value: (c) => NUMBER(c.maxAbs), cell: (c) => num(c.maxAbs) },
  { id: "rel", name: "max rel", value: (c) => NUMBER(c.maxRel), cell: (c) => num(c.maxRel), minor: 1 },
  { id: "ulp", name: "max ULP", value: (c) => NUMBER(c.maxUlp), cell: (c) => num(c.maxUlp), minor: 1 },
  { id: "pcc", name: "PCC", value: (c) => NUMBER(c.pcc), cell: (c) => (c.pcc === null ? "" : correlation(c.pcc)), minor: 2 },
];

function Part({ id, title, children }: { id: string; title: string; children: ComponentChildren }) {
  return (
    <section class="sub" aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      {children}
    </section>
  );
}

// A value from run to run, oldest first; gaps where there is none.
function Course({ name, runs, of, text }: { name: string; runs: CaseRun[]; of: (run: CaseRun) => Num | null; text: (value: number) => string }) {
  const values = runs.map((run) => NUMBER(of(run)));
  const known = values.filter((value) => Number.isFinite(value));
  if (known.length < 2) return null;
  const most = Math.max(...known) || 1;
  const [width, height] = [300, 60];
  const points = values.flatMap((value, at) => (Number.isFinite(value) ? [[4 + (at / (values.length - 1)) * (width - 8), height - 4 - (value / most) * (height - 10)] as const] : []));
  return (
    <figure class="course">
      <figcaption class="small muted">{name}: {text(known[0] ?? 0)} to {text(known.at(-1) ?? 0)}, at most {text(most)}</figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`${name} in ${plural(known.length, "run")}`}>
        <line class="gridline" x1="0" x2={width} y1={height - 4} y2={height - 4} />
        <polyline points={points.map(([x, y]) => `${x},${y}`).join(" ")} fill="none" stroke="var(--link)" stroke-width="1.5" />
        {points.map(([x, y]) => <circle key={x} cx={x} cy={y} r="2" fill="var(--link)" />)}
      </svg>
    </figure>
  );
}

function Stages({ history, raw, string, skip }: { history: History; raw: RawCase; string: (index: number) => string; skip: ReadonlySet<number> }) {
  const stages = raw.stages.filter(([run]) => !skip.has(run));
  const longest = Math.max(1e-9, ...stages.map(([, , , ms]) => NUMBER(ms) || 0));
  if (stages.length === 0) return null;
  return (
    <Part id="stages-title" title="Stages in the newest runs">
      <table class="stages">
        <tbody>
          {stages.map(([run, stage, status, ms], at) => (
            <tr key={at}>
              <th scope="row">{history.raw.runs[run]?.series}: {string(stage)}</th>
              <td><Badge status={history.status(status)} /></td>
              <td class="num">{typeof ms === "number" ? duration(ms) : ms}</td>
              <td class="gauge"><span style={{ width: `${((NUMBER(ms) || 0) / longest) * 100}%` }} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </Part>
  );
}

const BINS = ["0", "≤ 0.001", "≤ 0.01", "≤ 0.1", "≤ 0.5", "≤ 1", "≤ 2", "≤ 10", "> 10"];

function Errors({ errors }: { errors: { policy: string; output: number; bins: number[] }[] }) {
  return (
    <>
      {errors.map(({ policy, output, bins }) => {
        const most = Math.max(1, ...bins);
        return (
          <figure class="histogram" key={`${policy} ${output}`}>
            <figcaption class="muted small">Errors of all {plural(bins.reduce((sum, count) => sum + count, 0), "element")} of output {output} under {policy}, as multiples of their bounds</figcaption>
            <div class="bins">
              {bins.map((count, at) => (
                <div class="bin" key={at}>
                  <span class="small">{grouped(count)}</span>
                  <span class={`bin-bar ${at > 5 ? "beyond" : ""}`} style={{ height: `${(70 * count) / most}px` }} />
                  <span class="small muted">{BINS[at]}</span>
                </div>
              ))}
            </div>
          </figure>
        );
      })}
    </>
  );
}

// The records of one run: the pane of its own page, and the texts of its stages.
function Recorded({ history, loader, file, name }: { history: History; loader: Loader; file: string; name: string }) {
  const loaded = useData<RawRecord>(loader, file);
  const page = useMemo(() => loaded.data && new Page(loaded.data.page), [loaded.data]);
  if (!page || !loaded.data) return <Waiting loaded={loaded} />;
  const run = history.run(page.run.id);
  const row = page.rows.find((each) => each.id === name);
  if (!row) return <p class="banner" role="alert">{file} does not have this case: the page was made again since it was opened.</p>;
  const texts = loaded.data.texts[name] ?? [];
  const errors = loaded.data.errors[name] ?? [];
  return (
    <Part id={`${file}-title`} title={`What ${page.run.id} recorded${run ? `, the newest run of ${run.series}` : ""}`}>
      {run?.page && <p><a href={`${run.page}#row=${encodeURIComponent(row.name)}`}>This row on the page of the run</a></p>}
      <div class="panel"><Detail page={page} row={row} /></div>
      {errors.length > 0 && <Errors errors={errors} />}
      {texts.map(({ name: title, text, bytes: size }) => (
        <details class="ir-text" key={title} open={texts.length === 1}>
          <summary><code>{title}</code> <span class="muted">{bytes(size)}{text.length < size && ", cut"}</span></summary>
          <pre class="ir" tabIndex={0}>{text}</pre>
        </details>
      ))}
      {texts.length <= 1 && <p class="muted small">The IR of each stage and the errors of all elements are shown where they were kept: <code>opbyop repro {row.name} --run {run?.source ?? "RUN"} -o KEPT</code>, then <code>opbyop history page --kept KEPT</code>.</p>}
    </Part>
  );
}

function Known({ history, loader, cases, at, chunk }: { history: History; loader: Loader; cases: Cases; at: number; chunk: RawChunk }) {
  const raw = chunk.cases[at - chunk.first];
  const string = (index: number) => (index < 0 ? "" : (chunk.strings[index] ?? ""));
  const runs = useMemo(
    () => (raw?.runs ?? []).flatMap(([run, status, stage, cause, rows, us, compileMs, wallMs, bound]: RawCaseRun): CaseRun[] => {
      const facts = history.raw.runs[run];
      return facts ? [{ facts, status: history.status(status), stage: string(stage), group: string(cause), rows, us, compileMs, wallMs, bound }] : [];
    }),
    [raw, history],
  );
  if (!raw) return <p class="banner" role="alert">The data of this case is not there: the page was made again since it was opened.</p>;
  const series = [...new Set(runs.map((run) => run.facts.series))];
  const newest = history.raw.runs.filter((run, index) => run.latest && raw.runs.some(([of]) => of === index));
  // For these series the record shows everything.
  const recorded = new Set(raw.recorded.map((file) => history.raw.series[Number(file.split("-")[1])]?.run ?? -1));
  const comparisons = raw.comparisons.filter(([run]) => !recorded.has(run)).flatMap(([run, policy, rule, output, elements, mismatches, , maxAbs, maxRel, maxUlp, pcc, bound]): CaseComparison[] => {
    const facts = history.raw.runs[run];
    return facts ? [{ run: facts, policy: string(policy), rule: string(rule), output, elements, mismatches, maxAbs, maxRel, maxUlp, pcc, bound }] : [];
  });
  const name = cases.name(at);
  return (
    <>
      <dl class="facts">
        <div><dt>Op</dt><dd><Link to={{ view: "rows", op: cases.text("op", at) }}><code>{cases.text("op", at)}</code></Link> <span class="muted">{cases.text("kind", at)}</span></dd></div>
        <div><dt>Shapes</dt><dd><code>{cases.text("signature", at)}</code></dd></div>
        <div><dt>Operations</dt><dd>{si(cases.raw.flops[at] ?? 0)}</dd></div>
        <div><dt>Bytes moved</dt><dd>{bytes(cases.raw.bytes[at] ?? 0)}</dd></div>
        <div><dt>Now</dt><dd>{newest.length === 0 ? "in no newest run" : runs.filter((run) => run.facts.latest).map((run) => <span key={`${run.facts.name} ${run.status} ${run.stage}`} class="now"><Badge status={run.status} /> <span class="muted">{run.facts.series}</span></span>)}</dd></div>
      </dl>
      <Part id="history-title" title={`In its runs, of the newest ${history.raw.shown_runs} of each series`}>
        {series.map((of) => {
          const own = runs.filter((run) => run.facts.series === of).reverse();
          return (
            <div class="courses" key={of}>
              <Course name={`${of}: device time`} runs={own} of={(run) => run.us} text={(us) => duration(us / 1000)} />
              <Course name={`${of}: error / bound`} runs={own} of={(run) => run.bound} text={number} />
            </div>
          );
        })}
        <DataTable name={`runs of ${name}`} columns={RUNS} rows={runs} empty="None of these runs has it." pageSize={10} />
      </Part>
      <Stages history={history} raw={raw} string={string} skip={recorded} />
      {comparisons.length > 0 && (
        <Part id="numbers-title" title="Numbers in the newest runs">
          <DataTable name={`numbers of ${name}`} columns={COMPARISONS} rows={comparisons} empty="Nothing was compared." pageSize={10} />
        </Part>
      )}
      {newest.length > 0 && (
        <Part id="again-title" title="Inputs, and how it is repeated">
          {newest.map((run) => (
            <div key={run.name} class="again">
              <p>{run.series}: inputs of {run.policy ? <b>{run.policy}</b> : "the default policies"}, drawn from seed {run.seed} of the run and the case's id.</p>
              <pre class="ir" tabIndex={0}>{reproOf(run, name)}</pre>
            </div>
          ))}
        </Part>
      )}
      {raw.recorded.map((file) => <Recorded key={file} history={history} loader={loader} file={file} name={name} />)}
      {history.raw.series.filter(({ run, absent }) => absent && raw.runs.some(([of]) => of === run)).map(({ name: of, absent }) => (
        <p class="muted small" key={of}>{of}: nothing else that the run recorded is shown, because {absent}.</p>
      ))}
      {recorded.size === 0 && raw.origins.length > 0 && (
        <Part id="origins-title" title="Where it comes from">
          <ul class="origins">
            {raw.origins.map(([model, ops, frameworkOp, path, locations], index) => (
              <li key={index}>
                <Link to={{ view: "rows", model: string(model) }}>{string(model)}</Link> <span class="muted">× {grouped(ops)}</span> {string(frameworkOp) && <code>{string(frameworkOp)}</code>}
                {path.length > 0 && <div class="path">{path.join(" › ")}</div>}
                {locations.map((location) => <div key={location} class="location">{location}</div>)}
              </li>
            ))}
          </ul>
        </Part>
      )}
    </>
  );
}

export function Case({ history, loader, place }: ViewProps) {
  const loaded = useData<RawCases>(loader, "cases");
  const cases = useMemo(() => loaded.data && new Cases(loaded.data), [loaded.data]);
  const at = cases?.find(place.case) ?? -1;
  const chunk = useData<RawChunk>(loader, at < 0 ? "" : `case-${Math.floor(at / history.raw.chunk)}`);
  if (!cases) return <Waiting loaded={loaded} />;
  if (at < 0) return <p class="empty">The history has no case <code>{place.case}</code>.</p>;
  if (!chunk.data) return <Waiting loaded={chunk} />;
  return <Known key={at} history={history} loader={loader} cases={cases} at={at} chunk={chunk.data} />;
}
