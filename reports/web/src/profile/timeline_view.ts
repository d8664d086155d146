// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The visible part of the timeline and its drawing: rows of slices on one time axis, on a canvas.
import type { Profile, TimelineRow } from "./data";
import type { Axis, Piece } from "./axis";
import * as colour from "./colour";
import { time } from "./format";

export const ROW = 20;
export const SECTION = 24;
const STRIP = 24; // height of the strip below the axis' figures that shows what the device did
export const AXIS = 46;
const USUAL_LETTER = 6.1; // pixels of a letter in a slice
const NARROW_LETTER = 3;

// Width in pixels of the labels left of the axis.
export function labelsOf(width: number): number {
  return width < 640 ? 104 : 190;
}

export type Paint = "kind" | "op" | "status" | "error";
export interface Range { start: number; end: number }
export interface Chosen { row: number; index: number }

export interface Line { kind: "section" | "row"; y: number; title: string; row: number }

const DEVICE_SECTIONS = ["execution", "devices", "data_transfer"];

// A level of the module path is named by the classes of its modules: "Linear, ReLU".
export function titleOf(row: TimelineRow): string {
  if (!row.raw.title.startsWith("level ")) return row.raw.title;
  const classes = new Set<string>();
  for (let i = 0; i < row.size && classes.size < 4; ++i) {
    for (const id of row.memberIds(i)) {
      const name = row.label(id).split("/").at(-1)?.replace(/\.\d+$/, "").split("[")[0] ?? "";
      if (name && !name.startsWith("<")) classes.add(name);
    }
  }
  const names = [...classes];
  return names.length === 0 ? row.raw.title : `${names.slice(0, 3).join(", ")}${names.length > 3 ? ", …" : ""}`;
}

function isOfDevice(row: TimelineRow): boolean {
  const { section, title } = row.raw;
  return DEVICE_SECTIONS.includes(section) || (section === "overview" && /^(Compute|DMA) Busy$/.test(title));
}

// All rows, or only those of the device.
export function layout(profile: Profile, ofDevice = false): { lines: Line[]; height: number } {
  const lines: Line[] = [];
  let y = AXIS;
  let before = "";
  const places = new Set(profile.rows.map((row) => `${row.raw.device}/${row.raw.core}`));
  profile.rows.forEach((row, index) => {
    if (ofDevice && !isOfDevice(row)) return;
    const { section, sectionTitle, device, core } = row.raw;
    const title = places.size > 1 && DEVICE_SECTIONS.includes(section) ? `${sectionTitle} · device ${device} core ${core}` : sectionTitle;
    if (title !== before) {
      lines.push({ kind: "section", y, title, row: -1 });
      y += SECTION;
      before = title;
    }
    lines.push({ kind: "row", y, title: titleOf(row), row: index });
    y += ROW;
  });
  return { lines, height: y + 6 };
}

// From the first to the last moment on the device, the initial range; compile stages before it may be much longer.
export function onDevice(profile: Profile, axis: Axis): Range {
  if (axis.end !== profile.end) return { start: 0, end: axis.end };
  const rows = profile.rows.filter((row) => DEVICE_SECTIONS.includes(row.raw.section) && row.size > 0);
  if (rows.length === 0) return { start: 0, end: profile.end };
  const start = Math.min(...rows.map((row) => row.start(0)));
  const end = Math.max(...rows.map((row) => row.end(row.size - 1)));
  return { start: Math.max(0, start - (end - start) / 50), end: Math.min(profile.end, end + (end - start) / 50) };
}

interface Theme { text: string; muted: string; line: string; panel: string; background: string; focus: string }

function theme(element: Element): Theme {
  const style = getComputedStyle(element);
  const of = (name: string) => style.getPropertyValue(name).trim();
  return { text: of("--text"), muted: of("--muted"), line: of("--line"), panel: of("--panel"), background: of("--bg"), focus: of("--focus") };
}

// Steps of 1, 2 or 5 times a power of ten.
export function step(range: number, most: number): number {
  const rough = range / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  for (const factor of [1, 2, 5]) if (factor * power >= rough) return factor * power;
  return 10 * power;
}

