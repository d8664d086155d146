// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/view/example_run.h"

#include <utility>

namespace opbyop::reports {

ExampleRun::ExampleRun() {
  manifest.models = {{.name = "bert", .source = "models/bert.mlirbc", .frontend = "jax", .ops = 40},
                     {.name = "nn", .source = "models/nn.mlirbc", .frontend = "torch-xla", .ops = 4}};
  run.header = {.run_id = "20261121T101500Z-3f9a",
                .argv = {"opbyop", "run"},
                .host = {{"cpu", "AMD EPYC 7B13"}, {"cores", "2"}},
                .target = "host",
                .toolchain = "opbyop host 0.1.0",
                .stages = {"parse", "lower", "load", "execute", "compare"},
                .manifest = "manifest.yaml",
                .git_sha = "6fc742d0",
                .policy = "domain",
                .seed = 7,
                .start = "2026-11-21T10:15:00.123456+00:00"};
  run.footer.wall_s = 2.5;
  run.complete = true;
}

Case& ExampleRun::AddCase(const std::string& id, const std::string& op, const std::vector<std::string>& models) {
  Case c{.id = id, .op = op, .file = "cases/" + id + ".mlir", .hash = "00"};
  c.inputs = {{{2, 3}, "f32"}, {{2, 3}, "f32"}};
  c.outputs = {{{2, 3}, "f32"}};
  c.flops = 6;
  c.bytes = 72;
  for (const std::string& model : models) c.origins.push_back({model, 2, {"model.py:7"}, "aten::op", {"NN", "layer1"}});
  manifest.cases.push_back(std::move(c));
  return manifest.cases.back();
}

CaseRecord& ExampleRun::AddRecord(const std::string& id, Status status, const std::string& stage,
                                  const std::string& diagnostic) {
  CaseRecord record{.id = id, .status = status, .stage = stage, .diagnostic = diagnostic};
  for (const std::string& name : run.header.stages) {
    const bool last = name == stage;
    record.stages.push_back({name, last ? status : Status::kPass, 1, last ? diagnostic : ""});
    if (last) break;
  }
  record.wall_ms = 1250;
  record.start = run.header.start;
  record.repro = "opbyop repro " + id;
  run.cases.push_back(std::move(record));
  return run.cases.back();
}

void ExampleRun::Expect(BaselineEntry entry) {
  if (!baseline) baseline.emplace();
  baseline->entries.push_back(std::move(entry));
}

View ExampleRun::MakeView() const { return opbyop::reports::MakeView(manifest, run, baseline ? &*baseline : nullptr); }

ExampleRun EveryStatus(const std::string& hostile) {
  ExampleRun example;
  example.manifest.models.push_back({.name = "cut", .source = "models/cut.mlirbc", .error = "cut off" + hostile});
  const auto add = [&](const std::string& name, Status status, const std::string& stage) {
    Case& c = example.AddCase(name, "stablehlo.add", {"bert", "nn"});
    c.attributes = {{"text" + hostile, hostile}};
    c.outputs.Edit()[0].dtype = "f32" + hostile;
    for (Origin& origin : c.origins) origin.framework_op = origin.module_path[0] = origin.locations[0] = hostile;
    if (status == Status::kMissing) return;
    const bool pass = status == Status::kPass;
    CaseRecord& record = example.AddRecord(name, status, stage, pass ? "" : "why" + hostile);
    Comparison comparison{.dtype = "f32", .elements = 6, .rule = "bit-exact" + hostile, .accepted = pass};
    comparison.worst = {{{0, 1}, "1" + hostile, "2", 3}};
    if (stage == "compare") record.comparisons = {comparison};
    if (!pass) record.stderr_tail = {"log tail" + hostile};
    if (status == Status::kCrash) record.signal = 11;
  };
  add("a_pass", Status::kPass, "compare");
  add("b_fail", Status::kFail, "lower");
  add("c_wrong", Status::kFail, "compare");
  add("d_crash", Status::kCrash, "lower");
  add("e_timeout", Status::kTimeout, "execute");
  add("f_out_of_memory", Status::kOutOfMemory, "execute");
  add("g_unsupported", Status::kUnsupported, "lower");
  add("h_inconclusive", Status::kInconclusive, "compare");
  add("i_skipped", Status::kSkipped, "");
  add("j_flaky", Status::kFlaky, "compare");
  add("k_missing", Status::kMissing, "");
  add("l_expected", Status::kFail, "execute");
  add("m_unexpected", Status::kPass, "compare");
  example.Expect({.ids = {"*__l_*"}, .stage = "execute", .status = Status::kFail, .reason = "known" + hostile});
  example.Expect({.ids = {"*__m_*"}, .stage = "execute", .status = Status::kFail, .reason = "known" + hostile});
  return example;
}

}  // namespace opbyop::reports
