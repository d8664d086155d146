// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import assert from "node:assert/strict";
import test from "node:test";
import { addressOf, parseAddress } from "./address";
import { activity, deviceAxis, iterationAt } from "./axis";
import { Profile, type RawProfile } from "./data";

function row(section: string, slices: [number, number][], title = "HLO Ops") {
  let last = 0;
  const s = slices.map(([start]) => { const delta = start - last; last = start; return delta; });
  return { section, sectionTitle: section, title, device: 0, core: 0, s, d: slices.map(([start, end]) => end - start), n: slices.map(() => 0), f: [], b: [], w: [] };
}

function profile(...rows: ReturnType<typeof row>[]): Profile {
  return new Profile({ ops: [], compares: [], iterations: [], timeline: { labels: ["a"], merged: 0, rows }, header: { devices: [] } } as unknown as RawProfile);
}

test("what the device did is told apart", () => {
  const pieces = activity(profile(row("execution", [[10, 30], [50, 60]]), row("data_transfer", [[0, 12], [55, 70]]), row("compile", [[100, 900]])));
  assert.deepEqual(pieces, [
    { start: 0, end: 10, kind: "transfer" }, { start: 10, end: 12, kind: "overlap" }, { start: 12, end: 30, kind: "compute" },
    { start: 50, end: 55, kind: "compute" }, { start: 55, end: 60, kind: "overlap" }, { start: 60, end: 70, kind: "transfer" },
  ]);
});

test("device time leaves gaps out and turns back into true time", () => {
  const axis = deviceAxis(activity(profile(row("execution", [[10, 30], [50, 60]]))));
  assert.equal(axis.end, 30);
  assert.deepEqual([0, 10, 20, 30, 40, 50, 60, 99].map(axis.shown), [0, 0, 10, 20, 20, 20, 30, 30]);
  assert.deepEqual([0, 10, 25, 30].map(axis.real), [10, 20, 55, 60]);
  assert.equal(deviceAxis([]).end, 1, "an idle device has an axis too");
  assert.equal(deviceAxis([]).shown(5), 0);
});

test("a moment belongs to the iteration that began last", () => {
  assert.deepEqual(iterationAt([100, 200], 150), { index: 0, start: 100 });
  assert.deepEqual(iterationAt([100, 200], 200), { index: 1, start: 200 });
  assert.deepEqual(iterationAt([100, 200], 50), { index: -1, start: 0 });
  assert.deepEqual(iterationAt([], 50), { index: -1, start: 0 });
});

test("an address keeps what is chosen", () => {
  const address = addressOf("operator-timeline", { axis: "device", slice: "3.17", q: "" });
  assert.equal(address, "#operator-timeline?axis=device&slice=3.17");
  assert.equal(parseAddress(address).view, "operator-timeline");
  assert.equal(parseAddress(address).parameters.get("slice"), "3.17");
  assert.equal(parseAddress("").view, "");
});
