// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compares two runs of a model: what changed, what is noise, what appeared.
import { useMemo } from "preact/hooks";
import { type DiffRow, type Profile, toNumber } from "./data";
import { figure, ns, percent, time } from "./format";
import { Badge } from "./parts";
import { type Column, DataTable } from "../table";

const relative = (row: DiffRow) => (row.base && row.base.time > 0 ? (100 * row.delta) / row.base.time : row.delta > 0 ? Infinity : 0);
const signed = (value: number, text: string) => (value > 0 ? `+${text}` : text);

const COLUMNS: Column<DiffRow>[] = [
  { id: "name", name: "Op", value: (row) => row.name, cell: (row) => <code>{row.name}</code> },
  { id: "base", minor: 2, name: "Base (ns)", value: (row) => (row.base?.time ?? 0) / 1000, cell: (row) => (row.base ? ns(row.base.time) : "–"), help: "median of one execution" },
  { id: "candidate", minor: 2, name: "This run (ns)", value: (row) => (row.candidate?.time ?? 0) / 1000, cell: (row) => (row.candidate ? ns(row.candidate.time) : "–") },
  { id: "delta", name: "Δ (ns)", value: (row) => row.delta / 1000, cell: (row) => <span class={row.noise || row.otherClocks ? "muted" : row.delta > 0 ? "red" : "green"}>{signed(row.delta, ns(row.delta))}</span> },
  { id: "relative", name: "Δ %", value: relative, cell: (row) => (Number.isFinite(relative(row)) ? signed(row.delta, percent(relative(row))) : "new"), help: "of the base's time of this op" },
  { id: "size", minor: 2, name: "|Δ|", value: (row) => (row.noise || row.otherClocks ? 0 : Math.abs(row.delta) / 1000), cell: (row) => ns(Math.abs(row.delta)), help: "sorts by size; noise, and times by different clocks, count as 0" },
  { id: "noise", name: "Noise", value: (row) => (!row.base ? "appeared" : !row.candidate ? "gone" : row.otherClocks ? `clocks: ${row.base.clock} → ${row.candidate.clock}` : row.noise ? "within noise" : "beyond noise"), help: "noise: the ranges from minimum to 95th percentile overlap; clocks: the times are by different clocks, so their difference is no change" },
  { id: "status", name: "Status", value: (row) => `${row.base?.status ?? ""} → ${row.candidate?.status ?? ""}`, cell: (row) => !row.base || !row.candidate || row.base.status === row.candidate.status ? <Badge status={(row.candidate ?? row.base)?.status} /> : <><Badge status={row.base.status} /> → <Badge status={row.candidate.status} /></> },
  { id: "ulp", name: "Δ ULP", value: (row) => toNumber(row.candidate?.ulp ?? 0) - toNumber(row.base?.ulp ?? 0), cell: (row) => figure(toNumber(row.candidate?.ulp ?? 0) - toNumber(row.base?.ulp ?? 0)) },
];

export function Comparison({ profile, module }: { profile: Profile; module: string }) {
  const diff = profile.raw.diff;
  const rows = useMemo(() => (diff?.rows ?? []).filter((row) => module === "" || row.name.startsWith(`${module}/`)), [diff, module]);
  if (!diff) return <p class="empty">No second trace was given. `optrace export --to=html --base OTHER.ndjson TRACE` compares with one.</p>;
  return (
    <>
      <p>
        Sum of the ops&apos; medians: base <strong>{time(diff.base)}</strong>, this run <strong>{time(diff.candidate)}</strong>
        {diff.base > 0 && `: ${signed(diff.candidate - diff.base, percent((100 * (diff.candidate - diff.base)) / diff.base))} of the base's`}.
        <span class="muted"> Base: run {diff.run} on {diff.target}.</span>
      </p>
      <DataTable name="compare" columns={COLUMNS} rows={rows} sort="size" pageSize={25} empty="The two traces have no op in this module." />
    </>
  );
}