function colourOf(profile: Profile, row: TimelineRow, index: number, paint: Paint): string {
  const members = row.memberIds(index);
  if (members.length === 0) return colour.OTHER;
  const first = row.label(members[0] ?? 0);
  if (paint === "kind") {
    const { section, title } = row.raw;
    if (section === "execution") return members.length > 1 ? colour.KINDS.overlap : colour.KINDS.compute;
    if (section === "devices") return title === "compute" ? colour.KINDS.compute : colour.KINDS.transfer;
    if (section === "overview" && title === "Compute Busy") return colour.KINDS.compute;
    return section === "data_transfer" || (section === "overview" && title === "DMA Busy") ? colour.KINDS.transfer : colour.QUIET;
  }
  if (paint === "op") return members.length > 1 ? "#6f7782" : colour.ofName(first);
  let worst = -1;
  let status: string | undefined;
  for (const id of members) {
    for (const op of profile.opsOf(row.label(id))) {
      worst = Math.max(worst, profile.ulp(op, "isolated"));
      const own = profile.op(op)?.run?.status;
      if (status === undefined || (own !== undefined && own !== "pass")) status = own;
    }
  }
  if (paint === "status") return colour.ofStatus(status);
  return worst < 0 ? colour.OTHER : colour.ofError(worst);
}

// As much of a text as fits.
function fitted(context: CanvasRenderingContext2D, text: string, room: number): string {
  if (context.measureText(text).width <= room) return text;
  let fits = 1;
  let over = text.length;
  while (fits + 1 < over) {
    const middle = (fits + over) >> 1;
    if (context.measureText(`${text.slice(0, middle)}…`).width > room) over = middle;
    else fits = middle;
  }
  return `${text.slice(0, fits)}…`;
}

// Draws a slice, hatched on demand, with as much of its name as fits.
function drawSlice(context: CanvasRenderingContext2D, x: number, y: number, width: number, fill: string, name: string, hatched: boolean) {
  context.fillStyle = fill;
  context.fillRect(x, y + 1, width, ROW - 3);
  if (hatched && width > 3) {
    context.save();
    context.beginPath();
    context.rect(x, y + 1, width, ROW - 3);
    context.clip();
    context.strokeStyle = "rgba(255,255,255,0.28)";
    context.lineWidth = 2;
    context.beginPath();
    for (let stripe = x - ROW; stripe < x + width; stripe += 7) {
      context.moveTo(stripe, y + ROW);
      context.lineTo(stripe + ROW, y);
    }
    context.stroke();
    context.restore();
  }
  if (width < 24) return;
  const room = width - 8;
  const leaf = name.length > room / USUAL_LETTER ? name.slice(name.lastIndexOf("/") + 1) : name;
  context.fillStyle = colour.inkOn(fill);
  // Measures only as much of a long name as may fit.
  context.fillText(fitted(context, leaf.slice(0, Math.ceil(room / NARROW_LETTER)), room), x + 4, y + ROW / 2);
}

export interface Scene {
  profile: Profile; lines: Line[]; range: Range; axis: Axis; pieces: readonly Piece[];
  origin: number; // the moment at which the figures of the axis are 0
  paint: Paint; chosen: Chosen | null; found: ReadonlySet<number> | null; // label ids
}

