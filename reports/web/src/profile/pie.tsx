// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import { arc, pie, type PieArcDatum } from "d3-shape";
import { OTHER, PALETTE } from "./colour";
import { percent, time } from "./format";

export interface Part { name: string; time: number }

const RADIUS = 92;
const shape = arc<PieArcDatum<Part>>().innerRadius(0).outerRadius(RADIUS);

// The largest parts, the rest as one.
export function topParts(parts: Part[], count: number): Part[] {
  const sorted = parts.filter((part) => part.time > 0).sort((a, b) => b.time - a.time);
  if (sorted.length <= count + 1) return sorted;
  const rest = sorted.slice(count).reduce((sum, part) => sum + part.time, 0);
  return [...sorted.slice(0, count), { name: `Other (${sorted.length - count})`, time: rest }];
}

export function Pie({ title, parts, whole, empty }: { title: string; parts: Part[]; whole: string; empty: string }) {
  const total = parts.reduce((sum, part) => sum + part.time, 0);
  const arcs = pie<Part>().value((part) => part.time).sort(null)(parts);
  const colour = (part: Part, index: number) => (part.name.startsWith("Other (") ? OTHER : (PALETTE[index % PALETTE.length] ?? OTHER));
  return (
    <figure class="pie" data-pie={title}>
      <figcaption>
        <h3>{title}</h3>
        {total > 0 && <p class="muted small">100 % = {time(total)} {whole}</p>}
      </figcaption>
      {total === 0 ? (
        <p class="empty">{empty}</p>
      ) : (
        <div class="pie-body">
          {parts.length > 1 && <svg viewBox={`${-RADIUS - 2} ${-RADIUS - 2} ${2 * RADIUS + 4} ${2 * RADIUS + 4}`} role="img" aria-label={`${title}: ${parts.map((part) => `${part.name} ${percent((100 * part.time) / total)}`).join(", ")}`}>
            {arcs.map((slice, index) => (
              <path key={slice.data.name} d={shape(slice) ?? ""} fill={colour(slice.data, index)} class="pie-arc">
                <title>{`${slice.data.name}: ${time(slice.data.time)}, ${percent((100 * slice.data.time) / total)}`}</title>
              </path>
            ))}
          </svg>}
          <ul class="pie-legend">
            {parts.map((part, index) => (
              <li key={part.name}>
                <span class="swatch" style={{ background: colour(part, index) }} />
                <span class="pie-name" title={part.name}>{part.name}</span>
                <span class="num">{percent((100 * part.time) / total)}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </figure>
  );
}
