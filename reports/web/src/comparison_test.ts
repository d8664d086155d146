import assert from "node:assert/strict";
import { test } from "node:test";
import { Comparison, type RawComparison } from "./comparison_data";

const RAW: RawComparison = {
  schema: "opbyop-comparison/1",
  statuses: ["pass", "fail", "unsupported"],
  problems: [1],
  runs: ["host", "xla"].map((target) => ({
    target, toolchain: `${target} 1`, link: `${target}/index.html`, complete: true, wall_s: 2, rows: 3,
    counts: [2, 1, 0], stages: ["parse", 3, 3, 0.5, "compare", 2, 3, 1],
  })),
  ops: [
    ["stablehlo.add", "Eltwise binary", [[2, 2, 0, 0, 0.5, 3, 7], [2, 2, 0, 0, 0.1, 2, 20]]],
    ["stablehlo.fft", "Other", [[1, 0, 1, 1, -1, -1, 4], [1, 1, 0, 0, 0.2, 9, 30]]],
  ],
  cases: [
    ["add_a", 0, 2, [[0, 0, -1, 0.1, 0, 0, 3, 7], [0, 0, -1, 0.1, 0, 0, 2, 20]]],
    ["add_b", 0, 2, [[0, 0, -1, 0.5, 1, 1, 3, 7], [0, 0, -1, 0.1, 0, 0, 2, 20]]],
    ["fft_c", 1, 2, [[1, 1, 3, -1, 0, 0, -1, 4], [0, 0, -1, 0.2, 0, 0, 9, 30]]],
    ["fft_d", 1, 2, [0, [0, 0, -1, "nan", 0, 0, 9, 30]]],
  ],
  strings: ["compare", "lower", "(4xf32) -> (4xf32)", "no fft"],
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
  assert.deepEqual(data.ops[1]?.cells[0], {
    cases: 1, passed: 0, worst: "fail", stage: "lower", boundRatio: -1, medianUs: -1, compileMs: 4,
  });
  assert.equal(data.cases[2]?.outcomes[0]?.diagnostic, "no fft");
  assert.equal(data.cases[3]?.outcomes[0], undefined);
});

test("what ends differently comes first, then what lies farthest apart", () => {
  const data = new Comparison(RAW);
  assert.deepEqual(data.select("", false).map((each) => each.id), ["fft_c", "fft_d", "add_b", "add_a"]);
  assert.deepEqual(data.select("", true).map((each) => each.id), ["fft_c", "fft_d"]);
  assert.deepEqual(data.select("stablehlo.add", true), []);
});

test("another schema is refused", () => {
  assert.throws(() => new Comparison({ ...RAW, schema: "opbyop-comparison/9" }), /opbyop-comparison\/1/);
});
