// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shows all that is known about one row.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { CaseDetail, CaseRecord, Comparison, InputSet, Page, Row } from "./data";
import { bytes, correlation, duration, grouped, number, plural, si, when } from "./format";
import { Issue } from "./issue";
import { Status } from "./status";

function Part({ title, wide, children }: { title: string; wide?: boolean; children: ComponentChildren }) {
  return (
    <section class={wide ? "part wide" : "part"}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function Copy({ text }: { text: string }) {
  const [said, setSaid] = useState("Copy");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid("Copied");
    } catch {
      setSaid("Select it and copy");
    }
    setTimeout(() => { setSaid("Copy"); }, 2000);
  };
  return (
    <button type="button" class="copy" aria-live="polite" onClick={() => { void copy(); }}>
      {said}
    </button>
  );
}

function Command({ text }: { text: string }) {
  return (
    <div class="command">
      <code>{text}</code>
      <Copy text={text} />
    </div>
  );
}

// The program that the compiler got.
function Program({ page, detail, program }: { page: Page; detail: CaseDetail; program: { bytes: number; text: string } }) {
  const file = <code>{detail.file}</code>;
  const href = page.fileHref(detail.file);
  return (
    <Part title="IR" wide>
      {program.text && (
        <div class="program">
          <pre class="ir" tabIndex={0} aria-label={`IR of ${detail.id}`}>{program.text.trimEnd()}</pre>
          <Copy text={program.text} />
        </div>
      )}
      <p class="muted small">
        {program.text ? "From " : `${bytes(program.bytes)}, more than this page holds: `}
        {href ? <a href={href}>{file}</a> : file}
      </p>
    </Part>
  );
}

