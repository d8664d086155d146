// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// operator-timeline: sections, one row per level, one axis; pan, zoom, search, a detail pane. All work by keyboard too.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Hit, Placement, Profile, TimelineRow } from "./data";
import { ns, share, time } from "./format";
import { IterationChoice, OpFacts, Select } from "./parts";
import { addressOf, parseAddress, replaceAddress } from "./address";
import { activity, type Axis, type Kind, type Piece, deviceAxis, iterationAt, iterationStarts, trueAxis } from "./axis";
import * as colour from "./colour";
import { type Chosen, draw, inGap, labelsOf, layout, onDevice, type Paint, type Range, ROW, titleOf } from "./timeline_view";

const NARROWEST = 10; // ps on the whole axis
const KEYS = "←/→ neighbouring slice · ↑/↓ row · + − zoom · A/D pan · 0 all · F fit · / search · Ctrl+wheel zoom · drag pan";

function clamp(range: Range, end: number): Range {
  const length = Math.min(end, Math.max(NARROWEST, range.end - range.start));
  const start = Math.max(0, Math.min(range.start, end - length));
  return { start, end: start + length };
}

function zoomed(range: Range, factor: number, at: number, end: number): Range {
  return clamp({ start: at - (at - range.start) * factor, end: at + (range.end - at) * factor }, end);
}

function Bounds({ title, exact, values }: { title: string; exact: boolean; values: [number, number] }) {
  return exact ? <>{title} exact: {ns(values[0])} ns</> : <>{title} bounded: {ns(values[0])} … {ns(values[1])} ns</>;
}

// Starts are relative to `origin`, the start of the iteration.
function Exactness({ title, placed, origin }: { title: string; placed: Placement; origin: number }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        <Bounds title="start" exact={placed.startExact} values={[placed.start[0] - origin, placed.start[1] - origin]} />; <Bounds title="duration" exact={placed.durationExact} values={placed.duration} />
      </dd>
    </div>
  );
}

// The occurrences of a label on other rows that are nearest to the chosen slice: compile stages, transfers, comparison.
function elsewhere(profile: Profile, chosen: Chosen, label: string): Hit[] {
  const hits: Hit[] = [];
  const id = profile.raw.timeline.labels.indexOf(label);
  const at = profile.rows[chosen.row]?.start(chosen.index) ?? 0;
  profile.rows.forEach((row, index) => {
    if (index === chosen.row) return;
    let nearest = -1;
    for (let i = 0; i < row.size; ++i) {
      if (!row.memberIds(i).includes(id)) continue;
      if (nearest < 0 || Math.abs(row.start(i) - at) < Math.abs(row.start(nearest) - at)) nearest = i;
    }
    if (nearest >= 0) hits.push({ row: index, index: nearest });
  });
  return hits;
}

interface DetailProps { profile: Profile; starts: readonly number[]; device: Axis; chosen: Chosen | null; choose: (to: Chosen) => void }

