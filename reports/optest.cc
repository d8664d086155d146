// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/optest.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "manifests/counts.h"
#include "manifests/json_members.h"
#include "manifests/target.h"
#include "reports/op_label.h"
#include "reports/row_starts.h"
#include "reports/safe_text.h"
#include "reports/summary.h"
#include "support/timestamp.h"

namespace opbyop::reports {
namespace {

using Json = nlohmann::ordered_json;

// The framework op that accounts for most of the row's ops; the op itself where no location tells.
std::string FrameworkOp(const RowResult& row) {
  std::map<std::string, int64_t> counts;
  for (const Origin& origin : row.c->origins) {
    if (origin.model == row.model && !origin.framework_op.empty()) counts[origin.framework_op] += origin.count;
  }
  const auto most =
      std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() ? row.c->op : most->first;
}

OpTestStatus Classify(const RowResult& row) {
  switch (row.status) {
    case Status::kPass:
    case Status::kUnexpectedPass:
      return OpTestStatus::kSuccess;
    case Status::kExpectedFail:
      return ClassifyFailure(row.recorded_status, row.stage);
    default:
      return ClassifyFailure(row.status, row.stage);
  }
}

OpTest FromUnsplit(const Model& model, int64_t start_us) {
  OpTest test;
  test.name = model.name + "__split";
  test.file = model.source;
  test.model = model.name;
  test.frontend = model.frontend.empty() ? "unknown" : model.frontend;
  test.op = "builtin.module";
  test.kind = "Model";
  test.framework_op = "builtin.module";
  test.status = OpTestStatus::kCompileFailed;
  test.message = SafeText(Shorten("split: " + FirstLine(model.error), 500));
  test.start_us = start_us;
  return test;
}

// All five fields are required. Where the compiler does not tell, a tensor is described as it is handed over: dense, in
// the host's memory.
Json TensorDescs(const std::vector<TensorType>& types, const std::vector<Placement>& placements) {
  static const Placement kHandedOver = {"System", "RowMajor", {1, 1}};
  Json list = Json::array();
  for (size_t i = 0; i < types.size(); ++i) {
    const Placement& placement = placements.size() == types.size() ? placements[i] : kHandedOver;
    list.push_back(MakeObject({{"shape", types[i].shape},
                               {"data_type", types[i].dtype},
                               {"buffer_type", placement.memory},
                               {"layout", placement.layout},
                               {"grid_shape", placement.grid}}));
  }
  return list;
}

Json Origins(const RowResult& row) {
  Json list = Json::array();
  for (const Origin& origin : row.c->origins) {
    if (origin.model != row.model) continue;
    list.push_back(MakeObject({{"count", origin.count},
                               {"framework_op", origin.framework_op},
                               {"module_path", origin.module_path},
                               {"locations", origin.locations}}));
  }
  return list;
}

// The worst elements stay out where the output was accepted: they would be most of the file.
Json Metrics(const Comparison& comparison) {
  Json metrics(comparison);
  if (comparison.accepted) metrics.erase("worst");
  return metrics;
}

// How far each row was to go, in the words of tt-torch's CompileDepth: a success is one of that depth.
std::string_view CompileDepth(const RunHeader& header) {
  const bool executes = header.compile_only.empty();
  if (header.mode == "whole") return executes ? "EXECUTE" : "COMPILE";
  return executes ? "EXECUTE_OP_BY_OP" : "COMPILE_OP_BY_OP";
}

Json Config(const RowResult& row, const CaseRecord* found, const RunHeader& header) {
  Json config = MakeObject({{"case", row.c->id},
                            {"target", header.target},
                            {"toolchain", header.toolchain},
                            {"policy", header.policy},
                            {"run", header.run_id},
                            {"status", std::string(ToString(row.status))},
                            {"stage", row.stage},
                            {"ops_in_model", row.ops},
                            {"flops", row.c->flops},
                            {"bytes", row.c->bytes},
                            {"origins", Origins(row)}});
  AddMember(config, "compile_depth", CompileDepth(header));
  if (!header.compile_only.empty()) AddMember(config, "compile_only", SafeText(header.compile_only));
  if (row.expectation) {
    config["baseline"] = {
        {"reason", row.expectation->reason}, {"issue", row.expectation->issue}, {"since", row.expectation->since}};
  }
  if (!found) return config;
  const CaseRecord& record = *found;
  Json stages = Json::object();
  for (const StageRecord& stage : record.stages) {
    Json& ended = stages[stage.name] = MakeObject({{"status", std::string(ToString(stage.status))}, {"ms", stage.ms}});
    if (!stage.diagnostic.empty()) ended["diagnostic"] = stage.diagnostic;
  }
  AddMember(config, "stages", std::move(stages));
  if (!record.comparisons.empty()) {
    Json metrics = Json::array();
    for (const Comparison& comparison : record.comparisons) metrics.push_back(Metrics(comparison));
    AddMember(config, "metrics", std::move(metrics));
  }
  if (record.timing.n > 0) AddMember(config, "timing", nlohmann::json(record.timing));
  AddMember(config, "artifact_bytes", record.artifact_bytes);
  AddMember(config, "peak_rss_kb", record.peak_rss_kb);
  AddMember(config, "attempts", record.attempts);
  AddMember(config, "seed", record.seed);
  if (record.signal != 0) AddMember(config, "signal", record.signal);
  if (!record.cached_from.empty()) AddMember(config, "cached_from", record.cached_from);
  AddMember(config, "repro", record.repro);
  return config;
}

Json Parameters(const Case& c) {
  Json parameters = Json::object();
  for (const auto& [name, value] : c.attributes) parameters[name] = value;
  if (!c.target.empty()) parameters["call_target"] = c.target;
  return parameters;
}

Json ToJson(const OpTest& test, int64_t job_id, const RunHeader& header) {
  const std::string message = test.message.empty() ? CompiledOnly(header) : test.message;
  const bool timed = test.record != nullptr;
  const Placements placements = timed ? test.record->placements : Placements();
  const auto wall_us = static_cast<int64_t>(test.wall_ms * 1000);
  Json json = MakeObject({{"github_job_id", job_id},
                          {"full_test_name", header.target + "/" + test.name},
                          {"test_start_ts", FormatTimestamp(test.start_us)},
                          {"test_end_ts", timed ? Json(FormatTimestamp(test.start_us + wall_us)) : Json()},
                          {"test_duration", timed ? Json(FormatDuration(test.wall_ms)) : Json()},
                          {"test_case_name", test.name},
                          {"filepath", test.file},
                          {"success", test.success},
                          {"skipped", test.skipped},
                          {"message", message.empty() ? Json() : Json(message)},
                          {"config", test.row ? Config(*test.row, test.record, header) : Json()},
                          {"frontend", test.frontend},
                          {"model_name", test.model},
                          {"op_kind", test.kind},
                          {"op_name", test.op},
                          {"framework_op_name", test.framework_op},
                          {"inputs", TensorDescs(test.inputs, placements.inputs)},
                          {"outputs", TensorDescs(test.outputs, placements.outputs)},
                          {"op_params", test.row ? Parameters(*test.row->c) : Json()},
                          {"git_sha", header.git_sha.empty() ? Json() : Json(header.git_sha)}});
  AddMember(json, "status", test.status == OpTestStatus::kNone ? Json() : Json(std::string(ToString(test.status))));
  AddMember(json, "card_type", CardType(header));
  AddMember(json, "backend", header.target);
  return json;
}

}  // namespace

std::string_view ToString(OpTestStatus status) {
  switch (status) {
    case OpTestStatus::kSuccess:
      return "success";
    case OpTestStatus::kCompileFailed:
      return "compile_failed";
    case OpTestStatus::kRunFailed:
      return "run_failed";
    case OpTestStatus::kGoldenFailed:
      return "golden_failed";
    case OpTestStatus::kNone:
      return "";
  }
  return "";
}

OpTestStatus ClassifyFailure(Status status, std::string_view stage) {
  if (!IsFailure(status)) return OpTestStatus::kNone;
  // A reference that dies in `compare` says nothing of the numbers.
  if (stage == kCompareStage) return IsDeath(status) ? OpTestStatus::kRunFailed : OpTestStatus::kGoldenFailed;
  if (stage == kLoadStage || stage == kExecuteStage || stage == kInputsStage) return OpTestStatus::kRunFailed;
  return OpTestStatus::kCompileFailed;
}

std::string CardType(const RunHeader& header) {
  for (const char* key : {"device", "cpu"}) {
    const auto found = header.host.find(key);
    if (found != header.host.end() && !found->second.empty()) return found->second;
  }
  return header.target.empty() ? "unknown" : header.target;
}

bool CountsAsSkipped(Status status) { return SaysNothing(status) || status == Status::kExpectedFail; }

OpTest MakeOpTest(const RowResult& row, const CaseRecord* record, const Model& model, int64_t start_us) {
  OpTest test;
  test.name = row.name;
  test.file = row.c->file;
  test.model = model.name;
  test.frontend = model.frontend.empty() ? "unknown" : model.frontend;
  test.op = row.op;
  test.kind = KindLabel(row.c->kind);
  test.framework_op = FrameworkOp(row);
  test.inputs = row.c->inputs;
  test.outputs = row.c->outputs;
  test.status = Classify(row);
  test.success = row.status == Status::kPass;
  test.skipped = CountsAsSkipped(row.status);
  test.message = Message(row);
  test.start_us = start_us;
  test.wall_ms = record ? record->wall_ms : 0;
  test.row = &row;
  test.record = record;
  return test;
}

void ForEachOpTest(const View& view, const std::function<void(const OpTest&)>& visit) {
  const std::vector<int64_t> starts = UniqueStarts(view);
  int64_t last = ParseTimestamp(view.run->header.start).value_or(0);
  for (size_t i = 0; i < view.rows.size(); ++i) {
    const RowResult& row = view.rows[i];
    visit(MakeOpTest(row, view.RecordOf(row), *view.models[row.model_index].model, starts[i]));
    last = std::max(last, starts[i]);
  }
  for (const Model* model : view.unsplit) visit(FromUnsplit(*model, ++last));
}

std::string OpTestReport::Head(const View&) const { return "["; }

std::string OpTestReport::Row(const OpTest& test, const View& view, bool first) const {
  return (first ? "\n" : ",\n") +
         ToJson(test, job_id_, view.run->header).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string OpTestReport::Tail(const View&) const { return "\n]\n"; }

}  // namespace opbyop::reports
