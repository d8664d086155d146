// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import assert from "node:assert/strict";
import test from "node:test";
import { fromHash, NOWHERE, toHash, viewOf } from "./address";
import { caseOf, History, type RawCases, type RawHistory, type RawRows, type RunFacts } from "./data";
import { dayText, midnights, minuteText } from "./days";
import { reproOf } from "./repro";
import { Cases, filterOf, Rows } from "./rows_data";

const RUN: RunFacts = {
  name: "night-02", series: "host", age: 1, latest: true, started: "2026-11-02T02:00:00Z", target: "host", toolchain: "compiler 2", policy: "domain", mode: "isolated",
  seed: "0", git_sha: "", machine: "", source: "out/night 2", compile_only: "", wall_s: 1, complete: true, partial: false, previous: "night-01", drift: null,
  counts: [2, 1, 1], added: [1, 1], gone: [0, 0], changes: "", page: "",
};
const RAW: RawHistory = {
  schema: "opbyop-history/1", version: "1", cases: 3, chunk: 250, shown_runs: 30, causes: {}, series: [], tables: [],
  statuses: [{ name: "pass", red: false, blocks: false }, { name: "fail", red: true, blocks: true }, { name: "unsupported", red: false, blocks: true }],
  runs: [RUN, { ...RUN, name: "night-01", age: 2, latest: false, previous: "" }],
};
const CASES: RawCases = {
  name: ["add_4_f32_1", "tanh_4_f32_2", "add_8_bf16_3"], op: [0, 1, 0], kind: [-1, -1, -1], dtype: [2, 2, 3], signature: [4, 4, 5], flops: [4, 4, 8], bytes: [1, 1, 1],
  strings: ["stablehlo.add", "stablehlo.tanh", "f32", "bf16", "(4xf32) -> (4xf32)", "(8xbf16) -> (8xbf16)"],
};
const ROWS: RawRows = {
  case: [0, 1, 1, 2], model: [0, 0, 1, 1], status: [0, 1, 0, 2], stage: [2, 3, 2, 3], cause: [-1, 4, -1, 5], ops: [1, 2, 3, 4], reason: [-1, -1, -1, -1], issue: [-1, -1, -1, -1],
  owner: [-1, -1, -1, -1], us: [10, null, 30, null], compile_ms: [1, 2, 3, 4], wall_ms: [4, 3, 2, 1], bound: [0.1, "inf", "nan", null],
  strings: ["bert", "nn__2", "compare", "lower", "g1", "g2"],
};

function rows(): Rows {
  return new Rows(new History(RAW), new Cases(CASES), ROWS);
}

test("an address comes back as it was, whatever stands in it", () => {
  const place = { ...NOWHERE, view: "rows", query: "a&b=c #ü", status: "fail", sort: "-wall", dtype: "f32" };
  assert.deepEqual(fromHash(toHash(place)), place);
  assert.equal(toHash({ view: "rows", dtype: "f32" }), "#view=rows&type=f32");
  assert.deepEqual(fromHash(""), NOWHERE);
});

test("a case is shown before a run before a view", () => {
  assert.equal(viewOf(fromHash("#case=x&run=y&view=rank")), "case");
  assert.equal(viewOf(fromHash("#run=y&view=rank")), "run");
  assert.equal(viewOf(fromHash("#view=rank")), "rank");
  assert.equal(viewOf(fromHash("")), "overview");
  assert.equal(fromHash("#row=bert__add_4_f32_1").case, "bert__add_4_f32_1");
});

test("a row's name leads to its case, even of a model with the separator in its name", () => {
  const { places } = new Cases(CASES);
  assert.equal(caseOf("add_8_bf16_3", places), 2);
  assert.equal(caseOf("nn__2__tanh_4_f32_2", places), 1);
  assert.equal(caseOf("nn__2__nosuch", places), -1);
});

test("data of another version is refused by name", () => {
  assert.throws(() => new History({ ...RAW, schema: "opbyop-history/2" }), /opbyop-history\/2/);
});

test("a run knows its share, what is red in it, and its neighbours", () => {
  const history = new History(RAW);
  assert.equal(history.rowsOf(RUN), 4);
  assert.equal(history.passedOf(RUN), 2);
  assert.equal(history.redOf(RUN), 1);
  assert.equal(history.next(history.run("night-01") ?? RUN)?.name, "night-02");
  assert.equal(history.next(RUN), undefined);
});

test("rows are chosen by all conditions at once", () => {
  const chosen = (hash: string) => rows().candidates(filterOf(fromHash(hash)));
  assert.deepEqual(chosen(""), [0, 1, 2, 3]);
  assert.deepEqual(chosen("#op=stablehlo.add"), [0, 3]);
  assert.deepEqual(chosen("#model=nn__2&type=bf16"), [3]);
  assert.deepEqual(chosen("#stage=compare"), [], "a pass did not stop anywhere");
  assert.deepEqual(chosen("#stage=lower"), [1, 3]);
  assert.deepEqual(chosen("#group=g1"), [1]);
  assert.deepEqual(chosen("#q=TANH+nn"), [2]);
});

test("trouble comes first, numbers go down, and what has none comes last", () => {
  const all = [0, 1, 2, 3];
  assert.deepEqual(rows().sorted(all, ""), [1, 3, 0, 2]);
  assert.deepEqual(rows().sorted(all, "device"), [2, 0, 1, 3]);
  assert.deepEqual(rows().sorted(all, "bound"), [1, 0, 2, 3]);
  assert.deepEqual(rows().sorted(all, "-wall"), [3, 2, 1, 0]);
  assert.deepEqual(rows().sorted(all, "op"), [0, 3, 1, 2]);
  assert.deepEqual(rows().values("dtype"), ["bf16", "f32"]);
  assert.deepEqual(rows().values("model"), ["bert", "nn__2"]);
});

test("the command that repeats a case can be pasted", () => {
  assert.equal(reproOf(RUN, "add_4_f32_1"), "opbyop repro add_4_f32_1 '--run=out/night 2' --target=host --policy=domain");
  assert.match(reproOf({ ...RUN, seed: "7" }, "x"), / --seed=7$/);
});

test("a share may leave rows out", () => {
  const history = new History(RAW);
  assert.equal(history.shareOf(RUN), 0.5);
  assert.equal(history.shareOf(RUN, RUN.added), 1 / 3);
  assert.equal(history.shareOf(RUN, [4, 2]), 0);
});

test("runs of one day are told apart by the minute", () => {
  assert.deepEqual([RUN.started, "2026-11-02T14:30:59Z"].map((time) => minuteText(Date.parse(time))), ["2026-11-02 02:00", "2026-11-02 14:30"]);
});

test("an axis names each day once, at its midnight", () => {
  const at = (text: string) => Date.parse(text);
  const days = (first: string, last: string) => midnights(at(first), at(last), 4).map(dayText);
  assert.deepEqual(days("2026-11-21T10:15:00Z", "2026-11-23T10:15:00Z"), ["2026-11-22", "2026-11-23"]);
  assert.deepEqual(days("2026-11-01T02:00:00Z", "2026-11-30T02:00:00Z"), ["2026-11-08", "2026-11-15", "2026-11-22", "2026-11-29"]);
  assert.deepEqual(days("2026-11-21T10:15:00Z", "2026-11-21T11:15:00Z"), []);
  assert.deepEqual(days("2026-11-21T00:00:00Z", "2026-11-21T00:00:00Z"), ["2026-11-21"]);
});
