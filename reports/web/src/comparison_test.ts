// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import assert from "node:assert/strict";
import { test } from "node:test";
import { Comparison, type RawComparison } from "./comparison_data";
import golden from "./testdata/comparison.json";

const RAW: RawComparison = {
  schema: "opbyop-comparison/3",
  statuses: ["pass", "fail", "unsupported"],
  problems: [1],
  runs: ["host", "xla"].map((target) => ({
    target, toolchain: `${target} 1`, link: `${target}/index.html`, complete: true, wall_s: 2, rows: 3,
    counts: [2, 1, 0],
    stages: [
      { name: "parse", passed: 3, reached: 3, median_ms: 0.5 }, { name: "compare", passed: 2, reached: 3, median_ms: 1 },
    ],
  })),
  ops: [
    {
      label: "stablehlo.add", kind: "Eltwise binary",
      cells: [
        { cases: 2, passed: 2, ends: [], bound_ratio: 0.5, median_us: 3, compile_ms: 7 },
        { cases: 2, passed: 2, ends: [], bound_ratio: 0.1, median_us: 2, compile_ms: 20 },
      ],
    },
    {
      label: "stablehlo.fft", kind: "Other",
      cells: [
        { cases: 1, passed: 0, ends: [[1, 1, 1]], bound_ratio: -1, median_us: -1, compile_ms: 4 },
        { cases: 1, passed: 1, ends: [], bound_ratio: 0.2, median_us: 9, compile_ms: 30 },
      ],
    },
  ],
  columns: {
    case: ["id", "op", "dtype", "signature", "outcomes"],
    end: ["status", "stage", "cases"],
    outcome: ["status", "stage", "diagnostic", "bound_ratio", "max_abs", "max_rel", "median_us", "first_call", "compile_ms", "repro"],
  },
  cases: [
    ["add_a", 0, 4, 2, [[0, 0, -1, 0.1, 0, 0, 3, 0, 7, -1], [0, 0, -1, 0.1, 0, 0, 2, 0, 20, -1]]],
    ["add_b", 0, 4, 2, [[0, 0, -1, 0.5, 1, 1, 3, 0, 7, -1], [0, 0, -1, 0.1, 0, 0, 2, 0, 20, -1]]],
    ["fft_c", 1, 4, 2, [[1, 1, 3, -1, 0, 0, -1, 0, 4, 5], [0, 0, -1, 0.2, 0, 0, 9, 1, 30, -1]]],
    ["fft_d", 1, 4, 2, [null, [0, 0, -1, "nan", 0, 0, 9, 0, 30, -1]]],
  ],
  strings: ["compare", "lower", "(4xf32) -> (4xf32)", "no fft", "f32", "opbyop repro bert__{id}"],
};

test("counts speak of rows", () => {
  const data = new Comparison(RAW);
  const [host] = data.runs;
  assert.ok(host);
  assert.equal(data.problems(host), 1);
  assert.equal(data.passed(host), 2);
  assert.deepEqual(host.stages.map((stage) => stage.name), ["parse", "compare"]);
});

test("cells and outcomes are decoded", () => {
  const data = new Comparison(RAW);
  assert.deepEqual(data.ops[0]?.cells[0], {
    cases: 1, passed: 0, ends: [{ status: "fail", stage: "lower", cases: 1 }], boundRatio: -1, medianUs: -1, compileMs: 4,
  });
  assert.equal(data.cases[2]?.outcomes[0]?.diagnostic, "no fft");
  assert.deepEqual(data.cases[2].outcomes.map((each) => each?.firstCall), [false, true]);
  assert.equal(data.cases[3]?.outcomes[0], undefined);
});

test("ops with problems come first, then those that end differently", () => {
  const passes = (cases: number, passed: number, ends: RawComparison["ops"][0]["cells"][0]["ends"]) => ({ cases, passed, ends, bound_ratio: 0, median_us: 1, compile_ms: 1 });
  const op = (label: string, other: ReturnType<typeof passes>) => ({ label, kind: "Other", cells: [passes(2, 2, []), other] });
  const ops = [op("a", passes(2, 2, [])), op("b", passes(2, 1, [[2, 1, 1]])), op("c", passes(2, 1, [[1, 1, 1]])), op("d", passes(2, 0, [[1, 1, 2]]))];
  const data = new Comparison({ ...RAW, ops, cases: [] });
  assert.deepEqual(data.ops.map(({ label, differs }) => [label, differs]), [["d", true], ["c", true], ["b", true], ["a", false]]);
});

test("what ends differently comes first, then what is farthest apart", () => {
  const data = new Comparison(RAW);
  assert.deepEqual(data.select("", false).map((each) => each.id), ["fft_c", "fft_d", "add_b", "add_a"]);
  assert.deepEqual(data.select("", true).map((each) => each.id), ["fft_c", "fft_d"]);
  assert.deepEqual(data.select("stablehlo.add", true), []);
});

test("types of an op are counted on each target", () => {
  const data = new Comparison(RAW);
  assert.deepEqual(data.types("stablehlo.fft"), [
    {
      dtype: "f32", shapes: 1,
      cells: [
        { cases: 1, passed: 0, ends: [{ status: "fail", stage: "lower", cases: 1 }] }, { cases: 2, passed: 2, ends: [] },
      ],
    },
  ]);
});

test("the first case of an end has its command", () => {
  const data = new Comparison(RAW);
  const first = data.first("stablehlo.fft", 0, { status: "fail", stage: "lower", cases: 1 });
  assert.equal(first?.outcomes[0]?.repro, "opbyop repro bert__fft_c");
});

test("another schema is refused", () => {
  assert.throws(() => new Comparison({ ...RAW, schema: "opbyop-comparison/9" }), /opbyop-comparison\/3/);
});

// The data that reports/comparison/comparison_test.cc writes.
test("the data of the other side is read", () => {
  const data = new Comparison(golden);
  assert.deepEqual(data.runs.map((run) => run.target), ["host", "xla"]);
  assert.deepEqual(data.runs[0]?.stages[1], { name: "lower", passed: 1, reached: 3, medianMs: 1 });
  assert.deepEqual(data.ops.map((op) => op.label), ["stablehlo.fft", "stablehlo.tanh"]);
  assert.deepEqual(data.ops[0]?.cells[0], {
    cases: 1, passed: 0, ends: [{ status: "fail", stage: "lower", cases: 1 }], boundRatio: -1, medianUs: -1, compileMs: 2,
  });
  const fft = data.cases.find((each) => each.op === "stablehlo.fft");
  assert.ok(fft);
  assert.ok(fft.differs);
  assert.equal(fft.signature, "(2x3xf32, 2x3xf32) -> (2x3xf32)");
  assert.deepEqual(fft.outcomes[0], {
    status: "fail", stage: "lower", diagnostic: "no fft </script>", boundRatio: -1, maxAbs: 0, maxRel: 0, medianUs: -1, firstCall: false,
    compileMs: 2, repro: "opbyop repro bert__fft_4_f32_00000002",
  });
  assert.equal(fft.outcomes[1]?.maxAbs, 0.5);
});
