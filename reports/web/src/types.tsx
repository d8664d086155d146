// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The heat map op x type of the first result: how many rows pass.
import { useMemo } from "preact/hooks";
import type { Page, TypeCell } from "./data";
import type { View } from "./filter";
import { grouped } from "./format";
import { useFirst } from "./more";
import { Scroll } from "./scroll";
import { toneOf } from "./status";

const SHOWN = 40;

// Ops with problems first, then those that do not pass everywhere.
function bySeverity(page: Page): [string, Map<string, TypeCell>][] {
  const cells = page.typeCells();
  const worst = ([, types]: [string, Map<string, TypeCell>]) => {
    const all = [...types.values()];
    return all.some((cell) => cell.problems > 0) ? 0 : all.some((cell) => cell.passed < cell.rows) ? 1 : 2;
  };
  return [...cells].sort((a, b) => worst(a) - worst(b) || a[0].localeCompare(b[0]));
}

// Types with most rows first, so that they are visible if not all fit.
function byRows(page: Page): string[] {
  const rows = new Map<string, number>();
  for (const row of page.rows) rows.set(row.dtype, (rows.get(row.dtype) ?? 0) + 1);
  return [...page.types].sort((a, b) => (rows.get(b) ?? 0) - (rows.get(a) ?? 0) || a.localeCompare(b));
}

export function Types({ page, show }: { page: Page; show: (view: Partial<View>) => void }) {
  const cells = useMemo(() => bySeverity(page), [page]);
  const { shown, button } = useFirst(cells, SHOWN);
  const types = useMemo(() => byRows(page), [page]);
  if (types.length < 2) return null; // the matrix of stages says the same
  return (
    <section aria-labelledby="types-title">
      <h2 id="types-title">Ops by type</h2>
      <p class="muted">Rows that pass / rows, by element type of the first result. A cell leads to its rows.</p>
      <Scroll labelledby="types-title">
        <table class="matrix">
          <thead>
            <tr>
              <th scope="col">op</th>
              {types.map((type) => <th scope="col" class="stage" key={type}>{type}</th>)}
            </tr>
          </thead>
          <tbody>
            {shown.map(([op, byType]) => (
              <tr key={op}>
                <th scope="row"><code>{op}</code></th>
                {types.map((type) => {
                  const cell = byType.get(type);
                  if (!cell) return <td class="cell none" key={type}><span aria-label="no such row">·</span></td>;
                  const label = `${op}, ${type}: ${grouped(cell.passed)} of ${grouped(cell.rows)} pass`;
                  return (
                    <td class={`cell ${toneOf(cell.rows, cell.passed, cell.problems)}`} key={type}>
                      <button type="button" title={label} aria-label={label} onClick={() => { show({ op, dtype: type }); }}>
                        {grouped(cell.passed)}
                        <span class="of">/{grouped(cell.rows)}</span>
                      </button>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {button}
    </section>
  );
}
