// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import assert from "node:assert/strict";
import test from "node:test";
import { assignColours, inkOn, ofName, PALETTE } from "./colour";
import { frameworkOf, rowsOf, shareOfPeak } from "./compiled";
import { type Instruction, Profile, type RawProfile, TimelineRow } from "./data";
import { csv } from "../csv";
import { figure, ns, share, time } from "./format";
import { histogram, indexOf, printed, shapeOf, ulps } from "./numbers";
import { topParts } from "./pie";
import { layout, step } from "./timeline_view";

const LABELS = ["a", "b", "c"];
const ROW = {
  section: "execution", sectionTitle: "Process Execution", title: "HLO Ops", device: 0, core: 0,
  s: [10, 5, 5, 30], d: [5, 5, 10, 2], n: [0, -1, 1, -2], f: [[0, 0, 1], [2, 7]],
  b: [[1, 1, 2, 0, 0, 15, 20, 10, 15, 1, 1, 15, 15, 15, 15]], w: [7, 0, 2, -9],
};

test("as many names as there are colours have one each, the first named first", () => {
  const names = PALETTE.map((_, at) => `op_${at}`);
  assignColours(["nn/op_0.3", ...names]);
  assert.deepEqual(names.map(ofName), PALETTE);
  assert.equal(ofName("nn/op_0.7"), PALETTE[0]);
  assert.ok(PALETTE.includes(ofName("one more")));
});

test("a name is read on the colour that it stands on", () => {
  assert.deepEqual(["#ffffff", "#ff9da7", "#2f6db5", "#000000", "hsl(60 55% 48%)", "hsl(240 55% 48%)"].map(inkOn), ["#000", "#000", "#fff", "#fff", "#000", "#fff"]);
});

test("a row is decoded", () => {
  const row = new TimelineRow(ROW, LABELS);
  assert.deepEqual([...row.starts], [10, 15, 20, 50]);
  assert.deepEqual([...row.ends], [15, 20, 30, 52]);
  assert.deepEqual(row.slice(1), { start: 15, end: 20, name: "fused_1", members: ["a", "b"], kind: "fused", count: 1 });
  assert.equal(row.slice(3).kind, "merged");
  assert.equal(row.slice(3).count, 7);
});

test("a time finds its slice", () => {
  const row = new TimelineRow(ROW, LABELS);
  assert.deepEqual([0, 12, 15, 30, 51, 52].map((at) => row.at(at)), [0, 0, 1, 3, 3, 4]);
});

test("placements are exact unless the data says otherwise", () => {
  const row = new TimelineRow(ROW, LABELS);
  const a = row.placements(0, "a");
  assert.deepEqual(a.view, { startExact: true, durationExact: true, start: [10, 10], duration: [10, 10] });
  const b = row.placements(2, "b");
  assert.deepEqual(b.view.start, [15, 20]);
  assert.equal(b.view.startExact, false);
  assert.equal(b.clock.startExact, true);
});

test("slices of one execution are joined in order of time", () => {
  const transfer = { ...ROW, section: "data_transfer", sectionTitle: "Process Data Transfer", s: [2], d: [3], n: [2], f: [], b: [], w: [9] };
  const joined = profile([ROW, transfer]);
  assert.deepEqual(joined.ofFlow(9), [{ row: 1, index: 0 }, { row: 0, index: 2 }]);
  assert.deepEqual(joined.ofFlow(7), [{ row: 0, index: 0 }, { row: 0, index: 1 }]);
  assert.deepEqual(joined.ofFlow(0), []);
});

const FUSION: Instruction = { track: 0, name: "fusion.1", category: "fusion", ops: [1, 0], start: 0, time: 5, self: 4, flops: 10, bytes: 20, bound: "memory", live: 0, wire: 0, collective: false };

test("an instruction is of the framework op whose name it has first", () => {
  const ops = [{ name: "add.0", hlo: "add", framework: "aten__add", frameworkPath: "aten__add", time: 1 }, { name: "dot.1", hlo: "dot", framework: "", frameworkPath: "dot", time: 1 }];
  const some = profile([ROW], ops);
  assert.equal(frameworkOf(some, { ...FUSION, ops: [0, 1] }), "aten__add");
  assert.equal(frameworkOf(some, FUSION), "dot", "an op without a framework's name has its own");
  assert.equal(frameworkOf(some, { ...FUSION, ops: [] }), "no op of the model");
});

