// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Conformance × time: every op with its stages, its time and its error in one row.
import { useMemo } from "preact/hooks";
import { addressOf } from "./address";
import { type Op, type Profile, toNumber } from "./data";
import { figure, ns, share, time } from "./format";
import { Badge, RunBadge, statusOf } from "./parts";
import { plural } from "../format";
import { type Column, DataTable } from "../table";

interface Row { op: Op; index: number; ulp: number; accumulated: number }

export function Conformance({ profile, module, find }: { profile: Profile; module: string; find: string }) {
  const rows = useMemo(
    () => profile.raw.ops.flatMap((op, index): Row[] => profile.inModule(op, module) ? [{ op, index, ulp: profile.ulp(index, "isolated"), accumulated: profile.ulp(index, "accumulated") }] : []),
    [profile, module],
  );
  const columns: Column<Row>[] = useMemo(() => {
    const stages = profile.raw.stages.map((stage): Column<Row> => ({
      id: `stage ${stage}`, name: stage, minor: 1, value: (row) => row.op.stages[stage] ?? 0,
      cell: (row) => {
        const spent = row.op.stages[stage];
        const stopped = row.op.run?.stage === stage && row.op.run.status !== "pass";
        return <span class={stopped ? "stage-bad" : spent === undefined ? "muted" : "stage-good"}>{stopped ? `${row.op.run?.status ?? ""} ` : ""}{spent === undefined ? "–" : time(spent)}</span>;
      },
    }));
    return [
      { id: "index", minor: 2, name: "#", value: (row) => row.index },
      { id: "op", name: "Op", value: (row) => row.op.name, cell: (row) => <span class="op-name"><code>{row.op.name}</code>{row.op.count > 0 && <a class="to-slices" href={addressOf("operator-timeline", { ops: row.index })} aria-label={`${row.op.name} on the timeline`} title="its slices on the timeline">⇢</a>}</span> },
      { id: "path", minor: 2, name: "Framework path", value: (row) => row.op.frameworkPath, cell: (row) => <code>{row.op.frameworkPath}</code> },
      { id: "types", minor: 2, name: "Result", value: (row) => row.op.results.join(", "), cell: (row) => <code>{row.op.results.join(", ")}</code> },
      { id: "status", name: "Status", value: (row) => statusOf(row.op.run), cell: (row) => <RunBadge run={row.op.run} /> },
      { id: "stage", minor: 1, name: "Stage reached", value: (row) => row.op.run?.stage ?? "–" },
      ...stages,
      { id: "transfer", minor: 2, name: "transfer", value: (row) => row.op.transfer, cell: (row) => (row.op.transfer > 0 ? time(row.op.transfer) : "–") },
      { id: "time", name: profile.estimated ? "Estimated (ns)" : "Device (ns)", value: (row) => row.op.time / 1000, cell: (row) => (row.op.count > 0 ? ns(row.op.time) : "–") },
      { id: "share", name: "Share", value: (row) => (profile.opTime > 0 ? (100 * row.op.time) / profile.opTime : 0), cell: (row) => share(row.op.time, profile.opTime), help: "of the time on ops, on all devices" },
      { id: "ulp", name: "ULP isolated", value: (row) => row.ulp, cell: (row) => figure(row.ulp) },
      { id: "accumulated", minor: 2, name: "ULP accumulated", value: (row) => row.accumulated, cell: (row) => figure(row.accumulated) },
      { id: "location", minor: 2, name: "Location", value: (row) => row.op.location || "<unknown>", cell: (row) => <code>{row.op.location || "<unknown>"}</code> },
    ];
  }, [profile]);
  const blocking = useMemo(() => {
    const byOp = new Map<string, { time: number; count: number; status: string }>();
    for (const { op } of rows) {
      if (!op.run || ["pass", "skipped", ""].includes(op.run.status)) continue;
      const known = byOp.get(op.hlo) ?? { time: 0, count: 0, status: op.run.status };
      byOp.set(op.hlo, { time: known.time + op.time, count: known.count + 1, status: known.status });
    }
    return [...byOp].sort((a, b) => b[1].count - a[1].count);
  }, [rows]);
  const located = profile.raw.compares.some((compare) => toNumber(compare.comparison.max_ulp ?? 0) >= 0);
  return (
    <>
      {blocking.length > 0 && (
        <ol class="blocking">
          {blocking.map(([name, { time: spent, count, status }]) => (
            <li key={name}><code>{name}</code>: <Badge status={status} /> in {count} of {plural(rows.length, "op")}; fixing it unblocks {count === 1 ? "it" : "them"}, {share(spent, profile.opTime)} of the time on ops</li>
          ))}
        </ol>
      )}
      {!located && <p class="note">No comparisons in the trace: errors read 0.</p>}
      {profile.raw.stages.length === 0 && rows.length > 0 && <p class="note">No compile spans in the trace: there are no stage columns.</p>}
      <DataTable key={find} find={find} name="conformance" columns={columns} rows={rows} sort="time" pageSize={25} empty="No ops in the trace, or none in this module." />
    </>
  );
}
