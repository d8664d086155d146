// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shows the insights: what to look at first.
import type { Profile } from "./data";
import { time } from "./format";
import { OpChips } from "./parts";

export function Insights({ profile }: { profile: Profile }) {
  const { insights, gaps, header } = profile.raw;
  return (
    <>
      {insights.length > 0 && header.iterations > 1 && <p class="muted small">Sums of executions and transfers are of all {header.iterations} passes over the model.</p>}
      {insights.length === 0 && <p class="empty">No rule found anything to say about this trace.</p>}
      <ol class="insights">
        {insights.map((insight) => (
          <li key={insight.rule} class={insight.wrong ? "insight wrong" : "insight"} data-rule={insight.rule}>
            <h3>{insight.title}</h3>
            {insight.time > 0 && <p class="muted small">about {time(insight.time)}</p>}
            <dl>
              <dt>Condition</dt><dd>{insight.condition}</dd>
              <dt>Cause</dt><dd>{insight.cause}</dd>
              <dt>Action</dt><dd>{insight.action}</dd>
              {insight.ops.length > 0 && <><dt>Ops</dt><dd><OpChips profile={profile} ops={insight.ops} /></dd></>}
            </dl>
          </li>
        ))}
      </ol>
      {gaps.length > 0 && (
        <>
          <h3>What the trace lacks</h3>
          <ul>{gaps.map((gap) => <li key={gap}>{gap}</li>)}</ul>
        </>
      )}
    </>
  );
}