function Detail({ profile, starts, device, chosen, choose }: DetailProps) {
  const [label, setLabel] = useState("");
  useEffect(() => { setLabel(""); }, [chosen?.row, chosen?.index]);
  const row = chosen && profile.rows[chosen.row];
  if (!chosen || !row) {
    return <aside class="slice-detail"><p class="muted">Choose a slice: click it, or focus the timeline and use the arrow keys.</p></aside>;
  }
  const slice = row.slice(chosen.index);
  const iteration = iterationAt(starts, slice.start);
  const member = slice.kind === "op" ? slice.name : label;
  const placed = member && slice.kind !== "merged" ? row.placements(chosen.index, member) : null;
  const ops = member ? profile.opsOf(member) : [];
  const flow = row.flow(chosen.index);
  const joined = flow === 0 ? [] : profile.ofFlow(flow);
  const others = member ? elsewhere(profile, chosen, member) : [];
  const name = (hit: Hit) => {
    const other = profile.rows[hit.row];
    return other ? `${other.raw.sectionTitle} · ${titleOf(other)}` : "";
  };
  return (
    <aside class="slice-detail" aria-live="polite">
      <dl class="op-facts">
        <div><dt>Title</dt><dd><code>{slice.name}</code></dd></div>
        <div><dt>Category</dt><dd>{row.raw.sectionTitle} · {titleOf(row)}</dd></div>
        <div><dt>Start</dt><dd>{ns(slice.start - iteration.start)} ns {iteration.index < 0 ? "after the recording began" : `into iteration ${iteration.index}`}</dd></div>
        <div><dt>Start in device time</dt><dd>{ns(device.shown(slice.start) - device.shown(iteration.start))} ns</dd></div>
        <div><dt>Wall Duration</dt><dd>{ns(slice.end - slice.start)} ns</dd></div>
      </dl>
      {slice.kind === "merged" && <p class="muted">{slice.count} slices, drawn as one: the trace has more than this page draws.</p>}
      {slice.members.length > 0 && slice.kind !== "op" && (
        <>
          <h3>{slice.kind === "window" ? "Within the clock's resolution" : "Fused"}: {slice.members.length} members</h3>
          <ul class="members">
            {slice.members.map((text) => (
              <li key={text}><button type="button" class="link" data-member={text} aria-pressed={text === label} onClick={() => { setLabel(text); }}><code>{text}</code></button></li>
            ))}
          </ul>
        </>
      )}
      {placed && (
        <>
          <h3>{slice.kind === "op" ? "This op" : member}</h3>
          <dl class="op-facts">
            <Exactness title="As drawn (the table of AWS Neuron's tutorial)" placed={placed.view} origin={iteration.start} />
            <Exactness title="By the clock" placed={placed.clock} origin={iteration.start} />
          </dl>
        </>
      )}
      {ops.length > 0 && <h3>Args</h3>}
      {ops.slice(0, 4).map((index) => {
        const op = profile.op(index);
        return op && <OpFacts key={index} op={op} index={index} estimated={profile.estimated} whole={profile.opTime} />;
      })}
      {ops.length > 4 && <p class="muted">and {ops.length - 4} more ops</p>}
      {joined.length > 1 && (
        <>
          <h3>Flow: this execution, in order</h3>
          <ol class="members flow">
            {joined.map((hit) => {
              const other = profile.rows[hit.row];
              if (!other) return null;
              const part = other.slice(hit.index);
              const here = hit.row === chosen.row && hit.index === chosen.index;
              return (
                <li key={`${hit.row}/${hit.index}`}>
                  <button type="button" class="link" aria-current={here ? "true" : undefined} onClick={() => { choose(hit); }}>{other.raw.sectionTitle} · {other.raw.title === "HLO Ops" ? <code>{part.name}</code> : titleOf(other)}</button> {time(part.end - part.start)}
                </li>
              );
            })}
          </ol>
        </>
      )}
      {others.length > 0 && (
        <>
          <h3>Also in</h3>
          <ul class="members">
            {others.map((hit) => <li key={hit.row}><button type="button" class="link" onClick={() => { choose(hit); }}>{name(hit)}</button></li>)}
          </ul>
        </>
      )}
    </aside>
  );
}

interface Found { labels: Set<number>; hits: Hit[] }

// Among rows with equal labels executions come first, then their transfers, then the rest; then by time.
function rank(row: TimelineRow | undefined): number {
  if (!row) return 4;
  if (row.raw.section === "execution") return row.raw.title === "HLO Ops" ? 0 : 1;
  return row.raw.section === "data_transfer" ? 2 : 3;
}

// The slices with one of these labels.
function slicesOf(profile: Profile, labels: Set<number>): Found {
  const hits: Hit[] = [];
  profile.rows.forEach((row, index) => {
    for (let i = 0; i < row.size; ++i) if (row.memberIds(i).some((id) => labels.has(id))) hits.push({ row: index, index: i });
  });
  const startOf = (hit: Hit) => profile.rows[hit.row]?.start(hit.index) ?? 0;
  hits.sort((a, b) => rank(profile.rows[a.row]) - rank(profile.rows[b.row]) || startOf(a) - startOf(b) || a.row - b.row);
  return { labels, hits };
}

