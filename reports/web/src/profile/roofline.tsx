// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shows every op by its intensity and its rate, under the roof of its device.
import { scaleLog } from "d3-scale";
import { useMemo, useState } from "preact/hooks";
import * as colour from "./colour";
import type { Op, Profile } from "./data";
import { figure, time } from "./format";
import { OpFacts } from "./parts";
import { useWidth } from "../width";

const HEIGHT = 460;
const MARGIN = { left: 70, right: 20, top: 16, bottom: 44 };
const MOST = 1000;

interface Point { op: Op; index: number; intensity: number; rate: number } // FLOP/byte, GFLOP/s

export function points(profile: Profile, module: string): Point[] {
  return profile.raw.ops
    .map((op, index) => ({ op, index, intensity: op.bytes > 0 ? op.flops / op.bytes : 0, rate: op.time > 0 ? (op.flops * op.count * 1000) / op.time : 0 }))
    .filter((point) => point.intensity > 0 && point.rate > 0 && profile.inModule(point.op, module))
    .sort((a, b) => b.op.time - a.op.time)
    .slice(0, MOST);
}

export function Roofline({ profile, module }: { profile: Profile; module: string }) {
  const shown = useMemo(() => points(profile, module), [profile, module]);
  const [chosen, setChosen] = useState(-1);
  const [box, width] = useWidth();
  const legend = useMemo(() => {
    const byName = new Map<string, { name: string; count: number; time: number }>();
    for (const { op } of shown) {
      const known = byName.get(op.hlo) ?? { name: op.hlo, count: 0, time: 0 };
      byName.set(op.hlo, { name: op.hlo, count: known.count + 1, time: known.time + op.time });
    }
    return [...byName.values()].sort((a, b) => b.time - a.time);
  }, [shown]);
  const roofs = profile.raw.header.devices.filter((device) => device.peak_gflops > 0 && device.peak_gb_per_s > 0);
  if (shown.length === 0) {
    return <p class="empty">No op has flops, bytes and a time{module && " in this module"}: data movement has no place under a roof, and ops without a time were not executed.</p>;
  }
  const ridge = roofs.map((device) => device.peak_gflops / device.peak_gb_per_s);
  const xs = [...shown.map((point) => point.intensity), ...ridge];
  const ys = [...shown.map((point) => point.rate), ...roofs.map((device) => device.peak_gflops)];
  const x = scaleLog().domain([Math.min(...xs) / 3, Math.max(...xs) * 3]).range([MARGIN.left, width - MARGIN.right]);
  const y = scaleLog().domain([Math.min(...ys) / 3, Math.max(...ys) * 3]).range([HEIGHT - MARGIN.bottom, MARGIN.top]);
  const decades = (scale: typeof x) => scale.ticks().filter((tick) => Math.abs(Math.log10(tick) - Math.round(Math.log10(tick))) < 1e-9);
  const longest = Math.max(...shown.map((point) => point.op.time));
  const op = profile.op(chosen);
  const [left = 1, right = 1] = x.domain();
  return (
    <>
      {roofs.length === 0 && <p class="note">The device's peaks are not known to the trace (peak_gflops, peak_gb_per_s in its header), so there is no roof: set them for the target.</p>}
      {roofs.filter((device) => device.peak_source).map((device) => (
        <p class="note" key={device.id}>Roof of {device.name}: {figure(device.peak_gflops)} GFLOP/s and {figure(device.peak_gb_per_s)} GB/s, {device.peak_source}.</p>
      ))}
      <div ref={box}>
      <svg class="roofline" viewBox={`0 0 ${width} ${HEIGHT}`} role="group" aria-label="Roofline: GFLOP/s over FLOP per byte, both logarithmic">
        {decades(x).map((tick) => (
          <g key={tick}><line x1={x(tick)} x2={x(tick)} y1={MARGIN.top} y2={HEIGHT - MARGIN.bottom} class="gridline" /><text x={x(tick)} y={HEIGHT - MARGIN.bottom + 16} text-anchor="middle">{figure(tick)}</text></g>
        ))}
        {decades(y).map((tick) => (
          <g key={tick}><line x1={MARGIN.left} x2={width - MARGIN.right} y1={y(tick)} y2={y(tick)} class="gridline" /><text x={MARGIN.left - 8} y={y(tick) + 4} text-anchor="end">{figure(tick)}</text></g>
        ))}
        <text x={(MARGIN.left + width - MARGIN.right) / 2} y={HEIGHT - 8} text-anchor="middle">FLOP per byte</text>
        <text transform={`translate(16 ${HEIGHT / 2}) rotate(-90)`} text-anchor="middle">GFLOP/s</text>
        {roofs.map((device) => {
          const knee = Math.min(right, Math.max(left, device.peak_gflops / device.peak_gb_per_s));
          const low = Math.max(left, (y.domain()[0] ?? 1) / device.peak_gb_per_s);
          return (
            <g key={device.id} class="roof">
              <polyline points={`${x(low)},${y(low * device.peak_gb_per_s)} ${x(knee)},${y(Math.min(device.peak_gflops, knee * device.peak_gb_per_s))} ${x(right)},${y(device.peak_gflops)}`} />
              <text x={width - MARGIN.right - 4} y={y(device.peak_gflops) - 6} text-anchor="end">{device.name}: {figure(device.peak_gflops)} GFLOP/s, {figure(device.peak_gb_per_s)} GB/s</text>
            </g>
          );
        })}
        {shown.map((point) => {
          const words = `${point.op.name}: ${figure(point.rate)} GFLOP/s at ${figure(point.intensity)} FLOP/byte`;
          const choose = () => { setChosen(point.index); };
          const radius = 4 + 7 * Math.sqrt(point.op.time / longest);
          return (
            <g
              key={point.index} class={point.index === chosen ? "point chosen" : "point"} data-point={point.op.name} tabIndex={0} role="button" aria-label={words}
              aria-pressed={point.index === chosen} onClick={choose} onFocus={choose}
              onKeyDown={(event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(); } }}
            >
              <title>{words}</title>
              <circle class="target" cx={x(point.intensity)} cy={y(point.rate)} r={Math.max(14, radius)} />
              <circle class="dot" cx={x(point.intensity)} cy={y(point.rate)} r={radius} fill={colour.ofName(point.op.name)} />
            </g>
          );
        })}
      </svg>
      </div>
      <ul class="roof-legend" aria-label="Operators">
        {legend.map(({ name, count, time: spent }) => (
          <li key={name}><span class="swatch" style={{ background: colour.ofName(name) }} aria-hidden="true" /> <code>{name}</code> <span class="muted">{count} {count === 1 ? "op" : "ops"}, {time(spent)}</span></li>
        ))}
      </ul>
      <p class="muted small">A point is an op; click it. {shown.length === 1 ? "It is the one" : `They are the ${shown.length}`} of most time that {shown.length === 1 ? "computes and moves" : "compute and move"} bytes; the area of a point is its share of the slowest one's time. A point above the slanted roof found its data in caches: that roof is the memory's.</p>
      {op && <OpFacts op={op} index={chosen} estimated={profile.estimated} whole={profile.opTime} />}
    </>
  );
}
