// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shows the device's outputs with the reference's: printed as the tutorial prints them, and per element.
import { useMemo, useState } from "preact/hooks";
import { type Compare, type Profile, toNumber } from "./data";
import { correlation, plural } from "../format";
import { figure } from "./format";
import { histogram, indexOf, parse, printed, shapeOf, ulps } from "./numbers";
import { Badge, Fact, Select } from "./parts";
import { type Column, DataTable } from "../table";

interface Summary { op: number; name: string; path: string; status: string; isolated: number; accumulated: number; ofRange: number; pcc: number }
interface Element { flat: number; index: string; cpu: string; device: string; abs: number; rel: number; ulp: number; flag: string }

function elements(compare: Compare, shape: number[]): Element[] {
  const dtype = compare.comparison.dtype ?? "f32";
  return compare.cpu.map((cpu, flat) => {
    const device = compare.device[flat] ?? "";
    const expected = parse(cpu);
    const got = parse(device);
    const abs = Object.is(expected, got) || expected === got ? 0 : Math.abs(got - expected);
    const flag = Number.isNaN(expected) !== Number.isNaN(got) ? "NaN" : Number.isFinite(expected) !== Number.isFinite(got) ? "Inf" : abs > 0 ? "differs" : "";
    return {
      flat, cpu, device, abs, flag, index: indexOf(flat, shape), rel: expected === 0 ? (abs === 0 ? 0 : Infinity) : abs / Math.abs(expected),
      ulp: ulps(got, expected, dtype),
    };
  });
}

const ELEMENTS: Column<Element>[] = [
  { id: "flat", name: "Index", value: (row) => row.flat, cell: (row) => <code>{row.index}</code> },
  { id: "cpu", name: "CPU", value: (row) => row.cpu, cell: (row) => <code>{row.cpu}</code> },
  { id: "device", name: "Device", value: (row) => row.device, cell: (row) => <code>{row.device}</code> },
  { id: "abs", name: "Abs", value: (row) => row.abs, cell: (row) => figure(row.abs) },
  { id: "rel", name: "Rel", value: (row) => row.rel, cell: (row) => figure(row.rel), help: "of the CPU's value" },
  { id: "ulp", name: "ULP", value: (row) => row.ulp, cell: (row) => figure(row.ulp), help: "units in the last place of the CPU's value" },
  { id: "flag", name: "Flag", value: (row) => row.flag },
];

function Histogram({ values }: { values: number[] }) {
  const bins = histogram(values);
  const most = Math.max(1, ...bins.map((bin) => bin.count));
  return (
    <figure class="histogram">
      <figcaption class="muted small">Elements by ULP ({values.length} shown)</figcaption>
      <div class="bins">
        {bins.map((bin) => (
          <div key={bin.to} class="bin" title={`${bin.to === 0 ? "equal" : `${figure(bin.from)} < ULP ≤ ${figure(bin.to)}`}: ${bin.count}`}>
            <span class="small">{bin.count || ""}</span>
            <span class="bin-bar" style={{ height: `${(80 * bin.count) / most}px` }} />
            <span class="small muted">{bin.to === 0 ? "0" : `≤${figure(bin.to)}`}</span>
          </div>
        ))}
      </div>
    </figure>
  );
}

function One({ profile, compare }: { profile: Profile; compare: Compare }) {
  const c = compare.comparison;
  const op = profile.op(compare.op);
  const shape = shapeOf(op?.results[c.output ?? 0] ?? "");
  const all = useMemo(() => elements(compare, shape), [compare]);
  const device = profile.raw.header.target.toUpperCase();
  const firstBad = all.find((element) => element.flag !== "");
  const mean = (of: (element: Element) => number) => (all.length === 0 ? NaN : all.reduce((sum, element) => sum + of(element), 0) / all.length);
  const sorted = all.map((element) => element.ulp).filter((ulp) => !Number.isNaN(ulp)).sort((a, b) => a - b);
  return (
    <>
      <dl class="facts">
        <Fact name="Max abs">{figure(c.max_abs)}{toNumber(c.range_error ?? 0) > 0 && `, ${figure(100 * toNumber(c.range_error ?? 0))} % of the range`}</Fact>
        <Fact name="Mean abs">{figure(mean((element) => element.abs))}</Fact>
        <Fact name="Max rel">{figure(c.max_rel)}</Fact>
        <Fact name="Max ULP">{figure(c.max_ulp)}</Fact>
        <Fact name="p99.9, mean ULP">{figure(sorted[Math.min(sorted.length - 1, Math.floor(0.999 * sorted.length))])}, {figure(mean((element) => element.ulp))}</Fact>
        <Fact name="PCC">{c.pcc === undefined ? "–" : correlation(c.pcc)}</Fact>
        <Fact name="Cosine">{c.cosine === undefined ? "–" : correlation(c.cosine)}</Fact>
        <Fact name="RMSE">{figure(c.rmse)}</Fact>
        <Fact name="NaN, Inf mismatches">{c.nan_mismatches ?? 0}, {c.inf_mismatches ?? 0}</Fact>
        <Fact name="Beyond their bound">{c.mismatches ?? 0} of {plural(c.elements ?? all.length, "element")}</Fact>
        <Fact name="Tolerance">{c.rule ?? "–"}{c.relaxed && ` (relaxed: ${c.relaxed})`}; error / bound {figure(c.bound_ratio)}</Fact>
        <Fact name="First that differs">{firstBad ? <code>{firstBad.index}</code> : "none"}</Fact>
      </dl>
      {all.length === 0 ? (
        <p class="empty">No elements of this output in the trace: it was recorded without values.</p>
      ) : (
        <>
          <div class="printed">
            <pre tabIndex={0} aria-label="CPU output">==CPU OUTPUT=={"\n"}{printed(compare.cpu, shape, c.elements ?? 0)}</pre>
            <pre tabIndex={0} aria-label="Device output">=={device} OUTPUT=={"\n"}{printed(compare.device, shape, c.elements ?? 0)}</pre>
          </div>
          <Histogram values={all.map((element) => element.ulp)} />
          <DataTable name="elements" columns={ELEMENTS} rows={all} sort="ulp" empty="No elements." />
        </>
      )}
    </>
  );
}