function Stages({ page, record }: { page: Page; record: CaseRecord }) {
  const longest = Math.max(...record.stages.map((stage) => stage.ms), 1e-9);
  return (
    <table class="stages">
      <tbody>
        {record.stages.map((stage) => (
          <tr key={stage.name}>
            <th scope="row">{stage.name}</th>
            <td>
              <Status page={page} status={stage.status} />
            </td>
            <td class="num">{duration(stage.ms)}</td>
            <td class="gauge">
              <span style={{ width: `${(stage.ms / longest) * 100}%` }} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Numbers({ comparison }: { comparison: Comparison }) {
  const values: [string, string][] = [
    ["error / bound", number(comparison.bound_ratio)],
    ["max abs", number(comparison.max_abs)],
    ["max rel", number(comparison.max_rel)],
    ["max ULP", number(comparison.max_ulp)],
    ["RMSE", number(comparison.rmse)],
    ["PCC", correlation(comparison.pcc)],
    ["cosine", correlation(comparison.cosine)],
    ["NaN, Inf differ", `${comparison.nan_mismatches}, ${comparison.inf_mismatches}`],
  ];
  return (
    <div class="numbers">
      <p>
        output {comparison.output} <code>{comparison.dtype}</code>
        {comparison.policy && <> under <b>{comparison.policy}</b></>}, rule <code>{comparison.rule}</code>:{" "}
        {comparison.mismatches > 0 ? (
          <b class="red">
            {grouped(comparison.mismatches)} of {plural(comparison.elements, "element")} beyond the bound
          </b>
        ) : (
          `all of ${plural(comparison.elements, "element")} within the bound`
        )}
        {comparison.unbounded > 0 && <b>; {grouped(comparison.unbounded)} of them not judged</b>}
        {comparison.judged && `; judged by ${comparison.judged}: finds an element that is ${number(comparison.least_error)} bounds off`}
        {comparison.constant && <b>; every element is the same</b>}
        {comparison.relaxed && <>; bound relaxed by the policy: {comparison.relaxed}</>}
      </p>
      <dl class="metrics">
        {values.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {comparison.worst.length > 0 && (
        <table class="worst">
          <thead>
            <tr>
              <th scope="col">worst at</th>
              <th scope="col" class="num">got</th>
              <th scope="col" class="num">expected</th>
              <th scope="col" class="num">error / bound</th>
            </tr>
          </thead>
          <tbody>
            {comparison.worst.map((element) => (
              <tr key={element.index}>
                <td><code>{element.index}</code></td>
                <td class="num"><code>{element.got}</code></td>
                <td class="num"><code>{element.expected}</code></td>
                <td class="num">{number(element.bound_ratio)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

// A diagnostic that `said` already contains is not repeated.
function InputSets({ page, sets, said }: { page: Page; sets: InputSet[]; said: string }) {
  return (
    <table class="stages">
      <tbody>
        {sets.map((set) => (
          <tr key={set.policy}>
            <th scope="row">{set.policy}</th>
            <td>
              <Status page={page} status={set.status} />
            </td>
            <td>
              seed {set.seed}
              {set.twin && `, on the shapes ${set.twin}`}
              {set.judged_nothing ? <b>, judged nothing</b> : set.unbounded > 0 && `, ${plural(set.unbounded, "element")} not judged`}
              {set.diagnostic && (said.includes(set.diagnostic) ? `, in ${set.stage}` : `, ${set.stage}: ${set.diagnostic}`)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Facts({ facts }: { facts: [string, ComponentChildren][] }) {
  return (
    <dl class="small-facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

// "optimal_seconds"
function words(name: string): string {
  return name.replaceAll("_", " ");
}

function runFacts(record: CaseRecord): [string, ComponentChildren][] {
  const facts: [string, ComponentChildren][] = [["wall", duration(record.wall_ms)]];
  if (record.cached_from) facts.push(["taken over from", `run ${record.cached_from}: nothing has changed since`]);
  const { timing } = record;
  if (timing) {
    facts.push([
      "execution",
      timing.first_call
        ? `first call ${duration(timing.median_us / 1000)}: it ran only once, and what it loads is in the time`
        : `median ${duration(timing.median_us / 1000)}, min ${duration(timing.min_us / 1000)}, p95 ${duration(timing.p95_us / 1000)} of ${plural(timing.n, "run")}`,
    ]);
  }
  if (record.artifact_bytes > 0) facts.push(["artifact", bytes(record.artifact_bytes)]);
  if (record.peak_rss_kb > 0) facts.push(["peak memory", bytes(record.peak_rss_kb * 1024)]);
  if (record.cost.length > 0) {
    const cost = record.cost.map(({ name, value }) => `${words(name)} ${number(value)}`);
    facts.push(["estimated by the compiler", cost.join(", ")]);
  }
  if (record.memory.length > 0) {
    const memory = record.memory.map(({ name, value }) => `${words(name)} ${typeof value === "number" ? bytes(value) : value}`);
    facts.push(["device memory, by the compiler", memory.join(", ")]);
  }
  if (record.batched > 0) facts.push(["compiled", `as one of ${plural(record.batched, "case")} in a module; compile times are its share`]);
  if (record.signal !== 0) facts.push(["signal", String(record.signal)]);
  if (record.attempts > 1) facts.push(["attempts", String(record.attempts)]);
  facts.push(["started", when(record.start)], ["worker", String(record.worker)], ["seed", record.seed]);
  return facts;
}

function Origins({ page, detail, row }: { page: Page; detail: CaseDetail; row: Row }) {
  return (
    <ul class="origins">
      {detail.origins.map((origin, at) => (
        <li key={at} class={origin.model === row.model ? "own" : ""}>
          <b>{page.models[origin.model]?.name}</b> <span class="muted">× {grouped(origin.count)}</span>{" "}
          {origin.framework_op && <code>{origin.framework_op}</code>}
          {origin.module_path.length > 0 && <div class="path">{origin.module_path.join(" › ")}</div>}
          {origin.locations.map((location) => (
            <div key={location} class="location">{location}</div>
          ))}
        </li>
      ))}
    </ul>
  );
}

function caseFacts(detail: CaseDetail): [string, ComponentChildren][] {
  const facts: [string, ComponentChildren][] = [
    ["signature", <code key="s">{detail.signature}</code>],
    ...detail.attributes.map(({ name, value }): [string, ComponentChildren] => [name, <code key={name}>{value}</code>]),
    ...(detail.program ? [] : [["file", <code key="f">{detail.file}</code>] as [string, ComponentChildren]]),
    ["bytes moved", bytes(detail.bytes)],
  ];
  if (detail.flops > 0) facts.push(["operations", si(detail.flops)]);
  return facts;
}

export function Detail({ page, row }: { page: Page; row: Row }) {
  const detail = page.detail(row.caseIndex);
  const { record } = detail;
  // The diagnostic's lines are shown above already.
  const log = (record?.stderr_tail ?? []).filter((line) => line === "" || !row.diagnostic.includes(line));
  return (
    <div class="detail" role="region" aria-label={`Details of ${row.name}`}>
      {(row.diagnostic || row.baseline) && (
        <div class="part wide">
          {row.diagnostic && <pre class="message">{row.diagnostic}</pre>}
          {row.baseline && (
            <p>
              Baseline: {row.baseline.reason}
              {row.baseline.issue && <>, issue <Issue issue={row.baseline.issue} /></>}
              {row.baseline.owner && <>, owner {row.baseline.owner}</>}
              {row.baseline.since && <span class="muted">, since {row.baseline.since}</span>}
            </p>
          )}
        </div>
      )}
      {record?.repro && (
        <div class="part wide">
          <Command text={record.repro} />
        </div>
      )}
      {record && record.sets.length > 1 && (
        <Part title="Inputs" wide>
          <InputSets page={page} sets={record.sets} said={row.diagnostic} />
        </Part>
      )}
      {record && record.comparisons.length > 0 && (
        <Part title="Numbers" wide>
          {record.comparisons.map((comparison) => (
            <Numbers key={`${comparison.policy} ${comparison.output}`} comparison={comparison} />
          ))}
        </Part>
      )}
      {record?.differential && (
        <Part title="Differential run, on the same inputs" wide>
          <p>{record.differential}</p>
          {record.second_comparisons.map((comparison) => (
            <Numbers key={comparison.output} comparison={comparison} />
          ))}
        </Part>
      )}
      {record && (
        <div class="column">
          {record.stages.length > 0 && (
            <Part title="Stages">
              <Stages page={page} record={record} />
            </Part>
          )}
          <Part title="Execution">
            <Facts facts={runFacts(record)} />
          </Part>
        </div>
      )}
      <Part title="Case">
        <Facts facts={caseFacts(detail)} />
      </Part>
      <Part title="Where it comes from">
        <Origins page={page} detail={detail} row={row} />
      </Part>
      {detail.program && <Program page={page} detail={detail} program={detail.program} />}
      {log.length > 0 && (
        <Part title="Log tail of the worker" wide>
          <pre class="stderr" tabIndex={0} aria-label={`Log of ${detail.id}`}>{log.join("\n")}</pre>
        </Part>
      )}
    </div>
  );
}
