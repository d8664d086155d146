// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The matrix op x stage: how many rows reached a stage and passed it.
import { useMemo, useState } from "preact/hooks";
import type { Cell, Op, Page, Stage } from "./data";
import type { View } from "./filter";
import { duration, grouped, plural } from "./format";
import { useFirst } from "./more";
import { Scroll } from "./scroll";
import { toneOf } from "./status";

const SHOWN = 40;

type Show = (view: Partial<View>) => void;

function cellClass(cell: Cell): string {
  if (cell.reached === 0) return "none";
  return toneOf(cell.reached, cell.passed, cell.failed);
}

// The class of the sum over all ops. It agrees with the headline, even if some rows have no verdict.
function sumClass(cell: Cell): string {
  return cell.failed === 0 && cell.passed > 0 ? "good" : cellClass(cell);
}

function MatrixCell({ op, stage, cell, show }: { op: Op; stage: Stage; cell: Cell; show: Show }) {
  if (cell.reached === 0) {
    return (
      <td class="cell none">
        <span aria-label="not reached">·</span>
      </td>
    );
  }
  const stopped = cell.reached - cell.passed;
  const label = `${op.label}, ${stage.name}: ${grouped(cell.passed)} of ${plural(cell.reached, "row")} passed, ${grouped(cell.failed)} failed`;
  return (
    <td class={`cell ${cellClass(cell)}`}>
      <button
        type="button"
        title={label}
        aria-label={label}
        onClick={() => { show(stopped > 0 ? { op: op.label, stage: stage.name } : { op: op.label }); }}
      >
        {grouped(cell.passed)}
        <span class="of">/{grouped(cell.reached)}</span>
      </button>
    </td>
  );
}

function hasStop(op: Op): boolean {
  return op.cells.some((cell) => cell.passed < cell.reached) || op.cells[0]?.reached !== op.rows;
}

export function Matrix({ page, view, show }: { page: Page; view: View; show: Show }) {
  const [onlyStops, setOnlyStops] = useState(false);
  const sorted = useMemo(() => {
    const failed = (op: Op) => page.problems(op.counts);
    const stops = (op: Op) => op.rows - (op.counts[page.passed] ?? 0);
    return [...page.ops].sort(
      (a, b) => failed(b) - failed(a) || stops(b) - stops(a) || b.rows - a.rows || a.label.localeCompare(b.label),
    );
  }, [page]);
  const { shown, button } = useFirst(onlyStops ? sorted.filter(hasStop) : sorted, SHOWN);
  return (
    <section aria-labelledby="matrix-title">
      <div class="head">
        <h2 id="matrix-title">Ops by stage</h2>
        <label class="check">
          <input type="checkbox" checked={onlyStops} onChange={() => { setOnlyStops(!onlyStops); }} />
          only ops that do not pass every stage ({page.ops.filter(hasStop).length} of {page.ops.length})
        </label>
      </div>
      <p class="muted">
        Rows that passed a stage / rows that reached it. A cell leads to its rows: to those that stopped there, if any.
      </p>
      <Scroll labelledby="matrix-title">
        <table class="matrix keep-last">
          <thead>
            <tr>
              <th scope="col">op</th>
              <th scope="col" class="num">cases</th>
              {page.stages.map((stage) => (
                <th scope="col" key={stage.name} class="stage">{stage.name}</th>
              ))}
            </tr>
            <tr class="sum">
              <th scope="row">all ops</th>
              <td class="num">{grouped(page.ops.reduce((sum, op) => sum + op.cases, 0))}</td>
              {page.stages.map((stage) => (
                <td key={stage.name} class={`cell ${sumClass(stage)}`}>
                  <span>
                    {grouped(stage.passed)}
                    <span class="of">/{grouped(stage.reached)}</span>
                  </span>
                </td>
              ))}
            </tr>
            <tr class="times">
              <th scope="row">median of a case</th>
              <td />
              {page.stages.map((stage) => (
                <td key={stage.name}>{duration(stage.median_ms)}</td>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((op) => (
              <tr key={op.label} class={view.op === op.label ? "chosen" : ""}>
                <th scope="row">
                  <button type="button" class="link" onClick={() => { show({ op: op.label }); }}>
                    <code>{op.label}</code>
                  </button>
                </th>
                <td class="num">{grouped(op.cases)}</td>
                {page.stages.map((stage, at) => (
                  <MatrixCell
                    key={stage.name}
                    op={op}
                    stage={stage}
                    cell={op.cells[at] ?? { reached: 0, passed: 0, failed: 0 }}
                    show={show}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {button}
    </section>
  );
}