function search(profile: Profile, words: string): Found | null {
  const wanted = words.trim().toLowerCase();
  if (!wanted) return null;
  const labels = new Set<number>();
  profile.raw.timeline.labels.forEach((label, id) => {
    if (label.toLowerCase().includes(wanted)) labels.add(id);
  });
  return slicesOf(profile, labels);
}

// Finds the executions of the ops in a row of a table.
function searchOps(profile: Profile, ops: readonly number[]): Found | null {
  const names = new Set(ops.map((op) => profile.op(op)?.name));
  const labels = new Set<number>();
  profile.raw.timeline.labels.forEach((label, id) => {
    if (names.has(label)) labels.add(id);
  });
  return labels.size === 0 ? null : slicesOf(profile, labels);
}

// How long the device computed, moved data and did both, in one line.
function Legend({ pieces, end }: { pieces: readonly Piece[]; end: number }) {
  const totals = new Map<Kind, number>();
  for (const piece of pieces) totals.set(piece.kind, (totals.get(piece.kind) ?? 0) + piece.end - piece.start);
  const busy = [...totals.values()].reduce((sum, part) => sum + part, 0);
  if (busy === 0) return null;
  return (
    <p class="kinds small">
      {(["compute", "transfer", "overlap"] as const).map((kind) => (
        <span key={kind}><span class="swatch" style={{ background: colour.KINDS[kind] }} aria-hidden="true" /> {kind === "overlap" ? "both at once" : kind} {time(totals.get(kind) ?? 0)} ({share(totals.get(kind) ?? 0, busy)})</span>
      ))}
      <span class="muted">100 % = {time(busy)} in which the device was at work, of {time(end)} recorded</span>
    </p>
  );
}

type AxisName = "device" | "true";

// The state in the address, so that a link shows the same.
interface Kept { axis: AxisName | undefined; range: Range | undefined; chosen: Chosen | null; words: string; ops: number[] }

function kept(profile: Profile): Kept {
  const { parameters } = parseAddress(location.hash);
  const numbers = (name: string, separator: string) => (parameters.get(name) ?? "").split(separator).filter(Boolean).map(Number).filter(Number.isFinite);
  const axis = parameters.get("axis");
  const [start, end] = numbers("range", "-");
  const [row = -1, index = -1] = numbers("slice", ".");
  const exists = index >= 0 && index < (profile.rows[row]?.size ?? 0);
  return {
    axis: axis === "device" || axis === "true" ? axis : undefined,
    range: start !== undefined && end !== undefined && end > start ? { start, end } : undefined,
    chosen: exists ? { row, index } : null, words: parameters.get("q") ?? "", ops: numbers("ops", ","),
  };
}