export function draw(canvas: HTMLCanvasElement, scene: Scene, width: number, height: number) {
  const context = canvas.getContext("2d");
  if (!context) return;
  const ratio = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  const look = theme(canvas);
  const { profile, lines, range, paint, chosen, found, axis, pieces } = scene;
  const LABELS = labelsOf(width);
  const scale = (width - LABELS) / (range.end - range.start);
  const xOfShown = (at: number) => LABELS + (at - range.start) * scale;
  const xOf = (at: number) => xOfShown(axis.shown(at));
  const first = axis.real(range.start);
  const last = axis.real(range.end);
  const origin = axis.shown(scene.origin);
  context.fillStyle = look.panel;
  context.fillRect(0, 0, width, height);
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  // The axis.
  const distance = step(range.end - range.start, (width - LABELS) / 110);
  context.strokeStyle = look.line;
  context.lineWidth = 1;
  for (let k = Math.ceil((range.start - origin) / distance); origin + k * distance <= range.end; ++k) {
    const x = Math.round(xOfShown(origin + k * distance)) + 0.5;
    context.beginPath();
    context.moveTo(x, 20);
    context.lineTo(x, height);
    context.stroke();
    context.fillStyle = look.muted;
    context.fillText(time(k * distance), x + 3, 13);
  }
  // Draws the activity of the device; each piece is at least a pixel wide.
  context.fillStyle = look.muted;
  context.fillText("Device", 8, STRIP + ROW / 2);
  for (const piece of pieces) {
    if (piece.end <= first || piece.start >= last) continue;
    const x = Math.max(LABELS, xOf(piece.start));
    context.fillStyle = colour.KINDS[piece.kind];
    context.fillRect(x, STRIP + 3, Math.max(1, Math.min(width, xOf(piece.end)) - x), ROW - 7);
  }
  for (const line of lines) {
    if (line.kind === "section") {
      context.fillStyle = look.background;
      context.fillRect(0, line.y, width, SECTION - 2);
      context.fillStyle = look.text;
      context.font = "600 12px system-ui, sans-serif";
      context.fillText(line.title, 8, line.y + SECTION / 2 - 1);
      context.font = "11px system-ui, sans-serif";
      continue;
    }
    const row = profile.rows[line.row];
    if (!row) continue;
    context.save();
    context.beginPath();
    context.rect(LABELS, line.y, width - LABELS, ROW);
    context.clip();
    // Slices narrower than a pixel share one with their neighbours, so that at most one slice a pixel is drawn.
    for (let i = row.at(first); i < row.size && row.start(i) < last;) {
      const x = Math.max(LABELS - 2, xOf(row.start(i)));
      const right = Math.min(width + 2, xOf(row.end(i)));
      const hit = found === null || row.memberIds(i).some((id) => found.has(id));
      context.globalAlpha = hit ? 1 : 0.18;
      const wide = right - x >= 1;
      const slice = wide ? row.slice(i) : null;
      drawSlice(context, x, line.y, Math.max(1, right - x - (right - x > 3 ? 1 : 0)), colourOf(profile, row, i, paint), slice && right - x >= 24 ? slice.name : "", slice !== null && slice.kind !== "op");
      i = wide ? i + 1 : Math.max(i + 1, row.at(axis.real(range.start + (Math.floor(x) + 1 - LABELS) / scale)));
    }
    context.globalAlpha = 1;
    if (chosen?.row === line.row) {
      const x = xOf(row.start(chosen.index));
      context.strokeStyle = look.focus;
      context.lineWidth = 2;
      context.strokeRect(x, line.y + 1, Math.max(2, xOf(row.end(chosen.index)) - x), ROW - 3);
    }
    context.restore();
    context.fillStyle = look.muted;
    context.fillText(fitted(context, line.title, LABELS - 24), 18, line.y + ROW / 2);
  }
  context.strokeStyle = look.line;
  context.beginPath();
  context.moveTo(LABELS - 0.5, AXIS);
  context.lineTo(LABELS - 0.5, height);
  context.stroke();
}

// The transfers in a gap between ops.
export function inGap(profile: Profile, row: TimelineRow, at: number): string {
  const next = row.at(at);
  const from = next > 0 ? row.end(next - 1) : 0;
  const to = next < row.size ? row.start(next) : profile.end;
  const names = new Set<string>();
  for (const other of profile.rows) {
    if (other.raw.section !== "data_transfer" || other.raw.device !== row.raw.device || other.raw.title !== "HLO Ops") continue;
    for (let i = other.at(from); i < other.size && other.start(i) < to && names.size < 4; ++i) {
      for (const id of other.memberIds(i)) names.add(other.label(id));
    }
  }
  const why = names.size > 0 ? `meanwhile transfers: ${[...names].join(", ")}` : "no transfer fills it";
  return `gap of ${time(to - from)}: ${why}`;
}
