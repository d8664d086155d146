// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shows the model that was compiled in one piece: its instructions on the engines, streams or threads that executed
// them, the memory that they need, and what could be gained in each region of time.
import { scaleLinear } from "d3-scale";
import { useMemo, useState } from "preact/hooks";
import { bytes as bytesText, plural } from "../format";
import { type Column, DataTable } from "../table";
import { useWidth } from "../width";
import * as colour from "./colour";
import type { Compiled, Instruction, Profile } from "./data";
import { figure, ns, percent, share, time } from "./format";
import { OpChips } from "./parts";

const LABEL = 150;
const ROW = 26;
const MEMORY = 76;
const AXIS = 20;
const MOST = 4000; // instructions that are drawn, those of most time
const OTHER = "no op of the model";

// The framework op that an instruction belongs to: that of the op whose name the compiler gave it.
export function frameworkOf(profile: Profile, instruction: Instruction): string {
  const op = profile.op(instruction.ops[0] ?? -1);
  return op ? op.framework || op.hlo : OTHER;
}

export interface InstructionRow { name: string; category: string; framework: string; count: number; time: number; flops: number; bytes: number; bound: string; ops: number[] }

// Instructions of one name, which a loop executes again and again, are one row.
export function rowsOf(profile: Profile, compiled: Compiled): InstructionRow[] {
  const rows = new Map<string, InstructionRow>();
  for (const each of compiled.instructions) {
    const key = `${each.name} ${each.ops.join(",")}`;
    const row = rows.get(key) ?? { name: each.name, category: each.category, framework: frameworkOf(profile, each), count: 0, time: 0, flops: 0, bytes: 0, bound: each.bound, ops: each.ops };
    rows.set(key, { ...row, count: row.count + 1, time: row.time + each.self, flops: row.flops + each.flops, bytes: row.bytes + each.bytes });
  }
  return [...rows.values()].sort((a, b) => b.time - a.time);
}

// The work of a picosecond as a share of what the device can do; NaN if that is not known. GFLOP/s and GB/s are
// thousandths of an operation or a byte in a picosecond.
export function shareOfPeak(amount: number, spent: number, peak: number): number {
  return peak > 0 && spent > 0 ? (100 * amount * 1000) / spent / peak : NaN;
}

function columns(profile: Profile, whole: number): Column<InstructionRow>[] {
  const device = profile.raw.header.devices[0];
  const ofPeak = (amount: number, row: InstructionRow, peak: number | undefined) => shareOfPeak(amount, row.time, peak ?? 0);
  const shown = (value: number) => (Number.isNaN(value) ? "–" : percent(value));
  return [
    { id: "name", name: "Instruction", value: (row) => row.name, cell: (row) => <code>{row.name}</code> },
    { id: "category", minor: 1, name: "HLO op", value: (row) => row.category || "–" },
    { id: "framework", name: "Framework op", value: (row) => row.framework },
    { id: "count", minor: 1, name: "Occurrences", value: (row) => row.count },
    { id: "time", name: "Time (ns)", value: (row) => row.time / 1000, cell: (row) => ns(row.time), help: "without the instructions inside it" },
    { id: "percent", name: "Time %", value: (row) => row.time, cell: (row) => share(row.time, whole), help: "of the time of all instructions" },
    { id: "flops", minor: 2, name: "GFLOP/s", value: (row) => (row.time > 0 ? (row.flops * 1000) / row.time : 0), cell: (row) => figure(row.time > 0 ? (row.flops * 1000) / row.time : 0) },
    { id: "compute", name: "Of peak compute", value: (row) => ofPeak(row.flops, row, device?.peak_gflops), cell: (row) => shown(ofPeak(row.flops, row, device?.peak_gflops)), help: "the operations of its ops in its time, over the device's peak" },
    { id: "bandwidth", minor: 2, name: "GB/s", value: (row) => (row.time > 0 ? (row.bytes * 1000) / row.time : 0), cell: (row) => figure(row.time > 0 ? (row.bytes * 1000) / row.time : 0) },
    { id: "memory", name: "Of peak memory", value: (row) => ofPeak(row.bytes, row, device?.peak_gb_per_s), cell: (row) => shown(ofPeak(row.bytes, row, device?.peak_gb_per_s)), help: "at most the bytes of its operands and results in its time, over the device's peak; above 100 % they were in caches" },
    { id: "bound", name: "Bound by", value: (row) => row.bound || "–" },
    { id: "ops", minor: 1, name: "Ops", value: (row) => row.ops.length, cell: (row) => <OpChips profile={profile} ops={row.ops} /> },
  ];
}