export function Outputs({ profile, module }: { profile: Profile; module: string }) {
  const summaries = useMemo(() => {
    const rows: Summary[] = [];
    for (const [index, compares] of profile.comparesByOp) {
      const op = profile.op(index);
      if (!op || !profile.inModule(op, module)) continue;
      rows.push({
        op: index, name: op.name, path: op.frameworkPath, status: op.run?.status ?? "", isolated: profile.ulp(index, "isolated"),
        accumulated: profile.ulp(index, "accumulated"), ofRange: profile.rangeError(index, "accumulated"), pcc: Math.min(...compares.map((compare) => toNumber(compare.comparison.pcc ?? 1))),
      });
    }
    return rows;
  }, [profile, module]);
  const [chosen, setChosen] = useState(-1);
  const [mode, setMode] = useState("accumulated");
  const op = profile.comparesByOp.has(chosen) ? chosen : (summaries.at(-1)?.op ?? -1);
  const compares = profile.comparesByOp.get(op) ?? [];
  const modes = [...new Set(compares.map((compare) => compare.mode))];
  const shown = modes.includes(mode) ? mode : (modes[0] ?? "");
  const columns: Column<Summary>[] = useMemo(() => [
    { id: "op", name: "#", value: (row) => row.op },
    { id: "name", name: "Op", value: (row) => row.name, cell: (row) => <button type="button" class="link" onClick={() => { setChosen(row.op); }}><code>{row.name}</code></button> },
    { id: "status", name: "Status", value: (row) => row.status || "–", cell: (row) => <Badge status={row.status} /> },
    { id: "isolated", name: "Max ULP isolated", value: (row) => row.isolated, cell: (row) => figure(row.isolated), help: "the reference fed the device's own inputs" },
    { id: "accumulated", name: "Max ULP accumulated", value: (row) => row.accumulated, cell: (row) => figure(row.accumulated), help: "the reference fed its own inputs from the model's start" },
    { id: "range", minor: 1, name: "Accumulated, of range", value: (row) => row.ofRange, cell: (row) => `${figure(100 * row.ofRange)} %`, help: "the greatest accumulated error, of the range of the expected values: what to go by where values near 0 make ULP large" },
    { id: "pcc", minor: 2, name: "PCC", value: (row) => row.pcc, cell: (row) => correlation(row.pcc), help: "the lower of both" },
    { id: "path", minor: 2, name: "Framework path", value: (row) => row.path, cell: (row) => <code>{row.path}</code> },
  ], []);
  if (profile.raw.compares.length === 0) {
    return <p class="empty">No comparisons in the trace: the run recorded no `output_compare`. Profile in chained mode with a reference.</p>;
  }
  return (
    <>
      <p class="muted">Isolated: the reference computes on the device's own inputs, which shows each op's own error. Accumulated: the reference runs by itself from the model's inputs, which shows what errors add up to.</p>
      <DataTable name="outputs" columns={columns} rows={summaries} sort="op" ascending empty="No op of this module has a comparison." />
      {op >= 0 && (
        <section class="sub">
          <div class="head">
            <h3 class="chosen-op">{profile.op(op)?.name}: {profile.op(op)?.frameworkPath}</h3>
            <Select label="Reference fed" value={shown} values={modes.map((name) => [name, name === "isolated" ? "the device's inputs (isolated)" : name === "accumulated" ? "its own inputs (accumulated)" : name])} change={setMode} />
          </div>
          {compares.filter((compare) => compare.mode === shown).map((compare, index) => <One key={`${op} ${shown} ${index}`} profile={profile} compare={compare} />)}
        </section>
      )}
    </>
  );
}
