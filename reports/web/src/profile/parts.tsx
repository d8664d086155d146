// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import type { ComponentChildren } from "preact";
import { addressOf } from "./address";
import type { Op, Profile, Run } from "./data";
import { time } from "./format";

export function Badge({ status }: { status: string | undefined }) {
  return status ? <span class={`status s-${status}`}>{status.replaceAll("_", " ")}</span> : <span class="muted">–</span>;
}

// "unknown" for an op whose outcome or time is not known, "–" for an op without a record.
export function statusOf(run: Run | undefined): string {
  return run ? run.status || "unknown" : "–";
}

export function RunBadge({ run }: { run: Run | undefined }) {
  return run?.status === "" ? <span class="muted" title={run.diagnostic}>unknown</span> : <Badge status={run?.status} />;
}

export function Select({ label, value, values, change }: { label: string; value: string; values: [string, string][]; change: (value: string) => void }) {
  return (
    <label class="select">
      {label}{" "}
      <select value={value} onChange={(event) => { change(event.currentTarget.value); }}>
        {values.map(([id, name]) => <option key={id} value={id}>{name}</option>)}
      </select>
    </label>
  );
}

// Selects one of several passes over the model; -1 is all of them.
export function IterationChoice({ profile, value, change }: { profile: Profile; value: number; change: (value: number) => void }) {
  const { iterations, header } = profile.raw;
  const choices: [string, string][] = [["-1", `all ${header.iterations}`]];
  iterations.forEach((iteration, index) => { choices.push([String(index), `${index}: ${time(iteration.time)} on ops`]); });
  return <Select label="Iteration" value={String(value)} values={choices} change={(chosen) => { change(Number(chosen)); }} />;
}

export function Fact({ name, wide = false, children }: { name: string; wide?: boolean; children: ComponentChildren }) {
  return (
    <div class={wide ? "wide" : undefined}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

// Links to the slices of ops on the timeline.
export function OpChips({ profile, ops }: { profile: Profile; ops: number[] }) {
  return <>{ops.map((op) => <a key={op} class="op-chip" href={addressOf("operator-timeline", { ops: op })} title="its slices on the timeline"><code>{profile.op(op)?.name}</code></a>)}</>;
}

const CLOCKS: Record<string, string> = {
  device: "the device's own", host: "the host's, around each call", mixed: "the device's own, and the host's for some executions",
};

// The facts of one op in the trace, shown with a slice or a point.
export function OpFacts({ op, index, whole, estimated }: { op: Op; index: number; whole: number; estimated: boolean }) {
  return (
    <dl class="op-facts">
      <Fact name="Op"><code>{op.name}</code></Fact>
      <Fact name="Framework path"><code>{op.frameworkPath}</code></Fact>
      <Fact name="Location"><code>{op.location || "<unknown>: the exporter gave none"}</code></Fact>
      <Fact name="Types"><code>({op.operands.join(", ")}) → {op.results.join(", ")}</code></Fact>
      <Fact name={estimated ? "Time, estimated by the compiler" : "Time on the device"}>{time(op.time)} in {op.count} {op.count === 1 ? "execution" : "executions"}{whole > 0 && `, ${((100 * op.time) / whole).toFixed(2)} % of the time on ops`}</Fact>
      {!estimated && op.clock !== "" && <Fact name="Clock">{CLOCKS[op.clock] ?? op.clock}</Fact>}
      {op.run && <Fact name="Status"><RunBadge run={op.run} /> {op.run.stage && `(${op.run.stage})`} {op.run.diagnostic}</Fact>}
      {op.run && op.run.n > 0 && <Fact name="Repeats">n {op.run.n}, min {time(op.run.min)}, median {time(op.run.median)}, p95 {time(op.run.p95)}, by the {op.run.clock === "device" ? "device's own" : op.run.clock === "mixed" ? "device's own and the host's" : "host's"} clock</Fact>}
      <Fact name="Case"><code>{op.case || "–"}</code></Fact>
      <Fact name="See also">
        <a href={addressOf("operator-timeline", { ops: index })}>its slices</a>, <a href={addressOf("operator-hlo", { q: op.hlo })}>all {op.hlo}</a>,{" "}
        {op.framework && <><a href={addressOf("operator-framework", { q: op.framework })}>all {op.framework}</a>,{" "}</>}
        <a href={addressOf("conformance", { q: op.name })}>its stages and errors</a>
      </Fact>
      {op.text && <Fact name="IR" wide><pre class="ir" tabIndex={0} aria-label={`IR of ${op.name}`}>{op.text}</pre></Fact>}
    </dl>
  );
}
