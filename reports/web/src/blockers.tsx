// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// "What to fix first": problem rows grouped by cause, sorted by the number of models that a fix would turn green.
import type { Blocker, Page } from "./data";
import type { View } from "./filter";
import { plural } from "./format";
import { useFirst } from "./more";
import { Status } from "./status";

const SHOWN = 6;
const SHOWN_OPS = 4;
const SHOWN_MODELS = 12;

function Names({ page, models }: { page: Page; models: number[] }) {
  const names = models.map((model) => page.models[model]?.name ?? "");
  const more = names.length - SHOWN_MODELS;
  return (
    <span class="names" title={more > 0 ? names.join(", ") : undefined}>
      {names.slice(0, SHOWN_MODELS).join(", ")}
      {more > 0 && ` and ${plural(more, "more", "more")}`}
    </span>
  );
}

function Item({ page, blocker, show }: { page: Page; blocker: Blocker; show: (view: Partial<View>) => void }) {
  const stage = page.stages[blocker.stage]?.name ?? "";
  const others = blocker.models.filter((model) => !blocker.unlocked.includes(model));
  const only = blocker.of.length === 1 ? (blocker.of[0] ?? "") : "";
  const filter = { op: only, stage, statuses: [page.statuses[blocker.status] ?? ""] };
  return (
    <li>
      <button type="button" class="blocker" onClick={() => { show(filter); }}>
        <span class="what">
          <code class="op">{blocker.of.slice(0, SHOWN_OPS).join(", ")}</code>
          {blocker.of.length > SHOWN_OPS && (
            <span class="muted">and {plural(blocker.of.length - SHOWN_OPS, "other op")}</span>
          )}
          <Status page={page} status={blocker.status} />
          {stage && <span class="muted">in {stage}</span>}
          <span class="muted count">
            {plural(blocker.rows, "row")}, {plural(blocker.cases, "case")}, {plural(blocker.ops, "op")} in models, <code>{blocker.id}</code>
          </span>
        </span>
        <code class="diagnostic">{blocker.diagnostic}</code>
        {blocker.diagnostics > 1 && (
          <span class="muted small">and {plural(blocker.diagnostics - 1, "other message")}</span>
        )}
        {blocker.shared.map((text) => (
          <span class="small" key={text}>{text}</span>
        ))}
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
  const { shown, button } = useFirst(page.blockers, SHOWN);
  if (page.blockers.length === 0) return null;
  return (
    <section aria-labelledby="blockers-title">
      <h2 id="blockers-title">What to fix first</h2>
      <p class="muted">
        Problem rows by cause: stage, status and what the diagnostic says but for numbers and names. A fix turns a model
        green where the model has no other problem.
      </p>
      <ol class="blockers">
        {shown.map((blocker) => (
          <Item key={blocker.id} page={page} blocker={blocker} show={show} />
        ))}
      </ol>
      {button}
    </section>
  );
}