export function Timeline({ profile }: { profile: Profile }) {
  const pieces = useMemo(() => activity(profile), [profile]);
  const starts = useMemo(() => iterationStarts(profile), [profile]);
  const axes = useMemo(() => ({ device: deviceAxis(pieces), true: trueAxis(profile) }), [profile, pieces]);
  // In an op-by-op run the harness is at work between the ops.
  const usual: AxisName = profile.raw.header.mode === "chained" && pieces.length > 0 ? "device" : "true";
  const opened = useMemo(() => kept(profile), [profile]);
  const [axisName, setAxisName] = useState<AxisName>(opened.axis ?? usual);
  const axis = axes[axisName];
  const { lines, height } = useMemo(() => layout(profile, axisName === "device"), [profile, axisName]);
  const [range, setRange] = useState<Range>(() => opened.range ?? onDevice(profile, axis));
  const [chosen, setChosen] = useState<Chosen | null>(opened.chosen);
  const [paint, setPaint] = useState<Paint>("kind");
  const [words, setWords] = useState(opened.words);
  const [ops, setOps] = useState(opened.ops);
  const [at, setAt] = useState(-1);
  const [iteration, setIteration] = useState(-1);
  const [hint, setHint] = useState("");
  const [width, setWidth] = useState(1000);
  const canvas = useRef<HTMLCanvasElement>(null);
  const searchBox = useRef<HTMLInputElement>(null);
  const drag = useRef<{ x: number; range: Range; moved: boolean } | null>(null);
  const found = useMemo(() => search(profile, words) ?? searchOps(profile, ops), [profile, words, ops]);
  const labels = labelsOf(width);
  const origin = iterationAt(starts, Math.max(starts[0] ?? 0, axis.real(range.start))).start;

  // The address changed to other slices while this view is open.
  useEffect(() => {
    const follow = () => {
      const to = kept(profile);
      const next = to.axis ?? usual;
      setAxisName(next);
      setWords(to.words);
      setOps(to.ops);
      setAt(-1);
      setChosen(to.chosen);
      setRange(to.range ?? onDevice(profile, axes[next]));
    };
    addEventListener("hashchange", follow);
    return () => { removeEventListener("hashchange", follow); };
  }, [profile, axes, usual]);
  useEffect(() => {
    const whole = onDevice(profile, axis);
    const same = Math.round(whole.start) === Math.round(range.start) && Math.round(whole.end) === Math.round(range.end);
    replaceAddress(addressOf("operator-timeline", {
      axis: axisName === usual ? undefined : axisName, range: same ? undefined : `${Math.round(range.start)}-${Math.round(range.end)}`,
      slice: chosen ? `${chosen.row}.${chosen.index}` : undefined, q: words, ops: ops.join(","),
    }));
  }, [profile, axis, axisName, usual, range, chosen, words, ops]);

  useLayoutEffect(() => {
    const parent = canvas.current?.parentElement;
    if (!parent) return undefined;
    const measure = () => { setWidth(Math.max(280, parent.clientWidth)); };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(parent);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const redraw = () => { setRange((old) => ({ ...old })); };
    dark.addEventListener("change", redraw);
    return () => {
      observer.disconnect();
      dark.removeEventListener("change", redraw);
    };
  }, []);

  useLayoutEffect(() => {
    if (canvas.current) draw(canvas.current, { profile, lines, range, axis, pieces, origin, paint, chosen, found: found?.labels ?? null }, width, height);
  }, [profile, lines, range, axis, pieces, origin, paint, chosen, found, width, height]);

  const shownAt = (x: number) => range.start + ((x - labels) / (width - labels)) * (range.end - range.start);
  const timeAt = (x: number) => axis.real(shownAt(x));
  const rowAt = (y: number): [number, TimelineRow] | null => {
    const line = lines.find((candidate) => candidate.kind === "row" && y >= candidate.y && y < candidate.y + ROW);
    const row = line && profile.rows[line.row];
    return row ? [line.row, row] : null;
  };
  const sliceAt = (x: number, y: number): Chosen | null => {
    const hit = rowAt(y);
    if (!hit || x < labels) return null;
    const [index, row] = hit;
    const slice = row.at(timeAt(x));
    const near = timeAt(x + 2);
    return slice < row.size && row.start(slice) <= near ? { row: index, index: slice } : null;
  };
  // From the start to the end of a slice, on this axis.
  const placeOf = (to: Chosen, on: Axis): Range | null => {
    const row = profile.rows[to.row];
    return row ? { start: on.shown(row.start(to.index)), end: on.shown(row.end(to.index)) } : null;
  };
  // Chooses a slice and brings it into view.
  const choose = (to: Chosen) => {
    const drawn = lines.some((line) => line.row === to.row);
    const on = drawn ? axis : axes.true;
    const place = placeOf(to, on);
    if (!place) return;
    setChosen(to);
    const { start, end } = place;
    const length = range.end - range.start;
    if (!drawn) setAxisName("true");
    if (!drawn || end - start < length / 400) setRange(clamp({ start: start - (end - start) * 20, end: end + (end - start) * 20 }, on.end));
    else if (start < range.start || end > range.end) setRange(clamp({ start: start - length / 4, end: start - length / 4 + Math.max(length, (end - start) * 1.5) }, on.end));
  };
  const changeAxis = (name: AxisName) => {
    setAxisName(name);
    const whole = onDevice(profile, axes[name]);
    const mapped = { start: axes[name].shown(axis.real(range.start)), end: axes[name].shown(axis.real(range.end)) };
    setRange(mapped.end - mapped.start > NARROWEST ? clamp(mapped, axes[name].end) : whole);
    if (iteration < 0) setRange(whole);
  };
  const stepTo = (next: number) => {
    if (!found || found.hits.length === 0) return;
    const index = (next + found.hits.length) % found.hits.length;
    setAt(index);
    const hit = found.hits[index];
    if (hit) choose(hit);
  };
  const fit = () => {
    const place = chosen && placeOf(chosen, axis);
    if (!place) return;
    const { start, end } = place;
    setRange(clamp({ start: start - (end - start) / 2, end: end + (end - start) / 2 }, axis.end));
  };
  const middle = (range.start + range.end) / 2;
  const pan = (part: number) => { setRange(clamp({ start: range.start + part * (range.end - range.start), end: range.end + part * (range.end - range.start) }, axis.end)); };
  const moveRow = (direction: number) => {
    const from = chosen ?? { row: direction > 0 ? -1 : profile.rows.length, index: 0 };
    const time = chosen ? ((profile.rows[chosen.row]?.start(chosen.index) ?? 0) + (profile.rows[chosen.row]?.end(chosen.index) ?? 0)) / 2 : axis.real(range.start);
    for (let row = from.row + direction; row >= 0 && row < profile.rows.length; row += direction) {
      const candidate = profile.rows[row];
      if (candidate && candidate.size > 0) {
        choose({ row, index: Math.min(candidate.size - 1, candidate.at(time)) });
        return;
      }
    }
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = chosen && profile.rows[chosen.row];
    const actions: Record<string, () => void> = {
      ArrowLeft: () => { if (row && chosen.index > 0) choose({ row: chosen.row, index: chosen.index - 1 }); else if (!row) pan(-0.2); },
      ArrowRight: () => { if (row && chosen.index + 1 < row.size) choose({ row: chosen.row, index: chosen.index + 1 }); else if (!row) pan(0.2); },
      ArrowDown: () => { moveRow(1); },
      ArrowUp: () => { moveRow(-1); },
      "+": () => { setRange(zoomed(range, 0.6, middle, axis.end)); },
      "=": () => { setRange(zoomed(range, 0.6, middle, axis.end)); },
      "-": () => { setRange(zoomed(range, 1 / 0.6, middle, axis.end)); },
      a: () => { pan(-0.25); },
      d: () => { pan(0.25); },
      "0": () => { setRange({ start: 0, end: axis.end }); },
      f: fit,
      Enter: fit,
      "/": () => searchBox.current?.focus(),
      Escape: () => { setChosen(null); },
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  };
  const onWheel = (event: WheelEvent) => {
    if (!event.ctrlKey && !event.shiftKey) return;
    event.preventDefault();
    if (event.shiftKey) pan(Math.sign(event.deltaY || event.deltaX) * 0.1);
    else setRange(zoomed(range, event.deltaY > 0 ? 1.25 : 0.8, Math.max(range.start, shownAt(event.offsetX)), axis.end));
  };
  const onMove = (event: MouseEvent) => {
    const from = drag.current;
    if (from && event.buttons === 1) {
      const moved = ((event.offsetX - from.x) / (width - labels)) * (from.range.end - from.range.start);
      if (Math.abs(event.offsetX - from.x) > 3) from.moved = true;
      if (from.moved) setRange(clamp({ start: from.range.start - moved, end: from.range.end - moved }, axis.end));
      return;
    }
    const slice = sliceAt(event.offsetX, event.offsetY);
    const place = rowAt(event.offsetY);
    if (slice) {
      const found = profile.rows[slice.row]?.slice(slice.index);
      setHint(found ? `${found.name}: ${time(found.end - found.start)}${found.members.length > 1 ? ` (${found.members.join(", ")})` : ""}` : "");
    } else if (place && event.offsetX >= labels && place[1].raw.section === "execution" && place[1].size > 0) {
      setHint(inGap(profile, place[1], timeAt(event.offsetX)));
    } else {
      setHint("");
    }
  };
  if (profile.rows.every((row) => row.size === 0)) {
    return <p class="empty">No spans in the trace: nothing was recorded before the run ended.</p>;
  }
  return (
    <>
      <div class="tools">
        <span class="buttons" role="group" aria-label="Zoom and pan">
          <button type="button" class="tool" aria-label="Zoom in" onClick={() => { setRange(zoomed(range, 0.6, middle, axis.end)); }}>+</button>
          <button type="button" class="tool" aria-label="Zoom out" onClick={() => { setRange(zoomed(range, 1 / 0.6, middle, axis.end)); }}>−</button>
          <button type="button" class="tool" aria-label="Pan left" onClick={() => { pan(-0.25); }}>◂</button>
          <button type="button" class="tool" aria-label="Pan right" onClick={() => { pan(0.25); }}>▸</button>
          <button type="button" class="tool" onClick={() => { setRange({ start: 0, end: axis.end }); }}>All</button>
          <button type="button" class="tool" onClick={() => { setRange(onDevice(profile, axis)); }}>Device</button>
        </span>
        {profile.raw.iterations.length > 0 && (
          <IterationChoice
            profile={profile} value={iteration}
            change={(value) => {
              setIteration(value);
              const of = profile.raw.iterations[value];
              setRange(of ? clamp({ start: axis.shown(of.start), end: axis.shown(of.end) }, axis.end) : onDevice(profile, axis));
            }}
          />
        )}
        <Select label="Time axis" value={axisName} values={[["device", "device time, without gaps"], ["true", "true time"]]} change={(value) => { changeAxis(value as AxisName); }} />
        <Select label="Colour by" value={paint} values={[["kind", "compute, transfer, overlap"], ["op", "operator"], ["status", "status"], ["error", "error (ULP)"]]} change={(value) => { setPaint(value as Paint); }} />
        <label>
          Search{" "}
          <input
            type="search" ref={searchBox} value={words} placeholder="op, module"
            onInput={(event) => { setWords(event.currentTarget.value); setOps([]); setAt(-1); }}
            onKeyDown={(event) => { if (event.key === "Enter") stepTo(at + (event.shiftKey ? -1 : 1)); }}
          />
        </label>
        {found && (
          <span class="found" role="status">
            <button type="button" class="tool" aria-label="Previous match" onClick={() => { stepTo(at - 1); }}>←</button>
            <span class="n-of-m">{found.hits.length === 0 ? "no match" : at < 0 ? `${found.hits.length} ${found.hits.length === 1 ? "match" : "matches"}, 0 of ${found.hits.length}` : `${at + 1} of ${found.hits.length}`}</span>
            <button type="button" class="tool" aria-label="Next match" onClick={() => { stepTo(at + 1); }}>→</button>
          </span>
        )}
        {ops.length > 0 && words === "" && <button type="button" class="tool" onClick={() => { setOps([]); }}>{ops.length === 1 ? profile.op(ops[0] ?? -1)?.name : `${ops.length} ops`} of a table ✕</button>}
        <span class="muted small">{time(range.start - axis.shown(origin))} – {time(range.end - axis.shown(origin))}{starts.length > 0 && ` from the start of iteration ${iterationAt(starts, origin).index}`}</span>
      </div>
      <Legend pieces={pieces} end={axes.true.end} />
      {profile.raw.timeline.merged > 0 && (
        <p class="note">The trace has more slices than a page can draw: {profile.raw.timeline.merged} are drawn as parts of their neighbours. `optrace export --to=perfetto` has them all.</p>
      )}
      <div class="timeline">
        <div class="timeline-canvas">
          <canvas
            ref={canvas} tabIndex={0} role="application" aria-label={`Timeline. ${KEYS}`} style={{ width: `${width}px`, height: `${height}px` }}
            onKeyDown={onKey} onWheel={onWheel} onMouseMove={onMove} onMouseLeave={() => { setHint(""); }}
            onMouseDown={(event) => { drag.current = { x: event.offsetX, range, moved: false }; }}
            onMouseUp={(event) => {
              if (!drag.current?.moved) setChosen(sliceAt(event.offsetX, event.offsetY));
              drag.current = null;
            }}
            onDblClick={(event) => { setRange(zoomed(range, 0.3, Math.max(range.start, shownAt(event.offsetX)), axis.end)); }}
          />
        </div>
        <p class="hint small">{hint || KEYS}</p>
        <Detail profile={profile} starts={starts} device={axes.device} chosen={chosen} choose={choose} />
      </div>
    </>
  );
}
