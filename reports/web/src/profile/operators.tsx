// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// operator-framework and operator-hlo: two pies and the table of AWS Neuron's plugin, then more columns.
import { useMemo, useState } from "preact/hooks";
import { type Grouping, type OperatorRow, type Profile, type ScopeName, toNumber } from "./data";
import { correlation, plural } from "../format";
import { addressOf } from "./address";
import { figure, ns, percent } from "./format";
import { Pie, topParts } from "./pie";
import { type Column, DataTable } from "../table";
import { Badge, IterationChoice, Select } from "./parts";

const SCOPES: Record<ScopeName, string> = {
  execution: "execution only", transfer: "execution + transfer", compile: "execution + transfer + compile",
};
const WHOLE: Record<ScopeName, string> = {
  execution: "execution time", transfer: "execution and transfer time", compile: "execution, transfer and compile time",
};
const TOP = 9;

function perSecond(amount: number, row: OperatorRow): number {
  return row.time > 0 ? (amount * 1000) / row.time : 0;
}

function columns(profile: Profile, whole: string): Column<OperatorRow>[] {
  const members = (row: OperatorRow) => row.ops.map((op) => profile.op(op)?.name ?? "").join(",\n");
  return [
    {
      id: "name", name: "Op Name", value: (row) => row.name, cell: (row) => (
        <span class="op-name">
          <code>{row.name}</code>
          {row.opCount > 1 && (
            <button type="button" class="what" title={`${plural(row.opCount, "HLO op")}:\n${members(row)}${row.opCount > row.ops.length ? ",\n…" : ""}`} aria-label={`Made of ${plural(row.opCount, "op")}: ${members(row)}`}>?</button>
          )}
          {row.ops.length > 0 && <a class="to-slices" href={addressOf("operator-timeline", { ops: row.ops.join(",") })} aria-label={`${row.name} on the timeline`} title="its slices on the timeline">⇢</a>}
        </span>
      ),
    },
    { id: "occurrences", minor: 1, name: "Occurrences", value: (row) => row.occurrences },
    { id: "device", minor: 1, name: "Device", value: (row) => row.device, help: "Neuron Device in AWS Neuron's table" },
    { id: "core", minor: 1, name: "Core", value: (row) => row.core, help: "NeuronCore in AWS Neuron's table" },
    { id: "time", name: profile.estimated ? "Estimated time (ns)" : "Time (ns)", value: (row) => row.time / 1000, cell: (row) => ns(row.time) },
    {
      id: "percent", name: "Time %", value: (row) => row.percent, help: `of ${whole} on this device and core`,
      cell: (row) => <span class="gauge-cell"><span class="gauge-bar" style={{ width: `${row.percent.toFixed(2)}%` }} /><span>{percent(row.percent)}</span></span>,
    },
    { id: "average", minor: 2, name: "Avg (ns)", value: (row) => row.average / 1000, cell: (row) => ns(row.average) },
    { id: "min", minor: 2, name: "Min (ns)", value: (row) => row.min / 1000, cell: (row) => ns(row.min) },
    { id: "p95", minor: 2, name: "p95 (ns)", value: (row) => row.p95 / 1000, cell: (row) => ns(row.p95), help: "95th percentile of its occurrences" },
    { id: "cumulative", minor: 2, name: "Cum %", value: (row) => row.cumulative, cell: (row) => percent(row.cumulative), help: `with all slower rows, of ${whole} on this device and core` },
    { id: "self", minor: 2, name: "Self %", value: (row) => row.self, cell: (row) => percent(row.self), help: `while nothing else that is counted ran there, of ${whole} on this device and core` },
    { id: "gflops", minor: 2, name: "GFLOP/s", value: (row) => perSecond(row.flops, row), cell: (row) => figure(perSecond(row.flops, row)) },
    { id: "bandwidth", minor: 2, name: "GB/s", value: (row) => perSecond(row.bytes, row), cell: (row) => figure(perSecond(row.bytes, row)) },
    { id: "intensity", minor: 2, name: "Intensity", value: (row) => (row.bytes > 0 ? row.flops / row.bytes : 0), cell: (row) => (row.bytes > 0 ? figure(row.flops / row.bytes) : "–"), help: "FLOP per byte" },
    { id: "bound", minor: 1, name: "Bound by", value: (row) => row.bound || "–", help: "overhead: a call costs more than the work in it; else which roof its intensity lies under; – where the device's peaks are not known" },
    { id: "clock", minor: 1, name: "Clock", value: (row) => row.clock || "–", help: "that measured its occurrences: the device's own, or the host's around each call, which is in the time then; mixed: some by one, some by the other" },
    { id: "stage", minor: 2, name: "Stage reached", value: (row) => row.stage || "–" },
    { id: "status", name: "Status", value: (row) => row.status || "–", cell: (row) => <Badge status={row.status} /> },
    { id: "ulp", name: "Max ULP", value: (row) => toNumber(row.ulp), cell: (row) => figure(row.ulp), help: "of its ops, fed the device's own inputs" },
    { id: "pcc", minor: 2, name: "PCC", value: (row) => toNumber(row.pcc), cell: (row) => correlation(row.pcc) },
    { id: "models", minor: 2, name: "Models", value: () => profile.raw.header.model },
  ];
}

