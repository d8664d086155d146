// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// "What is not judged": unsupported, inconclusive and skipped rows by reason, with the ops and shapes concerned.
import { useMemo, useState } from "preact/hooks";
import type { Gap, GapOp, Page } from "./data";
import type { View } from "./filter";
import { grouped, plural } from "./format";
import { useFirst } from "./more";
import { Status } from "./status";
import { Scroll } from "./scroll";

const SHOWN = 8;
const SHOWN_SHAPES = 6;

function Shapes({ op }: { op: GapOp }) {
  const [all, setAll] = useState(false);
  const shown = all ? op.shapes : op.shapes.slice(0, SHOWN_SHAPES);
  return (
    <>
      <ul class="shapes">
        {shown.map(({ signature, cases }) => (
          <li key={signature}>
            <code>{signature}</code>
            {cases > 1 && <span class="muted small"> in {plural(cases, "case")}</span>}
          </li>
        ))}
      </ul>
      {op.shapes.length > SHOWN_SHAPES && (
        <button type="button" class="link small" aria-expanded={all} onClick={() => { setAll(!all); }}>
          {all ? "fewer" : `all ${grouped(op.shapes.length)} shapes`}
        </button>
      )}
    </>
  );
}

function Ops({ page, gap, show }: { page: Page; gap: Gap; show: (view: Partial<View>) => void }) {
  const ops = useMemo(() => page.gapOps(gap), [page, gap]);
  const stage = page.stages[gap.stage]?.name ?? "";
  const statuses = [page.statuses[gap.status] ?? ""];
  return (
    <Scroll label="cases">
      <table>
        <thead>
          <tr>
            <th scope="col">op</th>
            <th scope="col" class="num">ops in models</th>
            <th scope="col" class="num">rows</th>
            <th scope="col" class="num">cases</th>
            <th scope="col">shapes</th>
          </tr>
        </thead>
        <tbody>
          {ops.map((op) => (
            <tr key={op.op}>
              <th scope="row">
                <button type="button" class="link" onClick={() => { show({ op: op.op, stage, statuses }); }}>
                  <code>{op.op}</code>
                </button>
              </th>
              <td class="num">{grouped(op.ops)}</td>
              <td class="num">{grouped(op.rows)}</td>
              <td class="num">{grouped(op.cases)}</td>
              <td><Shapes op={op} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

// Folded parts are not drawn.
function Item({ page, gap, show }: { page: Page; gap: Gap; show: (view: Partial<View>) => void }) {
  const [open, setOpen] = useState(false);
  const stage = page.stages[gap.stage]?.name ?? "";
  return (
    <details class="gap" open={open} onToggle={(event) => { setOpen(event.currentTarget.open); }}>
      <summary>
        <span class="what">
          <Status page={page} status={gap.status} />
          {stage && <span class="muted">in {stage}</span>}
          <b>{plural(gap.of.length, "kind")} of op</b>
          <span class="muted count">
            {plural(gap.ops, "op")} in {plural(gap.models.length, "model")}, {plural(gap.rows, "row")},{" "}
            {plural(gap.cases, "case")}
          </span>
        </span>
        <code class="diagnostic">{gap.reason}</code>
        {gap.reasons > 1 && <span class="muted small">and {plural(gap.reasons - 1, "message")} like it</span>}
      </summary>
      {open && <Ops page={page} gap={gap} show={show} />}
    </details>
  );
}

export function Gaps({ page, show }: { page: Page; show: (view: Partial<View>) => void }) {
  const { shown, button } = useFirst(page.gaps, SHOWN);
  if (page.gaps.length === 0) return null;
  return (
    <section aria-labelledby="gaps-title">
      <h2 id="gaps-title">What is not judged</h2>
      {page.gapLines.map((line) => <p class="muted" key={line}>{line}</p>)}
      <div class="gaps">
        {shown.map((gap) => (
          <Item key={`${gap.status} ${gap.stage} ${gap.reason}`} page={page} gap={gap} show={show} />
        ))}
      </div>
      {button}
    </section>
  );
}
