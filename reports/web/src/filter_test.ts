// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import assert from "node:assert/strict";
import test from "node:test";
import { Page, type RawPage } from "./data";
import { candidateKey, EMPTY, fromHash, RowIndex, toHash } from "./filter";
import { bytes, correlation, duration, number, percent } from "./format";

const RAW: RawPage = {
  schema: "opbyop-page/5",
  run: {
    id: "r", target: "host", toolchain: "", policy: "domain", seed: "1", start: "", end: "", wall_s: 1, git_sha: "",
    argv: [], host: {}, properties: {}, complete: true, unmet: [], model_ops: 3, records: 2, unknown_records: 0,
  },
  statuses: ["pass", "fail"],
  problems: [1],
  silent: [],
  gap_lines: [],
  gaps: [],
  stages: [
    { name: "parse", reached: 3, passed: 3, failed: 0, total_ms: 1, median_ms: 1 },
    { name: "compare", reached: 3, passed: 2, failed: 1, total_ms: 1, median_ms: 1 },
  ],
  models: [
    { name: "bert", frontend: "jax", producer: "", source: "", ops: 2, error: "", counts: [1, 1] },
    { name: "nn", frontend: "jax", producer: "", source: "", ops: 1, error: "", counts: [1, 0] },
  ],
  ops: [
    {
      label: "stablehlo.add", kind: "Eltwise binary", cases: 1, counts: [2, 0],
      stages: [{ reached: 2, passed: 2, failed: 0 }, { reached: 2, passed: 2, failed: 0 }],
    },
    {
      label: "stablehlo.tanh", kind: "Eltwise unary", cases: 1, counts: [0, 1],
      stages: [{ reached: 1, passed: 1, failed: 0 }, { reached: 1, passed: 0, failed: 1 }],
    },
  ],
  blockers: [],
  columns: {
    case: ["id", "op", "dtype", "wall_ms", "origins", "detail"],
    detail: ["file", "signature", "attributes", "flops", "bytes", "record", "program"],
    origin: ["model", "count", "framework_op", "module_path", "locations"],
    row: ["case", "model", "status", "stage", "ops", "diagnostic", "baseline"],
  },
  cases: [
    ["add_4_f32_00000001", 0, 4, -1, [[0, 1, 1, [], []], [1, 1, -1, [], []]], "[0,-1,[],4,48,null,null]"],
    ["tanh_4_f32_00000002", 1, 5, -1, [[0, 1, -1, [3], []]], "[0,-1,[],4,32,null,null]"],
  ],
  rows: [[0, 0, 0, 1, 1, -1, null], [0, 1, 0, 1, 1, -1, null], [1, 0, 1, 1, 1, 2, null]],
  strings: ["cases/{id}.mlir", "aten::add", "output 0: 4 of 4 elements", "Dense[layer1]", "f32", "bf16"],
};

const page = new Page(RAW);
const index = new RowIndex(page);
const names = (part: Partial<typeof EMPTY>) => {
  const view = { ...EMPTY, ...part };
  return index.select(index.candidates(view), view).map((row) => row.name);
};

test("candidates are sought again when any of their conditions changes, and not for the order or what is open", () => {
  const other = { query: "x", model: "bert", op: "a", dtype: "f32", stage: "parse", since: true };
  for (const [name, value] of Object.entries(other)) {
    assert.notEqual(candidateKey({ ...EMPTY, [name]: value }), candidateKey(EMPTY), name);
  }
  const rest = { statuses: ["pass"], sort: "op", descending: true, open: "a" } as const;
  assert.equal(candidateKey({ ...EMPTY, ...rest, statuses: [...rest.statuses] }), candidateKey(EMPTY));
  assert.deepEqual([...Object.keys(other), ...Object.keys(rest)].sort(), Object.keys(EMPTY).sort());
});