test("an instruction that a loop executes again is one row", () => {
  const compiled = { tracks: [], regions: [], instructions: [FUSION, { ...FUSION, start: 9, self: 2 }, { ...FUSION, name: "copy.1", ops: [], self: 1 }] };
  assert.deepEqual(rowsOf(profile([ROW]), compiled).map((row) => [row.name, row.count, row.time, row.flops]), [["fusion.1", 2, 6, 20], ["copy.1", 1, 1, 10]]);
});

test("a share of a peak that is not known is none", () => {
  assert.equal(shareOfPeak(500, 1000, 1000), 50, "500 operations in a nanosecond are half of 1,000 GFLOP/s");
  assert.ok(Number.isNaN(shareOfPeak(500, 1000, 0)));
  assert.ok(Number.isNaN(shareOfPeak(500, 0, 1000)));
});

function profile(rows: (typeof ROW)[], ops: object[] = []): Profile {
  const raw = { ops, compares: [], iterations: [], timeline: { labels: LABELS, merged: 0, rows }, header: { devices: [] } };
  return new Profile(raw as unknown as RawProfile);
}

test("sections have a heading each", () => {
  const { lines } = layout(profile([ROW, { ...ROW, title: "level 0" }, { ...ROW, section: "data_transfer", sectionTitle: "Process Data Transfer" }]));
  assert.deepEqual(lines.map((line) => line.kind), ["section", "row", "row", "section", "row"]);
});

test("devices are told apart where there are some", () => {
  const { lines } = layout(profile([ROW, { ...ROW, core: 1 }]));
  assert.equal(lines[2]?.title, "Process Execution · device 0 core 1");
});

test("an empty trace has an axis", () => {
  assert.equal(profile([]).end, 1);
});

test("ticks are 1, 2 or 5 times a power of ten", () => {
  assert.equal(step(1000, 10), 100);
  assert.equal(step(1001, 10), 200);
  assert.equal(step(4500, 10), 500);
});

test("times are read with their unit", () => {
  assert.equal(time(279_000), "279 ns");
  assert.equal(time(1_234_000), "1.234 µs");
  assert.equal(ns(1_234_567), "1,234.567");
  assert.equal(share(1, 4), "25.00 %");
  assert.equal(share(1, 0), "–");
  assert.equal(figure("nan"), "nan");
});

test("ULP are those of the type", () => {
  assert.equal(ulps(1 + 2 ** -23, 1, "f32"), 1);
  assert.equal(ulps(1 + 2 ** -7, 1, "bf16"), 1);
  assert.equal(ulps(7, 4, "i32"), 3);
  assert.equal(ulps(NaN, NaN, "f32"), 0);
  assert.ok(Number.isNaN(ulps(NaN, 1, "f32")));
});

test("tensors are printed as PyTorch prints them", () => {
  assert.deepEqual(shapeOf("tensor<4x2xf32>"), [4, 2]);
  assert.deepEqual(shapeOf("tensor<f32>"), []);
  assert.equal(indexOf(5, [4, 2]), "[2, 1]");
  assert.equal(printed(["0.5", "-1", "nan", "2"], [2, 2], 4), "tensor([[ 0.5000, -1.0000],\n        [    nan,  2.0000]])");
  assert.match(printed(["1"], [8], 8), /7 more elements/);
});

test("a histogram counts by powers of two", () => {
  assert.deepEqual(histogram([0, 0, 1, 3, NaN]).map((bin) => bin.count), [2, 1, 0, 1]);
});

test("the parts of a pie add up", () => {
  const parts = topParts([1, 2, 3, 4, 5].map((value) => ({ name: `p${value}`, time: value })), 2);
  assert.deepEqual(parts.map((part) => part.name), ["p5", "p4", "Other (3)"]);
  assert.equal(parts.reduce((sum, part) => sum + part.time, 0), 15);
});

test("CSV quotes text", () => {
  assert.equal(csv(['a "b"', 1.5]), '"a ""b""",1.5');
  assert.equal(csv(["=1+1", "@A1", "-1+2", "-1.5 %", -1.5]), `"'=1+1","'@A1","'-1+2","-1.5 %",-1.5`);
});
