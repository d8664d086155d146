// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shows the rows that pass by op and element type, and the shapes that do not.
import { useCallback, useMemo } from "preact/hooks";
import { grouped, plural } from "../format";
import { Scroll } from "../scroll";
import { toneOf } from "../status";
import { toHash } from "./address";
import { Answer, useAnswer } from "./answers";
import type { Cell } from "./data";
import { Link, type ViewProps, Waiting } from "./parts";

interface Sum { rows: number; passed: number; problems: number }

export function Types(props: ViewProps) {
  const { place, change } = props;
  const { lines, cell, error } = useAnswer({ ...props, verb: "types" });
  const { ops, types } = useMemo(() => {
    const found = new Map<string, Map<string, Sum>>();
    const names = new Map<string, number>();
    for (const line of lines ?? []) {
      const [op, type] = [String(cell(line, "op")), String(cell(line, "type"))];
      const of = found.get(op) ?? new Map<string, Sum>();
      const sum = of.get(type) ?? { rows: 0, passed: 0, problems: 0 };
      sum.rows += Number(cell(line, "rows"));
      sum.passed += Number(cell(line, "pass"));
      sum.problems += Number(cell(line, "red"));
      names.set(type, (names.get(type) ?? 0) + Number(cell(line, "rows")));
      found.set(op, of.set(type, sum));
    }
    return { ops: found, types: [...names.keys()].sort((a, b) => (names.get(b) ?? 0) - (names.get(a) ?? 0)) };
  }, [lines]);
  const keep = useCallback(
    (line: (title: string) => Cell) => (!place.op || line("op") === place.op) && (!place.dtype || line("type") === place.dtype),
    [place.op, place.dtype],
  );
  if (!lines) return <Waiting loaded={error ? { error } : {}} />;
  return (
    <>
      <p class="muted">Rows passed of all, in the newest {props.place.series ? `run of ${place.series}` : "runs"}.</p>
      <Scroll label="rows by op and element type">
        <table class="matrix">
          <thead>
            <tr>
              <th scope="col">op</th>
              {types.map((type) => <th scope="col" class="stage" key={type}><code>{type}</code></th>)}
            </tr>
          </thead>
          <tbody>
            {[...ops].map(([op, of]) => (
              <tr key={op} class={op === place.op ? "chosen" : ""}>
                <th scope="row"><Link to={{ view: "rows", op, series: place.series }}><code>{op}</code></Link></th>
                {types.map((type) => {
                  const sum = of.get(type);
                  if (!sum) return <td key={type} class="cell none"><span /></td>;
                  return (
                    <td key={type} class={`cell ${toneOf(sum.rows, sum.passed, sum.problems)}`}>
                      <a href={toHash({ view: "rows", op, dtype: type, series: place.series })} aria-label={`${op}, ${type}: ${sum.passed} of ${plural(sum.rows, "row")} pass`}>
                        {grouped(sum.passed)}<span class="of">/{grouped(sum.rows)}</span>
                      </a>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <section aria-labelledby="shapes-title">
        <h3 id="shapes-title">What does not pass, by shape{place.op && `: ${place.op}`}{place.dtype && ` in ${place.dtype}`}</h3>
        {(place.op || place.dtype) && <p><button type="button" class="link" onClick={() => { change({ op: "", dtype: "" }); }}>Of all ops and types</button></p>}
        <Answer {...props} verb="shapes" keep={keep} />
      </section>
      <section aria-labelledby="types-title">
        <h3 id="types-title">By type, as a table</h3>
        <Answer {...props} verb="types" keep={keep} />
      </section>
    </>
  );
}
