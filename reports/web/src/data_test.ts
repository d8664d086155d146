// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tests the page's data as reports/page/page_data_test.cc writes it.
import assert from "node:assert/strict";
import test from "node:test";
import { Page, type RawPage, SHAPES } from "./data";
import { toneOf } from "./status";
import golden from "./testdata/page.json";

const RAW = golden as unknown as RawPage;
const page = new Page(RAW);

function rowOf(name: string) {
  const row = page.rows.find((each) => each.name === name);
  assert.ok(row, name);
  return row;
}

test("all that is written is read, under the same names", () => {
  for (const [name, shape] of Object.entries(SHAPES)) assert.deepEqual(RAW.columns[name], Object.keys(shape), name);
  assert.equal(Object.keys(RAW.columns).length, Object.keys(SHAPES).length);
});

test("the run says which cases it is of, and where its score card is", () => {
  assert.equal(page.run.suite, "stablehlo 1.0 full");
  assert.equal(page.run.manifest, "abc");
  assert.equal(page.run.score_card, "scorecard");
});

test("the run before says what is newly red, and what is red no more", () => {
  assert.deepEqual(page.before.map((run) => run.id), ["run-0", "run-1"]);
  assert.equal(page.before.at(-1)?.href, "../run-1/index.html");
  assert.deepEqual(page.newlyRed?.map((row) => row.name), ["bert__tanh_4_f32_00000001"]);
  assert.equal(page.fixed, 1);
});

test("without an earlier run nothing is new; if its rows are not kept, it is not known", () => {
  const { before, ...first } = RAW;
  assert.deepEqual(new Page(first).before, []);
  assert.equal(new Page(first).newlyRed, undefined);
  assert.equal(new Page({ ...RAW, before: { runs: before?.runs ?? [] } }).newlyRed, undefined);
});

test("a row says what became of it", () => {
  const row = rowOf("bert__tanh_4_f32_00000001");
  assert.equal(row.op, "stablehlo.tanh");
  assert.equal(page.statuses[row.status], "fail");
  assert.equal(page.stages[row.stage]?.name, "compare");
  assert.equal(row.ops, 2);
  assert.equal(row.diagnostic, "under edge: 1 of 6 elements");
  assert.equal(row.wallMs, 1250);
  assert.equal(row.baseline, undefined);
  assert.match(page.haystack(row), /aten::op nn\/layer1/);
});

test("what the baseline expects comes with its reason and with who fixes it", () => {
  assert.deepEqual(rowOf("bert__sort_4_f32_00000003").baseline, {
    reason: "known", issue: "https://example.org/1", since: "2026-11-01", owner: "ana",
  });
});

test("a row without a record was not run", () => {
  const row = rowOf("bert__abs_4_f32_00000004");
  assert.equal(page.statuses[row.status], "missing");
  assert.equal(row.stage, -1);
  assert.equal(row.wallMs, -1);
  assert.equal(page.detail(row.caseIndex).record, undefined);
});

test("a case that the run did not choose has no data", () => {
  assert.throws(() => page.detail(RAW.cases.indexOf(null)), /no case/);
});

test("a case has its program, or its size and place", () => {
  const { program, file } = page.detail(rowOf("bert__tanh_4_f32_00000001").caseIndex);
  assert.deepEqual(program, { bytes: 15, text: "module { tanh }" });
  assert.equal(page.fileHref(file), "../run/cases/tanh_4_f32_00000001.mlir");
  assert.deepEqual(page.detail(rowOf("nn__fft_4_f32_00000002").caseIndex).program, { bytes: 9000, text: "" });
  assert.equal(page.detail(rowOf("bert__sort_4_f32_00000003").caseIndex).program, undefined);
});

test("where no files are known nothing leads to them", () => {
  const run = { ...RAW.run, files: "" };
  assert.equal(new Page({ ...RAW, run }).fileHref("cases/a.mlir"), undefined);
});

