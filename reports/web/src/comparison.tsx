// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Targets side by side: who fails what, where, how far the numbers are off, how long it takes.
import { useEffect, useMemo, useState } from "preact/hooks";
import type { ComparedCase, ComparedOp, ComparedRun, Comparison, End, OpCell, Outcome } from "./comparison_data";
import type { Num } from "./data";
import { duration, grouped, number, percent, plural, words } from "./format";
import { Scroll } from "./scroll";

const SHOWN_CASES = 100;

function ratio(value: Num): string {
  return value === -1 ? "–" : number(value);
}

function microseconds(value: number): string {
  return value < 0 ? "–" : duration(value / 1000);
}

function RunRow({ data, run }: { data: Comparison; run: ComparedRun }) {
  const problems = data.problems(run);
  const passed = data.passed(run);
  const compile = run.stages.reduce((sum, stage) => sum + stage.medianMs, 0);
  return (
    <tr>
      <th scope="row">
        <a href={run.link}>{run.target}</a>
      </th>
      <td class="wide">{run.toolchain}</td>
      <td class="num">{percent(passed, run.rows)}</td>
      <td class={`num ${problems > 0 ? "red" : "green"}`}>{grouped(problems)}</td>
      <td class="num">{grouped(run.rows - passed - problems)}</td>
      <td class="num">{grouped(run.rows)}</td>
      <td class="num">{duration(compile)}</td>
      <td class="num">{run.complete ? duration(run.wallS * 1000) : "did not end"}</td>
    </tr>
  );
}

