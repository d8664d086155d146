// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shows how the devices of a sharded model spend their time, op by op and in one piece.
import { bytes as bytesText } from "../format";
import { type Column, DataTable } from "../table";
import * as colour from "./colour";
import type { DeviceRow, Profile } from "./data";
import { ns, share, time } from "./format";

const BAR = 260;

// The time in which any device is at work.
export function wholeOf(row: DeviceRow): number {
  return row.compute + row.collective - row.both + row.idle;
}

function Bar({ row, longest }: { row: DeviceRow; longest: number }) {
  const width = (spent: number) => (longest > 0 ? (BAR * spent) / longest : 0);
  const alone = row.compute - row.both;
  const words = `device ${row.device}: ${time(alone)} computing alone, ${time(row.both)} with a collective beside it, ${time(row.collective - row.both)} in collectives alone`;
  return (
    <svg width={BAR} height="14" role="img" aria-label={words}>
      <title>{words}</title>
      <rect x="0" width={width(alone)} height="14" fill={colour.KINDS.compute} />
      <rect x={width(alone)} width={width(row.both)} height="14" fill={colour.KINDS.overlap} />
      <rect x={width(row.compute)} width={width(row.collective - row.both)} height="14" fill={colour.KINDS.transfer} />
    </svg>
  );
}

function columns(rows: DeviceRow[]): Column<DeviceRow>[] {
  const longest = Math.max(...rows.map(wholeOf));
  return [
    { id: "device", name: "Device", value: (row) => row.device, cell: (row) => <>{row.device}{row.slowest && <strong> slowest</strong>}</> },
    { id: "bar", name: "Time", value: (row) => wholeOf(row) - row.idle, cell: (row) => <Bar row={row} longest={longest} /> },
    { id: "compute", name: "Computes (ns)", value: (row) => row.compute / 1000, cell: (row) => ns(row.compute) },
    { id: "collective", name: "In collectives (ns)", value: (row) => row.collective / 1000, cell: (row) => ns(row.collective), help: "moving data, and waiting for the other devices" },
    { id: "percent", name: "In collectives %", value: (row) => row.collective, cell: (row) => share(row.collective, wholeOf(row)), help: "of the time in which any device is at work" },
    { id: "overlap", name: "Overlap %", value: (row) => row.both, cell: (row) => (row.collective > 0 ? share(row.both, row.collective) : "–"), help: "of its time in collectives, in which it computes too" },
    { id: "idle", name: "Idle (ns)", value: (row) => row.idle / 1000, cell: (row) => ns(row.idle), help: "while other devices are at work" },
    { id: "wire", name: "From other devices (computed)", value: (row) => row.wire, cell: (row) => bytesText(row.wire), help: "computed from the tensors and groups of the collectives, not measured" },
  ];
}

function Part({ name, title, rows, none }: { name: string; title: string; rows: DeviceRow[]; none: string }) {
  const slowest = rows.find((row) => row.slowest);
  return (
    <section class="sub">
      <h3>{title}</h3>
      {slowest ? <p class="muted">Device {slowest.device} computes longest, {time(slowest.compute)}; the others wait for it in their collectives.</p> : <p class="empty">{none}</p>}
      {slowest && <DataTable find="" name={name} columns={columns(rows)} rows={rows} sort="device" ascending empty="No devices." />}
    </section>
  );
}

export function DeviceTimes({ profile }: { profile: Profile }) {
  const { devices } = profile.raw;
  if (!devices) return <p class="empty">No times of several devices: the model is not divided among devices, or the target's worker reports none of each.</p>;
  return (
    <>
      <Part name="devices-chain" title="Op by op, one pass" rows={devices.chain} none="The target's worker reports no times of each device: an execution is one span of all of them." />
      <Part name="devices-whole" title="In one piece" rows={devices.whole} none="The target's worker has no profiler that records each device." />
      <ul class="roof-legend" aria-label="Colours">
        <li><span class="swatch" style={{ background: colour.KINDS.compute }} aria-hidden="true" /> computes</li>
        <li><span class="swatch" style={{ background: colour.KINDS.overlap }} aria-hidden="true" /> both</li>
        <li><span class="swatch" style={{ background: colour.KINDS.transfer }} aria-hidden="true" /> in a collective</li>
      </ul>
      <p class="muted small">Bytes are computed, not measured: what a device gets from others if a sum goes around a ring and each part moves once; on <code>host</code>, what it reads of the tensors of its group.</p>
    </>
  );
}