function Tracks({ profile, compiled, chosen, choose }: { profile: Profile; compiled: Compiled; chosen: Instruction | undefined; choose: (instruction: Instruction) => void }) {
  const [box, width] = useWidth();
  const end = Math.max(...compiled.instructions.map((each) => each.start + each.time));
  const x = scaleLinear().domain([0, end]).range([LABEL, width - 8]);
  const drawn = useMemo(() => [...compiled.instructions].sort((a, b) => b.time - a.time).slice(0, MOST), [compiled]);
  const severalDevices = new Set(compiled.tracks.map((track) => track.device)).size > 1;
  const live = compiled.instructions.filter((each) => each.live > 0);
  const peak = Math.max(0, ...live.map((each) => each.live));
  const rows = compiled.tracks.length * ROW;
  const memory = peak > 0 ? MEMORY : 0;
  const y = scaleLinear().domain([0, peak]).range([rows + memory - 4, rows + 18]);
  const bottom = rows + memory;
  // A step for each instruction: what is live while it runs, until the next one that says so.
  const area = live.map((each, index) => `L${x(each.start)},${y(each.live)} L${x(live[index + 1]?.start ?? each.start + each.time)},${y(each.live)}`).join(" ");
  return (
    <div ref={box}>
      <svg class="tracks" viewBox={`0 0 ${width} ${bottom + AXIS}`} role="group" aria-label="Instructions by engine, stream or thread, over time">
        {compiled.regions.map((region, index) => (
          <g key={region.start}>
            <line x1={x(region.start)} x2={x(region.start)} y1="0" y2={bottom} class="gridline" />
            <text x={(x(region.start) + x(region.end)) / 2} y={bottom + 14} text-anchor="middle">{index + 1}</text>
          </g>
        ))}
        {compiled.tracks.map((track, index) => (
          <text key={index} x={LABEL - 8} y={index * ROW + 17} text-anchor="end"><title>{track.name}</title>{severalDevices && `${track.device}: `}{track.name.length > 18 ? `${track.name.slice(0, 17)}…` : track.name}</text>
        ))}
        {drawn.map((each, index) => {
          const words = `${each.name}: ${time(each.time)} of ${frameworkOf(profile, each)}`;
          const select = () => { choose(each); };
          return (
            <rect
              key={index} data-instruction={each.name} class={each === chosen ? "instruction chosen" : "instruction"} tabIndex={index < 200 ? 0 : -1} role="button" aria-label={words}
              x={x(each.start)} width={Math.max(0.7, x(each.start + each.time) - x(each.start))} y={each.track * ROW + 3} height={ROW - 6}
              fill={each.collective ? colour.KINDS.transfer : each.ops.length > 0 ? colour.ofName(frameworkOf(profile, each)) : colour.OTHER} onClick={select}
              onKeyDown={(event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); select(); } }}
            ><title>{words}</title></rect>
          );
        })}
        {memory > 0 && (
          <g class="live">
            <text x={LABEL - 8} y={rows + 30} text-anchor="end">live values</text>
            <text x={LABEL - 8} y={rows + 46} text-anchor="end">{bytesText(peak)}</text>
            <path d={`M${x(live[0]?.start ?? 0)},${y(0)} ${area} L${x(end)},${y(0)} Z`}><title>at most {bytesText(peak)} of values that the program still needs</title></path>
          </g>
        )}
      </svg>
    </div>
  );
}

function Chosen({ profile, instruction }: { profile: Profile; instruction: Instruction }) {
  return (
    <div class="note" role="status">
      <p><code>{instruction.name}</code> {instruction.category && `(${instruction.category})`} of {frameworkOf(profile, instruction)}: {time(instruction.time)}{instruction.self < instruction.time && `, ${time(instruction.self)} without the instructions inside it`}, {figure(instruction.flops)} FLOP, at most {bytesText(instruction.bytes)} moved{instruction.live > 0 && `, ${bytesText(instruction.live)} live`}{instruction.wire > 0 && `, ${bytesText(instruction.wire)} from other devices (computed from op and groups)`}.</p>
      {instruction.ops.length > 0 && <p>Ops: <OpChips profile={profile} ops={instruction.ops} /></p>}
    </div>
  );
}

function Legend({ rows }: { rows: InstructionRow[] }) {
  const byFramework = new Map<string, number>();
  for (const row of rows) byFramework.set(row.framework, (byFramework.get(row.framework) ?? 0) + row.time);
  return (
    <ul class="roof-legend" aria-label="Framework ops">
      {[...byFramework].sort((a, b) => b[1] - a[1]).map(([name, spent]) => (
        <li key={name}><span class="swatch" style={{ background: name === OTHER ? colour.OTHER : colour.ofName(name) }} aria-hidden="true" /> <code>{name}</code> <span class="muted">{time(spent)}</span></li>
      ))}
    </ul>
  );
}

export function CompiledModel({ profile, find }: { profile: Profile; find: string }) {
  const { compiled } = profile.raw;
  const [chosen, choose] = useState<Instruction>();
  const rows = useMemo(() => (compiled ? rowsOf(profile, compiled) : []), [profile, compiled]);
  const whole = rows.reduce((sum, row) => sum + row.time, 0);
  const shown = useMemo(() => columns(profile, whole), [profile, whole]);
  if (!compiled) return <p class="empty">No instructions: the model was not run in one piece, or the target's worker has no profiler (<code>profiles</code> of the worker protocol).</p>;
  return (
    <>
      <p class="muted">{plural(compiled.instructions.length, "instruction")} of one execution on {plural(compiled.tracks.length, "track")}, in the colour of the framework op that the compiler made them of, collectives in that of transfers; {time(whole)} in all. Click one.</p>
      <Tracks profile={profile} compiled={compiled} chosen={chosen} choose={choose} />
      <Legend rows={rows} />
      {chosen && <Chosen profile={profile} instruction={chosen} />}
      <h3>What could be gained</h3>
      <ol class="regions">
        {compiled.regions.map((region) => (
          <li key={region.start}>
            <span>{time(region.start)} to {time(region.end)}{region.module && <>, mostly <code>{region.module}</code></>}</span>
            {region.advice.length > 0 ? <ul>{region.advice.map((advice) => <li key={advice}>{advice}</li>)}</ul> : <p class="muted">nothing that the instructions show</p>}
          </li>
        ))}
      </ol>
      <DataTable key={find} find={find} name="instructions" columns={shown} rows={rows} sort="time" empty="No instructions." />
      <p class="muted small">Live values are counted by the compiled program's order: arguments, and results that are still to be read. What a loop needs inside, and what an allocator adds, is not in them.</p>
    </>
  );
}
