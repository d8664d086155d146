// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compares targets: what fails on which, in which stage, how large the errors are, how long it takes.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ComparedCase, ComparedOp, ComparedRun, Comparison, End, OpCell, Outcome } from "./comparison_data";
import type { Num } from "./data";
import { duration, grouped, number, percent, plural, words } from "./format";
import { useFirst } from "./more";
import { Scroll, useFit } from "./scroll";

const SHOWN_OPS = 40;
const SHOWN_CASES = 100;

function ratio(value: Num): string {
  return value === -1 ? "–" : number(value);
}

function microseconds(value: number): string {
  return value < 0 ? "–" : duration(value / 1000);
}

// Whether any target is red, and on how many ops they differ.
function Verdict({ data }: { data: Comparison }) {
  const red = data.runs.filter((run) => data.problems(run) > 0 || !run.complete);
  const differing = data.ops.filter((op) => op.differs).length;
  return (
    <div class={`verdict ${red.length > 0 ? "bad" : data.runs.some((run) => data.passed(run) > 0) ? "good" : "some"}`}>
      <p class="headline">
        <strong>{grouped(differing)}</strong> of {plural(data.ops.length, "op")} {differing === 1 ? "ends" : "end"} differently
      </p>
      <p>{red.length === 0 ? "No row failed" : red.map((run) => `${run.target}: ${plural(data.problems(run), "problem")}${run.complete ? "" : ", did not end"}`).join("; ")}</p>
    </div>
  );
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
      <td class="num">{percent(passed, run.rows)}</td>
      <td class={`num ${problems > 0 ? "red" : "green"}`}>{grouped(problems)}</td>
      <td class="num">{grouped(run.rows - passed - problems)}</td>
      <td class="num">{grouped(run.rows)}</td>
      <td class="num">{duration(compile)}</td>
      <td class="num">{run.complete ? duration(run.wallS * 1000) : "did not end"}</td>
      <td class="wide">{run.toolchain}</td>
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
              <th scope="col" class="num">pass</th>
              <th scope="col" class="num">problems</th>
              <th scope="col" class="num">other</th>
              <th scope="col" class="num">rows</th>
              <th scope="col" class="num">median case, all stages</th>
              <th scope="col" class="num">wall time</th>
              <th scope="col">toolchain</th>
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

// The number of cases that passed, of all cases, and how the others ended.
function EndedCell({ data, cell }: { data: Comparison; cell: Ended }) {
  return (
    <td class={`cell ${cellClass(data, cell)}`}>
      <span title={cell.ends.map(endText).join(", ")}>
        {grouped(cell.passed)}
        <span class="of">/{grouped(cell.cases)}</span>
        {cell.ends[0] && <span class="ends"> {endText(cell.ends[0])}{cell.ends.length > 1 && ", …"}</span>}
      </span>
    </td>
  );
}

// Figures next to the outcomes; if there is not enough room, the last are left out first.
const FIGURES = [
  { name: "error / bound", text: (cell: OpCell) => ratio(cell.boundRatio) },
  { name: "run", text: (cell: OpCell) => microseconds(cell.medianUs) },
  { name: "compile", text: (cell: OpCell) => duration(cell.compileMs) },
];

function OpCells({ data, cell, figures }: { data: Comparison; cell: OpCell; figures: typeof FIGURES }) {
  return (
    <>
      <EndedCell data={data} cell={cell} />
      {figures.map(({ name, text }) => <td class="num" key={name}>{text(cell)}</td>)}
    </>
  );
}

function Ops({ data, choose }: { data: Comparison; choose: (op: string) => void }) {
  const [onlyDiffering, setOnlyDiffering] = useState(false);
  const differing = useMemo(() => data.ops.filter((op) => op.differs), [data]);
  const { shown, button } = useFirst(onlyDiffering ? differing : data.ops, SHOWN_OPS);
  const box = useRef<HTMLDivElement>(null);
  const { dropped, wide } = useFit(box, FIGURES.length);
  const figures = FIGURES.slice(0, FIGURES.length - dropped);
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
        device, first calls left out, and of all compile stages. Ops with problems first.
      </p>
      {data.runs.length > 1 && differing.length === 0 && <p><strong>The targets end every op alike.</strong></p>}
      {(dropped > 0 || wide) && (
        <p class="muted small sideways">
          {dropped > 0 && `Left out, for the table is wider than the window: ${FIGURES.slice(figures.length).map((each) => each.name).join(", ")}. `}
          {wide && "It scrolls sideways."}
        </p>
      )}
      <div class="scroll" ref={box} tabIndex={0} role="region" aria-labelledby="ops-title">
        <table class="matrix compared">
          <thead>
            <tr>
              <th scope="col" rowSpan={2}>op</th>
              {data.runs.map((run) => <th scope="colgroup" colSpan={1 + figures.length} key={run.link}>{run.target}</th>)}
            </tr>
            <tr>
              {data.runs.map((run) => (
                <>
                  <th scope="col" key={`${run.link} cases`}>cases</th>
                  {figures.map(({ name }) => <th scope="col" class="num" key={`${run.link} ${name}`}>{name}</th>)}
                </>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((op) => (
              <tr key={op.label}>
                <th scope="row">
                  <button type="button" class="link" onClick={() => { choose(op.label); }}>
                    <code>{op.label}</code>
                  </button>
                </th>
                {op.cells.map((cell, at) => <OpCells data={data} cell={cell} figures={figures} key={data.runs[at]?.link} />)}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {button}
    </section>
  );
}

function OutcomeCell({ outcome, target }: { outcome: Outcome | undefined; target: string | undefined }) {
  if (!outcome) return <td class="muted" data-target={target}>not in this run</td>;
  return (
    <td data-target={target}>
      <span class={`status s-${outcome.status}`}>{words(outcome.status)}</span>{" "}
      {outcome.status !== "pass" && <span class="muted">{outcome.stage}</span>}
      <div class="muted small">
        error/bound {ratio(outcome.boundRatio)}
        {outcome.boundRatio !== -1 && <>, max abs {number(outcome.maxAbs)}, max rel {number(outcome.maxRel)}</>}
        {outcome.medianUs >= 0 && <>, {outcome.firstCall ? "first call" : "run"} {microseconds(outcome.medianUs)}</>}
        {outcome.compileMs >= 0 && <>, compile {duration(outcome.compileMs)}</>}
      </div>
      {outcome.diagnostic && <div class="diagnostic small">{outcome.diagnostic}</div>}
      {outcome.repro && <code class="small">{outcome.repro}</code>}
    </td>
  );
}

// One op: which types pass where, and for each other outcome the first diagnostic with its command.
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
        <table class="matrix compared">
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
      {cases.length === 0 && <p class="empty">No such case ends differently on these targets.</p>}
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
                {each.outcomes.map((outcome, at) => <OutcomeCell outcome={outcome} target={data.runs[at]?.target} key={data.runs[at]?.link} />)}
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

// The op in the page's address.
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
          <Verdict data={data} />
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