function Runs({ data }: { data: Comparison }) {
  return (
    <section aria-labelledby="targets-title">
      <h2 id="targets-title">Targets</h2>
      <Scroll labelledby="targets-title">
        <table class="models">
          <thead>
            <tr>
              <th scope="col">target</th>
              <th scope="col">toolchain</th>
              <th scope="col" class="num">pass</th>
              <th scope="col" class="num">problems</th>
              <th scope="col" class="num">other</th>
              <th scope="col" class="num">rows</th>
              <th scope="col" class="num">median case, all stages</th>
              <th scope="col" class="num">wall time</th>
            </tr>
          </thead>
          <tbody>
            {data.runs.map((run) => <RunRow key={run.link} data={data} run={run} />)}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}

function Stages({ data }: { data: Comparison }) {
  return (
    <section aria-labelledby="stages-title">
      <h2 id="stages-title">Stages</h2>
      {data.runs.map((run) => (
        <Scroll key={run.link} kind="stages" label={`stages of ${run.target}`}>
          <table class="matrix">
            <thead>
              <tr>
                <th scope="col">{run.target}</th>
                {run.stages.map((stage) => <th scope="col" class="stage" key={stage.name}>{stage.name}</th>)}
              </tr>
            </thead>
            <tbody>
              <tr>
                <th scope="row">rows passed/reached</th>
                {run.stages.map((stage) => (
                  <td key={stage.name} class={`cell ${stage.reached === 0 ? "none" : stage.passed === stage.reached ? "good" : "some"}`}>
                    <span>{grouped(stage.passed)}<span class="of">/{grouped(stage.reached)}</span></span>
                  </td>
                ))}
              </tr>
              <tr>
                <th scope="row">median of a case</th>
                {run.stages.map((stage) => <td class="num" key={stage.name}>{duration(stage.medianMs)}</td>)}
              </tr>
            </tbody>
          </table>
        </Scroll>
      ))}
    </section>
  );
}

interface Ended {
  cases: number;
  passed: number;
  ends: End[];
}

function cellClass(data: Comparison, cell: Ended): string {
  if (cell.cases === 0) return "none";
  if (cell.passed === cell.cases) return "good";
  return cell.ends.some((end) => data.isProblem(end.status)) ? "bad" : "other";
}

function endText(end: End): string {
  return `${grouped(end.cases)} ${words(end.status)}${end.stage && ` in ${end.stage}`}`;
}

// Passed of all, and how the others ended.
function EndedCell({ data, cell }: { data: Comparison; cell: Ended }) {
  return (
    <td class={`cell ${cellClass(data, cell)}`}>
      <span title={cell.ends.map(endText).join(", ")}>
        {grouped(cell.passed)}
        <span class="of">/{grouped(cell.cases)}</span>
        {cell.ends[0] && <> {endText(cell.ends[0])}{cell.ends.length > 1 && ", …"}</>}
      </span>
    </td>
  );
}

function OpCells({ data, cell }: { data: Comparison; cell: OpCell }) {
  return (
    <>
      <EndedCell data={data} cell={cell} />
      <td class="num">{ratio(cell.boundRatio)}</td>
      <td class="num">{microseconds(cell.medianUs)}</td>
      <td class="num">{duration(cell.compileMs)}</td>
    </>
  );
}

function opDiffers(op: ComparedOp): boolean {
  return new Set(op.cells.map((cell) => `${cell.passed} ${cell.cases} ${cell.ends.map(endText).join(", ")}`)).size > 1;
}

function Ops({ data, choose }: { data: Comparison; choose: (op: string) => void }) {
  const [onlyDiffering, setOnlyDiffering] = useState(false);
  const differing = useMemo(() => data.ops.filter(opDiffers), [data]);
  const ops = onlyDiffering ? differing : data.ops;
  return (
    <section aria-labelledby="ops-title">
      <div class="head">
        <h2 id="ops-title">Ops by target</h2>
        <label class="check">
          <input type="checkbox" checked={onlyDiffering} onChange={() => { setOnlyDiffering(!onlyDiffering); }} />
          only ops that the targets end differently ({differing.length} of {data.ops.length})
        </label>
      </div>
      <p class="muted">
        Cases passed of all, with the worst of the other ends; the worst error as a multiple of its bound; medians of a run on the
        device and of all compile stages.
      </p>
      <Scroll labelledby="ops-title">
        <table class="matrix compared">
          <thead>
            <tr>
              <th scope="col" rowSpan={2}>op</th>
              {data.runs.map((run) => <th scope="colgroup" colSpan={4} key={run.link}>{run.target}</th>)}
            </tr>
            <tr>
              {data.runs.map((run) => (
                <>
                  <th scope="col" key={`${run.link} cases`}>cases</th>
                  <th scope="col" class="num" key={`${run.link} error`}>error / bound</th>
                  <th scope="col" class="num" key={`${run.link} run`}>run</th>
                  <th scope="col" class="num" key={`${run.link} compile`}>compile</th>
                </>
              ))}
            </tr>
          </thead>
          <tbody>
            {ops.map((op) => (
              <tr key={op.label}>
                <th scope="row">
                  <button type="button" class="link" onClick={() => { choose(op.label); }}>
                    <code>{op.label}</code>
                  </button>
                </th>
                {op.cells.map((cell, at) => <OpCells data={data} cell={cell} key={data.runs[at]?.link} />)}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}

function OutcomeCell({ outcome }: { outcome: Outcome | undefined }) {
  if (!outcome) return <td class="muted">not in this run</td>;
  return (
    <td>
      <span class={`status s-${outcome.status}`}>{words(outcome.status)}</span>{" "}
      {outcome.status !== "pass" && <span class="muted">{outcome.stage}</span>}
      <div class="muted small">
        error/bound {ratio(outcome.boundRatio)}
        {outcome.boundRatio !== -1 && <>, max abs {number(outcome.maxAbs)}, max rel {number(outcome.maxRel)}</>}
        {outcome.medianUs >= 0 && <>, run {microseconds(outcome.medianUs)}</>}
        {outcome.compileMs >= 0 && <>, compile {duration(outcome.compileMs)}</>}
      </div>
      {outcome.diagnostic && <div class="diagnostic small">{outcome.diagnostic}</div>}
      {outcome.repro && <code class="small">{outcome.repro}</code>}
    </td>
  );
}

// One op: which types pass where, and of each other end the first diagnostic with its command.
function OneOp({ data, op }: { data: Comparison; op: ComparedOp }) {
  const types = useMemo(() => data.types(op.label), [data, op]);
  const ends = op.cells.flatMap((cell, run) => cell.ends.map((end) => ({ run, end })));
  return (
    <section id="op" aria-labelledby="op-title">
      <div class="head">
        <h2 id="op-title"><code>{op.label}</code></h2>
        <p class="muted">{op.kind}; by element type of the first result</p>
      </div>
      <Scroll labelledby="op-title">
        <table class="matrix">
          <thead>
            <tr>
              <th scope="col">type</th>
              <th scope="col" class="num">shapes</th>
              {data.runs.map((run) => <th scope="col" key={run.link}>{run.target}</th>)}
            </tr>
          </thead>
          <tbody>
            {types.map((type) => (
              <tr key={type.dtype}>
                <th scope="row"><code>{type.dtype}</code></th>
                <td class="num">{grouped(type.shapes)}</td>
                {type.cells.map((cell, at) => <EndedCell data={data} cell={cell} key={data.runs[at]?.link} />)}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {ends.map(({ run, end }) => {
        const first = data.first(op.label, run, end);
        const outcome = first?.outcomes[run];
        return (
          <div class="first" key={`${run} ${end.status} ${end.stage}`}>
            <p>
              <b>{data.runs[run]?.target}</b> <span class={`status s-${end.status}`}>{words(end.status)}</span>{" "}
              {end.stage && `in ${end.stage}`}, {plural(end.cases, "case")}
              {first && <>, first <code>{first.signature}</code></>}
            </p>
            {outcome?.diagnostic && <div class="diagnostic small">{outcome.diagnostic}</div>}
            {outcome?.repro && <code class="small">{outcome.repro}</code>}
          </div>
        );
      })}
    </section>
  );
}

function Cases({ data, op, choose }: { data: Comparison; op: string; choose: (op: string) => void }) {
  const [onlyDiffering, setOnlyDiffering] = useState(true);
  const [shown, setShown] = useState(SHOWN_CASES);
  const cases: ComparedCase[] = useMemo(() => data.select(op, onlyDiffering), [data, op, onlyDiffering]);
  return (
    <section id="cases" aria-labelledby="cases-title">
      <div class="head">
        <h2 id="cases-title">Cases</h2>
        <label class="check">
          <input type="checkbox" checked={onlyDiffering} onChange={() => { setOnlyDiffering(!onlyDiffering); }} />
          only cases that the targets end differently
        </label>
      </div>
      <div class="filters">
        <label>
          <span>op</span>
          <select value={op} onChange={(event) => { choose(event.currentTarget.value); }}>
            <option value="">all ops</option>
            {data.ops.map((each) => <option value={each.label} key={each.label}>{each.label}</option>)}
          </select>
        </label>
        <p class="muted">{plural(cases.length, "case")}, the widest apart first</p>
      </div>
      <Scroll labelledby="cases-title">
        <table class="models cases">
          <thead>
            <tr>
              <th scope="col">case</th>
              {data.runs.map((run) => <th scope="col" key={run.link}>{run.target}</th>)}
            </tr>
          </thead>
          <tbody>
            {cases.slice(0, shown).map((each) => (
              <tr key={each.id}>
                <th scope="row">
                  <code>{each.id}</code>
                  <div class="muted small">{each.signature}</div>
                </th>
                {each.outcomes.map((outcome, at) => <OutcomeCell outcome={outcome} key={data.runs[at]?.link} />)}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {cases.length > shown && (
        <button type="button" class="more" onClick={() => { setShown(shown + SHOWN_CASES); }}>
          {grouped(cases.length - shown)} more
        </button>
      )}
    </section>
  );
}

// The op that the address names.
function opOfAddress(): string {
  return new URLSearchParams(location.hash.slice(1)).get("op") ?? "";
}

function useOp(): [string, (label: string) => void] {
  const [op, setOp] = useState(opOfAddress);
  useEffect(() => {
    const follow = () => {
      setOp(opOfAddress());
    };
    addEventListener("hashchange", follow);
    return () => {
      removeEventListener("hashchange", follow);
    };
  }, []);
  const choose = (label: string) => {
    setOp(label);
    const hash = label && `#${new URLSearchParams({ op: label }).toString()}`;
    history.replaceState(null, "", hash || location.pathname + location.search);
  };
  return [op, choose];
}

export function ComparisonPage({ data }: { data: Comparison }) {
  const [op, choose] = useOp();
  const chosen = data.ops.find((each) => each.label === op);
  useEffect(() => {
    if (op) document.getElementById("op")?.scrollIntoView({ block: "start" });
  }, [op]);
  return (
    <>
      <header>
        <div class="title">
          <h1><span class="brand">opbyop</span> {data.runs.map((run) => run.target).join(", ")}</h1>
        </div>
      </header>
      <main>
        <Runs data={data} />
        <Ops data={data} choose={choose} />
        {chosen && <OneOp data={data} op={chosen} />}
        <Cases data={data} op={op} choose={choose} />
        <Stages data={data} />
      </main>
    </>
  );
}
