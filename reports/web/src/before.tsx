// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shows what changed since the run before, and the share of passing rows over earlier runs.
import type { EarlierRun, Page } from "./data";
import type { View } from "./filter";
import { percent, plural, when } from "./format";

const STEP = 8;
const HEIGHT = 26;

interface Point {
  id: string;
  start: string;
  rows: number;
  passed: number;
}

function Trend({ runs }: { runs: Point[] }) {
  const shares = runs.map((run) => run.passed / Math.max(run.rows, 1));
  const [least, most] = [Math.min(...shares), Math.max(...shares)];
  const y = (share: number) => 4 + (HEIGHT - 8) * (most > least ? (most - share) / (most - least) : 0.5);
  const points = shares.map((share, i) => [4 + i * STEP, y(share)] as const);
  return (
    <svg
      class="before-trend"
      width={(runs.length - 1) * STEP + 8}
      height={HEIGHT}
      role="img"
      aria-label={`Share of rows that pass in ${plural(runs.length, "run")}, ${percent(least, 1)} to ${percent(most, 1)}`}
    >
      <polyline points={points.map((point) => point.join(",")).join(" ")} fill="none" stroke="var(--link)" stroke-width="1.5" />
      {points.map(([x, height], i) => {
        const run = runs[i];
        return run ? (
          <circle key={run.id} cx={x} cy={height} r="2.5" fill="var(--link)">
            <title>{`${when(run.start)}: ${percent(run.passed, run.rows)} of ${plural(run.rows, "row")}`}</title>
          </circle>
        ) : null;
      })}
    </svg>
  );
}

function RunName({ run }: { run: EarlierRun }) {
  return run.href ? <a href={encodeURI(run.href)}>{when(run.start)}</a> : <span title={run.id}>{when(run.start)}</span>;
}

export function Before({ page, show }: { page: Page; show: (view: Partial<View>) => void }) {
  const last = page.before.at(-1);
  if (!last) return null;
  const now = { id: page.run.id, start: page.run.start, rows: page.rows.length, passed: page.counts[page.passed] ?? 0 };
  const { newlyRed } = page;
  return (
    <p class="before">
      <Trend runs={[...page.before, now]} />
      <span>
        Before, on <RunName run={last} />, {percent(last.passed, last.rows)} of {plural(last.rows, "row")} passed.
        {newlyRed && (
          <>
            {" Since then "}
            {newlyRed.length > 0 ? (
              <button type="button" class="link" onClick={() => { show({ since: true }); }}>
                {plural(newlyRed.length, "row is", "rows are")} newly red
              </button>
            ) : (
              "no row is newly red"
            )}
            {page.fixed > 0 && `, ${plural(page.fixed, "row is", "rows are")} red no more`}.
          </>
        )}
      </span>
    </p>
  );
}