test("what is newly red is chosen, and stands in the address", () => {
  const red = new Page({ ...RAW, before: { runs: [], red: [] } });
  const view = { ...EMPTY, since: true };
  assert.deepEqual(new RowIndex(red).candidates(view).map((row) => row.name), ["bert__tanh_4_f32_00000002"]);
  assert.deepEqual(names({ since: true }), [], "if it is not known what was red");
  assert.equal(fromHash(`#${toHash(view)}`).since, true);
});

test("a type chooses its rows, and stands in the address", () => {
  assert.deepEqual(names({ dtype: "bf16" }), ["bert__tanh_4_f32_00000002"]);
  assert.deepEqual(page.types, ["bf16", "f32"]);
  assert.equal(fromHash(toHash({ ...EMPTY, dtype: "bf16" })).dtype, "bf16");
});

test("rows are counted by op and type", () => {
  assert.deepEqual(page.typeCells().get("stablehlo.add")?.get("f32"), { rows: 2, passed: 2, problems: 0 });
  assert.deepEqual(page.typeCells().get("stablehlo.tanh")?.get("bf16"), { rows: 1, passed: 0, problems: 1 });
});

test("problem rows come first", () => {
  assert.deepEqual(names({}), ["bert__tanh_4_f32_00000002", "bert__add_4_f32_00000001", "nn__add_4_f32_00000001"]);
});

test("search takes every word, in message, framework op and module path", () => {
  assert.deepEqual(names({ query: "OUTPUT bert" }), ["bert__tanh_4_f32_00000002"]);
  assert.deepEqual(names({ query: "aten::add nn" }), ["nn__add_4_f32_00000001"]);
  assert.deepEqual(names({ query: "layer1" }), ["bert__tanh_4_f32_00000002"]);
  assert.deepEqual(names({ query: "layer1 nn" }), []);
});

test("filters by status, model, op and the stage a row stopped in", () => {
  assert.deepEqual(names({ statuses: ["fail"] }), ["bert__tanh_4_f32_00000002"]);
  assert.deepEqual(names({ model: "nn" }), ["nn__add_4_f32_00000001"]);
  assert.deepEqual(names({ op: "stablehlo.tanh" }), ["bert__tanh_4_f32_00000002"]);
  assert.deepEqual(names({ stage: "compare" }), ["bert__tanh_4_f32_00000002"]);
  assert.deepEqual(names({ stage: "parse" }), []);
});

test("sorting is stable and reversible", () => {
  assert.equal(names({ sort: "model" })[2], "nn__add_4_f32_00000001");
  assert.equal(names({ sort: "model", descending: true })[0], "nn__add_4_f32_00000001");
});

test("the address holds the whole view", () => {
  const view = { ...EMPTY, query: "a & b", statuses: ["fail", "crash"], op: "stablehlo.composite @x.y", sort: "wall" as const, descending: true, open: "r" };
  assert.deepEqual(fromHash(`#${toHash(view)}`), view);
  assert.deepEqual(fromHash("#sort=nonsense"), EMPTY);
  assert.equal(toHash(EMPTY), "");
});

test("the case id is put back into its file name", () => {
  assert.equal(page.detail(0).file, "cases/add_4_f32_00000001.mlir");
});

test("data of another version is refused by name", () => {
  assert.throws(() => new Page({ ...RAW, schema: "opbyop-page/9" }), /opbyop-page\/9/);
});

test("numbers read well and never flatter", () => {
  assert.equal(percent(9999, 10000), "99.9 %");
  assert.equal(percent(0, 0), "–");
  assert.equal(number("nan"), "nan");
  assert.equal(number(1.25e-7), "1.25e-7");
  assert.equal(correlation(1), "1");
  assert.equal(correlation(0.9999999), "1 − 1.0e-7");
  assert.equal(correlation(0.412), "0.412");
  assert.equal(duration(0.25), "250 µs");
  assert.equal(duration(0.00016), "160 ns");
  assert.equal(duration(150_000), "2 min 30 s");
  assert.equal(bytes(1536), "1.5 KiB");
});