export function Operators({ profile, kind, find }: { profile: Profile; kind: "framework" | "hlo"; find: string }) {
  const [scope, setScope] = useState<ScopeName>("execution");
  const [group, setGroup] = useState<"name" | "shape" | "category" | "module">("name");
  const grouping: Grouping = group === "name" ? kind : group === "shape" ? `${kind}+shape` : group;
  const [iteration, setIteration] = useState(-1);
  const rows = (profile.raw.iterations[iteration]?.tables ?? profile.raw.tables)[scope][grouping];
  const cores = useMemo(() => [...new Set(rows.map((row) => `${row.device}/${row.core}`))], [rows]);
  const [chosen, setChosen] = useState("");
  const core = cores.includes(chosen) ? chosen : (cores[0] ?? "");
  const whole = profile.estimated ? `estimated ${WHOLE[scope]}` : WHOLE[scope];
  const passes = iteration < 0 && profile.raw.header.iterations > 1 ? `, ${profile.raw.header.iterations} passes together` : "";
  const timed = profile.estimated ? "Estimated time (ns)" : "Time (ns)";
  const shown = useMemo(() => columns(profile, whole), [profile, whole]);
  const byDevice = new Map<string, number>();
  for (const row of rows) {
    const name = `${profile.deviceName(row.device)} core ${row.core}`;
    byDevice.set(name, (byDevice.get(name) ?? 0) + row.time);
  }
  const ofCore = rows.filter((row) => `${row.device}/${row.core}` === core);
  const empty = "No execution spans in the trace: no op ran on the device, or the run ended before the first.";
  return (
    <>
      <div class="tools">
        {profile.raw.iterations.length > 0 && <IterationChoice profile={profile} value={iteration} change={setIteration} />}
        <Select label="Count" value={scope} values={Object.entries(SCOPES)} change={(value) => { setScope(value as ScopeName); }} />
        <Select
          label="Group by" value={group} change={(value) => { setGroup(value as typeof group); }}
          values={[["name", "name"], ["shape", "name + shape"], ["category", "category"], ["module", "module"]]}
        />
      </div>
      <div class="pies">
        <Pie title={`${timed} by Device`} parts={[...byDevice].map(([name, time]) => ({ name, time }))} whole={`${whole} on all devices${passes}`} empty={empty} />
        <div>
          <Pie title={`${timed} per operator by Device`} parts={topParts(ofCore, TOP)} whole={`${whole} on device ${core.replace("/", " core ")}${passes}`} empty={empty} />
          {cores.length > 1 && (
            <fieldset class="cores">
              <legend class="skip">Device and core of the second chart</legend>
              {cores.map((name) => (
                <label key={name}>
                  <input type="radio" name={`core-${kind}`} checked={name === core} onChange={() => { setChosen(name); }} />
                  Device {name.split("/")[0]} Core {name.split("/")[1]}
                </label>
              ))}
            </fieldset>
          )}
        </div>
      </div>
      <DataTable key={`${scope} ${grouping} ${iteration} ${find}`} find={find} name={`operator-${kind}`} columns={shown} rows={rows} sort="time" empty={empty} />
    </>
  );
}
