// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/ingestion/optest.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "manifests/formats/json_text.h"
#include "manifests/status/counts.h"
#include "manifests/targets/target.h"
#include "reports/summary/summary.h"
#include "reports/view/first_line.h"
#include "reports/view/op_label.h"
#include "reports/view/row_starts.h"
#include "support/text/timestamp.h"

namespace opbyop::reports {
namespace {

// The framework op of most of the row's ops; the op itself if there is no location.
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

// All five fields are required. If the compiler reports nothing, a tensor is described as it is passed: dense, in the
// host's memory.
void WriteTensors(JsonText& json, std::string_view key, const std::vector<TensorType>& types,
                  const std::vector<Placement>& placements) {
  static const Placement kHandedOver = {"System", "RowMajor", {1, 1}};
  json.Key(key);
  json.BeginList();
  for (size_t i = 0; i < types.size(); ++i) {
    const Placement& placement = placements.size() == types.size() ? placements[i] : kHandedOver;
    json.BeginObject();
    json.Member("shape", types[i].shape);
    json.Member("data_type", types[i].dtype);
    json.Member("buffer_type", placement.memory);
    json.Member("layout", placement.layout);
    json.Member("grid_shape", placement.grid);
    json.EndObject();
  }
  json.EndList();
}

void WriteOrigins(JsonText& json, const RowResult& row) {
  json.Key("origins");
  json.BeginList();
  for (const Origin& origin : row.c->origins) {
    if (origin.model != row.model) continue;
    json.BeginObject();
    json.Member("count", origin.count);
    json.Member("framework_op", origin.framework_op);
    json.Member("module_path", origin.module_path);
    json.Member("locations", origin.locations);
    json.EndObject();
  }
  json.EndList();
}

// The depth to which each row was to go, in the words of tt-torch's CompileDepth: a success is one of that depth.
std::string_view CompileDepth(const RunHeader& header) {
  const bool executes = header.compile_only.empty();
  if (header.mode == "whole") return executes ? "EXECUTE" : "COMPILE";
  return executes ? "EXECUTE_OP_BY_OP" : "COMPILE_OP_BY_OP";
}

void WriteRecord(JsonText& json, const CaseRecord& record) {
  json.Key("stages");
  json.BeginObject();
  for (const StageRecord& stage : record.stages) {
    json.Key(stage.name);
    json.BeginObject();
    json.Member("status", ToString(stage.status));
    json.Member("ms", stage.ms);
    if (!stage.diagnostic.empty()) json.Member("diagnostic", stage.diagnostic);
    json.EndObject();
  }
  json.EndObject();
  if (!record.comparisons.empty()) {
    json.Key("metrics");
    json.BeginList();
    for (const Comparison& comparison : record.comparisons) {
      // The elements of accepted outputs would be most of the file, so they are left out.
      Write(json, comparison, comparison.accepted ? WorstElements::kLeftOut : WorstElements::kWritten);
    }
    json.EndList();
  }
  if (record.timing.n > 0) {
    json.Key("timing");
    Write(json, record.timing);
  }
  json.Member("artifact_bytes", record.artifact_bytes);
  json.Member("peak_rss_kb", record.peak_rss_kb);
  json.Member("attempts", record.attempts);
  json.Member("seed", record.seed);
  if (record.signal != 0) json.Member("signal", record.signal);
  if (const std::string unjudged = UnjudgedPolicies(record); !unjudged.empty()) {
    json.Member("unjudged", SafeText(unjudged));
  }
  if (!record.cached_from.empty()) json.Member("cached_from", record.cached_from);
  json.Member("repro", record.repro);
}

void WriteConfig(JsonText& json, const RowResult& row, const CaseRecord* record, const RunHeader& header) {
  json.BeginObject();
  json.Member("case", row.c->id);
  json.Member("target", header.target);
  json.Member("toolchain", header.toolchain);
  json.Member("policy", header.policy);
  json.Member("run", header.run_id);
  json.Member("status", ToString(row.status));
  json.Member("stage", row.stage);
  json.Member("ops_in_model", row.ops);
  json.Member("flops", row.c->flops);
  json.Member("bytes", row.c->bytes);
  WriteOrigins(json, row);
  json.Member("compile_depth", CompileDepth(header));
  if (!header.compile_only.empty()) json.Member("compile_only", SafeText(header.compile_only));
  if (row.expectation) {
    json.Key("baseline");
    json.BeginObject();
    json.Member("reason", row.expectation->reason);
    json.Member("issue", row.expectation->issue);
    json.Member("since", row.expectation->since);
    json.EndObject();
  }
  if (record) WriteRecord(json, *record);
  json.EndObject();
}

void WriteParameters(JsonText& json, const Case& c) {
  json.BeginObject();
  for (const auto& [name, value] : c.attributes) json.Member(name, value);
  if (!c.target.empty()) json.Member("call_target", c.target);
  json.EndObject();
}

// Writes null instead of an empty text.
void MemberOrNull(JsonText& json, std::string_view key, std::string_view text) {
  json.Key(key);
  if (text.empty()) {
    json.Null();
  } else {
    json.Value(text);
  }
}

void Write(JsonText& json, const OpTest& test, int64_t job_id, const RunHeader& header) {
  static const Placements kNone;
  const bool timed = test.record != nullptr;
  const Placements& placements = timed ? test.record->placements : kNone;
  const auto wall_us = static_cast<int64_t>(test.wall_ms * 1000);
  json.BeginObject();
  json.Member("github_job_id", job_id);
  json.Member("full_test_name", header.target + "/" + test.name);
  json.Member("test_start_ts", FormatTimestamp(test.start_us));
  MemberOrNull(json, "test_end_ts", timed ? FormatTimestamp(test.start_us + wall_us) : "");
  MemberOrNull(json, "test_duration", timed ? FormatDuration(test.wall_ms) : "");
  json.Member("test_case_name", test.name);
  json.Member("filepath", test.file);
  json.Member("success", test.success);
  json.Member("skipped", test.skipped);
  MemberOrNull(json, "message", test.message.empty() ? CompiledOnly(header) : test.message);
  json.Key("config");
  if (test.row) {
    WriteConfig(json, *test.row, test.record, header);
  } else {
    json.Null();
  }
  json.Member("frontend", test.frontend);
  json.Member("model_name", test.model);
  json.Member("op_kind", test.kind);
  json.Member("op_name", test.op);
  json.Member("framework_op_name", test.framework_op);
  WriteTensors(json, "inputs", test.inputs, placements.inputs);
  WriteTensors(json, "outputs", test.outputs, placements.outputs);
  json.Key("op_params");
  if (test.row) {
    WriteParameters(json, *test.row->c);
  } else {
    json.Null();
  }
  MemberOrNull(json, "git_sha", header.git_sha);
  MemberOrNull(json, "status", ToString(test.status));
  json.Member("card_type", CardType(header));
  json.Member("backend", header.target);
  json.EndObject();
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
  // A reference that dies in `compare` shows nothing about the numbers.
  if (stage == kCompareStage) return IsDeath(status) ? OpTestStatus::kRunFailed : OpTestStatus::kGoldenFailed;
  if (stage == kLoadStage || stage == kExecuteStage || stage == kInputsStage) return OpTestStatus::kRunFailed;
  return OpTestStatus::kCompileFailed;
}

std::string CardType(const RunHeader& header) {
  const auto of = [](const std::map<std::string, std::string>& facts, const char* key) {
    const auto found = facts.find(key);
    return found == facts.end() ? std::string() : found->second;
  };
  std::string card = of(header.host, "device");
  // The kind of a plugin for this machine's processor is only the word "cpu".
  if (card.empty() && of(header.properties, "platform") != "cpu") card = SafeText(of(header.properties, "device_kind"));
  if (card.empty()) card = of(header.host, "cpu");
  if (card.empty()) card = header.target;
  return card.empty() ? "unknown" : card;
}

bool CountsAsSkipped(Status status) { return IsUnjudged(status) || status == Status::kExpectedFail; }

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
  JsonText json;
  Write(json, test, job_id_, view.run->header);
  return (first ? "\n" : ",\n") + json.Take();
}

std::string OpTestReport::Tail(const View&) const { return "\n]\n"; }

}  // namespace opbyop::reports
