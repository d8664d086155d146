// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// "What to fix first": groups of problem rows, those that turn most models green on top.
import { useState } from "preact/hooks";
import type { Blocker, Page } from "./data";
import type { View } from "./filter";
import { plural } from "./format";
import { Status } from "./status";

const SHOWN = 6;

function Names({ page, models }: { page: Page; models: number[] }) {
  return (
    <span class="names">
      {models.map((model) => page.models[model]?.name ?? "").join(", ")}
    </span>
  );
}

function Item({ page, blocker, show }: { page: Page; blocker: Blocker; show: (view: Partial<View>) => void }) {
  const stage = page.stages[blocker.stage]?.name ?? "";
  const others = blocker.models.filter((model) => !blocker.unlocked.includes(model));
  const filter = { op: blocker.op, stage, statuses: [page.statuses[blocker.status] ?? ""] };
  return (
    <li>
      <button type="button" class="blocker" onClick={() => { show(filter); }}>
        <span class="what">
          <code class="op">{blocker.op}</code>
          <Status page={page} status={blocker.status} />
          {stage && <span class="muted">in {stage}</span>}
          <span class="muted count">
            {plural(blocker.rows, "row")}, {plural(blocker.cases, "case")}, {plural(blocker.ops, "op")} in models
          </span>
        </span>
        <code class="diagnostic">{blocker.diagnostic}</code>
        {blocker.diagnostics > 1 && (
          <span class="muted small">and {plural(blocker.diagnostics - 1, "other message")}</span>
        )}
        <span class="effect">
          {blocker.unlocked.length > 0 && (
            <span>
              <b class="green">turns {plural(blocker.unlocked.length, "model")} green</b>{" "}
              <Names page={page} models={blocker.unlocked} />
            </span>
          )}
          {others.length > 0 && (
            <span>
              <b>{blocker.unlocked.length > 0 ? "also blocks" : "blocks"} {plural(others.length, "model")}</b>{" "}
              <Names page={page} models={others} />
            </span>
          )}
        </span>
      </button>
    </li>
  );
}

export function Blockers({ page, show }: { page: Page; show: (view: Partial<View>) => void }) {
  const [all, setAll] = useState(false);
  if (page.blockers.length === 0) return null;
  const shown = all ? page.blockers : page.blockers.slice(0, SHOWN);
  return (
    <section aria-labelledby="blockers-title">
      <h2 id="blockers-title">What to fix first</h2>
      <p class="muted">
        Problem rows by op, stage and status. A fix turns a model green where the model has no other problem.
      </p>
      <ol class="blockers">
        {shown.map((blocker) => (
          <Item key={`${blocker.op} ${blocker.stage} ${blocker.status}`} page={page} blocker={blocker} show={show} />
        ))}
      </ol>
      {page.blockers.length > SHOWN && (
        <button type="button" class="more" aria-expanded={all} onClick={() => { setAll(!all); }}>
          {all ? "Show fewer" : `Show all ${page.blockers.length}`}
        </button>
      )}
    </section>
  );
}
