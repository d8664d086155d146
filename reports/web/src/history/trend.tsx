// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The share of rows that pass, run by run, for each series; runs that broke rows are marked. A line between two runs
// counts only the rows that both have, so that added models are neither progress nor regression.
import { percent, plural, share, when } from "../format";
import { useWidth } from "../width";
import { toHash } from "./address";
import { Answer, useAnswer } from "./answers";
import type { RunFacts } from "./data";
import { dayText, midnights, minuteText } from "./days";
import type { ViewProps } from "./parts";

const HEIGHT = 220;
const LEFT = 58;
const RIGHT = 16;
const TOP = 14;
const BOTTOM = 28;
const HALF_DAY = 40; // of the width of its text
const COLOURS = ["var(--link)", "var(--s-pass)", "var(--s-timeout)", "var(--s-crash)", "var(--s-unexpected_pass)", "var(--s-flaky)", "var(--s-out_of_memory)", "var(--s-unsupported)"];
const WORSE = ["broke", "unsupported now", "lost"];

export function colourOf(index: number): string {
  return COLOURS[index % COLOURS.length] ?? "var(--text)";
}

// From 100 % down to a round number below the minimum.
function floorOf(rates: number[]): number {
  const least = Math.min(1, ...rates);
  for (const step of [0.99, 0.98, 0.95, 0.9, 0.8, 0.5]) if (least > step) return step;
  return 0;
}

export function TrendChart(props: ViewProps) {
  const [box, width] = useWidth();
  const { history, place } = props;
  const { lines = [], cell } = useAnswer({ ...props, verb: "trend" });
  const marks = new Map(lines.map((line) => [String(cell(line, "run")), WORSE.reduce((sum, title) => sum + Number(cell(line, title) ?? 0), 0)]));
  const names = [...new Set(history.raw.runs.map((run) => run.series))].sort();
  const shown = names.filter((name) => !place.series || name === place.series);
  const runs = history.raw.runs.filter((run) => run.age > 0 && shown.includes(run.series) && history.rowsOf(run) > 0);
  if (runs.length === 0) return <div ref={box} />;
  const rate = (run: RunFacts) => history.shareOf(run);
  const times = runs.map((run) => Date.parse(run.started));
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const floor = floorOf(runs.map(rate));
  const at = (time: number) => LEFT + (last > first ? (time - first) / (last - first) : 0.5) * (width - LEFT - RIGHT);
  const x = (run: RunFacts) => at(Date.parse(run.started));
  const y = (value: number) => TOP + ((1 - value) / (1 - floor)) * (HEIGHT - TOP - BOTTOM);
  const ticks = [0, 1, 2, 3, 4].map((quarters) => floor + ((1 - floor) * quarters) / 4);
  const days = midnights(first, last, width > 600 ? 4 : 2);
  const oneDay = days.length === 0;
  if (oneDay) days.push(...new Set([first, last]));
  return (
    <figure class="trend">
      <div ref={box}>
      <svg viewBox={`0 0 ${width} ${HEIGHT}`} role="group" aria-label={`Share of rows that pass in ${plural(runs.length, "run")}, ${share(floor)} to 100 %`}>
        {ticks.map((tick) => (
          <g key={tick}>
            <line class="gridline" x1={LEFT} x2={width - RIGHT} y1={y(tick)} y2={y(tick)} />
            <text x={LEFT - 8} y={y(tick) + 4} text-anchor="end">{share(tick)}</text>
          </g>
        ))}
        {days.map((day) => (
          <text key={day} x={at(day)} y={HEIGHT - 8} text-anchor={at(day) > width - RIGHT - HALF_DAY ? "end" : "middle"}>{oneDay && last > first ? minuteText(day) : dayText(day)}</text>
        ))}
        {shown.map((name) => {
          const own = runs.filter((run) => run.series === name).reverse();
          const colour = colourOf(names.indexOf(name));
          return (
            <g key={name}>
              {own.slice(1).map((run, i) => {
                const before = own[i];
                if (!before) return null;
                const isNext = run.previous === before.name;
                const [from, to] = isNext ? [history.shareOf(before, run.gone), history.shareOf(run, run.added)] : [rate(before), rate(run)];
                return <line key={run.name} x1={x(before)} y1={y(Math.max(from, floor))} x2={x(run)} y2={y(Math.max(to, floor))} stroke={colour} stroke-width="1.8" />;
              })}
              {own.map((run) => {
                const broke = marks.get(run.name) ?? 0;
                const label = `${run.name}, ${when(run.started)}: ${percent(history.passedOf(run), history.rowsOf(run))} of ${plural(history.rowsOf(run), "row")} pass${broke > 0 ? `, ${broke} got worse` : ""}`;
                const [cx, cy] = [x(run), y(rate(run))];
                return (
                  <a key={run.name} href={toHash({ run: run.name })} aria-label={label}>
                    <title>{label}</title>
                    <circle cx={cx} cy={cy} r="9" fill="transparent" />
                    {broke > 0 ? <path d={`M${cx} ${cy - 6}L${cx + 6} ${cy}L${cx} ${cy + 6}L${cx - 6} ${cy}Z`} fill="var(--s-fail)" /> : <circle cx={cx} cy={cy} r="3" fill={colour} />}
                  </a>
                );
              })}
            </g>
          );
        })}
      </svg>
      </div>
      <figcaption class="muted small">
        {shown.map((name) => <span key={name} class="key"><span class="swatch" style={{ background: colourOf(names.indexOf(name)) }} />{name}</span>)}
        <span class="key"><span class="swatch diamond" />something got worse</span>
      </figcaption>
    </figure>
  );
}

export function Trend(props: ViewProps) {
  return (
    <>
      <TrendChart {...props} />
      <Answer {...props} verb="trend" />
    </>
  );
}