test("the record of a case is decoded", () => {
  const detail = page.detail(rowOf("bert__tanh_4_f32_00000001").caseIndex);
  assert.equal(detail.file, "cases/tanh_4_f32_00000001.mlir");
  assert.equal(detail.signature, "(2x3xf32, 2x3xf32) -> (2x3xf32)");
  assert.deepEqual(detail.attributes, [{ name: "accuracy", value: "#stablehlo.result_accuracy<mode = DEFAULT>" }]);
  assert.equal(detail.flops, 6);
  assert.equal(detail.bytes, 72);
  assert.deepEqual(detail.origins[1], {
    model: 1, count: 2, framework_op: "aten::op", module_path: ["NN", "layer1"], locations: ["model.py:7"],
  });
  const record = detail.record;
  assert.ok(record);
  assert.deepEqual(record.stages.at(-1), {
    name: "compare", status: 1, ms: 1, diagnostic: "under edge: 1 of 6 elements",
  });
  assert.deepEqual(record.timing, { n: 3, min_us: 1, median_us: 2, p95_us: 4, first_call: false });
  assert.deepEqual(record.sets[1], {
    policy: "edge", seed: "9007199254740991", status: 1, stage: "compare", diagnostic: "1 of 6 elements", unbounded: 2,
    judged_nothing: false, twin: "",
  });
  assert.deepEqual(record.stderr_tail, ["one", "two"]);
  assert.equal(record.artifact_bytes, 1000);
  assert.equal(record.peak_rss_kb, 2000);
  assert.deepEqual(record.cost, [{ name: "flops", value: 6 }]);
  assert.deepEqual(record.memory, [{ name: "code", value: 1000 }, { name: "temporaries", value: 0 }]);
  assert.equal(record.attempts, 2);
  assert.equal(record.seed, "18446744073709551615");
  assert.equal(record.worker, 4);
  assert.equal(record.signal, 11);
  assert.equal(record.start, "2026-11-21T10:15:00.123456+00:00");
  assert.equal(record.repro, "opbyop repro tanh_4_f32_00000001");
  assert.equal(record.batched, 50);
  assert.equal(record.cached_from, "20261120T101500Z-3f9a");
  assert.equal(record.differential, "xla: pass, error 0.5 of its bound");
  assert.equal(record.second_comparisons[0]?.bound_ratio, 0.5);
});

test("a comparison is decoded", () => {
  const detail = page.detail(rowOf("bert__tanh_4_f32_00000001").caseIndex);
  assert.deepEqual(detail.record?.comparisons[1], {
    output: 0, dtype: "f32", elements: 6, mismatches: 1, max_abs: "inf", max_rel: 0.25, max_ulp: 3, pcc: "nan", cosine: 0.5,
    rmse: 0.125, nan_mismatches: 1, inf_mismatches: 2, bound_ratio: "inf", rule: "ulp<=5", relaxed: "because",
    constant: true, accepted: false, worst: [{ index: "[0, 1]", got: "nan", expected: "1", bound_ratio: "inf" }],
    policy: "edge", unbounded: 2, judged: "", least_error: 0,
  });
});

test("ops, blockers and gaps are decoded", () => {
  const tanh = page.ops.find((op) => op.label === "stablehlo.tanh");
  assert.equal(tanh?.rows, 2);
  assert.deepEqual(tanh.cells.at(-1), { reached: 2, passed: 0, failed: 2 });
  assert.deepEqual(page.blockers.map((blocker) => [...blocker.of, blocker.diagnostic]), [
    ["stablehlo.tanh", "under edge: 1 of 6 elements"],
    ["stablehlo.abs", "in the manifest, not in the results"],
  ]);
  const gap = page.gaps.find((each) => each.reason === "no fft here");
  assert.ok(gap);
  assert.deepEqual(page.gapOps(gap), [
    {
      op: "stablehlo.fft", cases: 1, rows: 1, ops: 2, shapes: [{ signature: "(2x3xf32, 2x3xf32) -> (2x3xf32)", cases: 1 }],
    },
  ]);
});

test("a cell is red where rows are problems, and only there", () => {
  assert.equal(toneOf(6, 6, 0), "good");
  assert.equal(toneOf(6, 0, 0), "other");
  assert.equal(toneOf(6, 4, 1), "some");
  assert.equal(toneOf(6, 4, 2), "bad");
});
