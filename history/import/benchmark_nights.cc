// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/import/benchmark_nights.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <initializer_list>
#include <string_view>

#include "support/files/file.h"
#include "support/files/output_file.h"
#include "support/files/sha256.h"
#include "support/text/timestamp.h"

namespace opbyop::history {
namespace {

namespace fs = std::filesystem;

constexpr size_t kModels = 60;
constexpr int64_t kDayUs = int64_t{24} * 3600 * 1'000'000;
constexpr int64_t kFirstNightUs = 1'793'498'400'000'000;  // 2026-11-01T02:00:00Z

struct Op {
  std::string_view name;
  OpKind kind;
  std::string_view rule;
};

constexpr std::array kOps = {
    Op{"add", OpKind::kElementwiseBinary, "ulp<=1"},
    Op{"multiply", OpKind::kElementwiseBinary, "ulp<=1"},
    Op{"divide", OpKind::kElementwiseBinary, "ulp<=3"},
    Op{"maximum", OpKind::kElementwiseBinary, "bit-exact"},
    Op{"exponential", OpKind::kElementwiseUnary, "ulp<=4"},
    Op{"tanh", OpKind::kElementwiseUnary, "ulp<=5"},
    Op{"negate", OpKind::kElementwiseUnary, "bit-exact"},
    Op{"rsqrt", OpKind::kElementwiseUnary, "ulp<=2"},
    Op{"select", OpKind::kElementwiseTernary, "bit-exact"},
    Op{"reshape", OpKind::kDataMovement, "bit-exact"},
    Op{"transpose", OpKind::kDataMovement, "bit-exact"},
    Op{"slice", OpKind::kDataMovement, "bit-exact"},
    Op{"gather", OpKind::kDataMovement, "bit-exact"},
    Op{"scatter", OpKind::kDataMovement, "bit-exact"},
    Op{"concatenate", OpKind::kDataMovement, "bit-exact"},
    Op{"broadcast_in_dim", OpKind::kBroadcast, "bit-exact"},
    Op{"dot_general", OpKind::kMatmul, "accumulation c=1 n=768 u=2^-24"},
    Op{"convolution", OpKind::kConvolution, "accumulation c=1 n=576 u=2^-24"},
    Op{"reduce", OpKind::kReduction, "accumulation c=1 n=1024 u=2^-24"},
    Op{"reduce_window", OpKind::kReduction, "accumulation c=1 n=9 u=2^-24"},
    Op{"while", OpKind::kControlFlow, "bit-exact"},
    Op{"fft", OpKind::kLinearAlgebra, "accumulation c=4 n=256 u=2^-24"},
};

constexpr std::array kDtypes = {"f32", "f32", "f32", "bf16", "f16", "i32", "i64", "i1", "f64"};
constexpr std::array kStages = {"parse",  "stablehlo-to-linalg", "linalg-to-llvm", "codegen", "load", "execute",
                                "compare"};
constexpr std::array kPolicies = {"domain", "sparse", "edge", "sweep"};

// A random 64-bit number that depends on each of these numbers: a case, a night, a target.
uint64_t Draw(std::initializer_list<uint64_t> of) {
  uint64_t state = 0x9e3779b97f4a7c15;
  for (const uint64_t each : of) {
    state += each + 0x9e3779b97f4a7c15;
    state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9;
    state = (state ^ (state >> 27)) * 0x94d049bb133111eb;
    state ^= state >> 31;
  }
  return state;
}

double Share(uint64_t drawn) { return static_cast<double>(drawn >> 11) * 0x1p-53; }

// Roughly normal, with standard deviation 1.
double Scatter(uint64_t drawn) {
  double sum = 0;
  for (uint64_t i = 0; i < 6; ++i) sum += Share(Draw({drawn, i})) - 0.5;
  return sum * std::sqrt(2.0);
}

enum Purpose : uint64_t { kShape, kModel, kEnding, kEvent, kTime, kError };

// The end of a case that does not pass.
struct Ending {
  Status status;
  size_t stage;
  std::string diagnostic;
};

Ending EndingOf(uint64_t drawn, std::string_view op) {
  const uint64_t variant = (drawn >> 8) % 12;
  switch (drawn % 10) {
    case 0:
    case 1:
      return {Status::kUnsupported, 1, fmt::format("'stablehlo.{}' op has no lowering for layout {}", op, variant)};
    case 2:
    case 3:
      return {Status::kFail, 2, fmt::format("failed to legalize operation 'linalg.{}' in pass {}", op, 'a' + variant)};
    case 4:
      return {Status::kCrash, 3, fmt::format("signal 11: in lane{}::Select", std::string(1 + variant, 'x'))};
    case 5:
      return {Status::kInconclusive, 6, "no rule judges any element"};
    case 6:
      return {Status::kTimeout, 5, "no answer after 20 s"};
    default:
      return {Status::kFail, 6,
              fmt::format("under {}: output 0[{}]: got {:.4f}, expected {:.4f}, 3 of 4096 elements "
                          "beyond their bound ({})",
                          kPolicies[variant % 4], variant, 0.5, 0.25, op)};
  }
}

}  // namespace

BenchmarkNights::BenchmarkNights(size_t rows, std::vector<std::string> targets) : targets_(std::move(targets)) {
  for (size_t i = 0; i < kModels; ++i) {
    Model& model = manifest_.models.emplace_back();
    model.name = fmt::format("model_{:02}", i);
    model.source = model.name + ".mlirbc";
    model.sha256 = Sha256Hex(model.name);
    model.frontend = i % 3 == 0 ? "torch-xla" : "jax";
  }
  size_t made = 0;
  for (uint64_t i = 0; made < rows; ++i) {
    const uint64_t drawn = Draw({kShape, i});
    // A few ops have most of the cases.
    const double share = Share(drawn);
    const Op& op = kOps[static_cast<size_t>(share * share * kOps.size())];
    const std::string dtype = kDtypes[(drawn >> 8) % kDtypes.size()];
    const TensorType type{{1 << ((drawn >> 16) % 4), 1 << ((drawn >> 20) % 10), int64_t(16 + (drawn >> 32) % 1024)},
                          dtype};
    Case c;
    c.op = fmt::format("stablehlo.{}", op.name);
    c.kind = op.kind;
    c.hash = Sha256Hex(std::to_string(i));
    c.id = fmt::format("{}_{}x{}x{}_{}_{}", op.name, type.shape[0], type.shape[1], type.shape[2], dtype,
                       c.hash.substr(0, 8));
    c.id += std::to_string(i);
    c.file = "cases/case.mlir";
    c.inputs = std::vector<TensorType>{type, type};
    c.outputs = std::vector<TensorType>{type};
    c.flops = type.shape[0] * type.shape[1] * type.shape[2];
    c.bytes = 12 * c.flops;
    const size_t models = (drawn >> 48) % 10 == 0 ? 2 + (drawn >> 52) % 3 : 1;
    for (size_t k = 0; k < models && made < rows; ++k, ++made) {
      Origin& origin = c.origins.emplace_back();
      const size_t model = (Draw({kModel, i}) + k) % kModels;
      origin.model = manifest_.models[model].name;
      origin.count = 1 + static_cast<int64_t>((drawn >> 40) % 12);
      origin.framework_op = std::string(op.name);
      origin.module_path = {"Model[model]", fmt::format("Block[layers.{}]", i % 24)};
      origin.locations = {fmt::format("{}.py:{}:{}", origin.model, i % 900, i % 60)};
      manifest_.models[model].ops += origin.count;
    }
    manifest_.cases.push_back(std::move(c));
  }
  manifest_text_ = WriteManifest(manifest_);
  manifest_hash_ = Sha256Hex(manifest_text_);
}

std::string BenchmarkNights::RunId(size_t night, size_t target) { return fmt::format("night-{:03}-{}", night, target); }

CaseRecord BenchmarkNights::RecordOf(size_t index, size_t night, size_t target) const {
  const Case& c = manifest_.cases[index];
  const uint64_t drawn = Draw({kEnding, index, target});
  const std::string op = c.op.substr(c.op.find('.') + 1);
  // One in twenty never passes. One in a thousand ends differently for some nights, and one in five thousand at random.
  const uint64_t event = Draw({kEvent, index, target, night / (2 + index % 5)});
  const bool ends = drawn % 20 == 0 || event % 1000 == 0 || (drawn % 5000 == 1 && Draw({event, night}) % 2 == 0);
  const Ending ending = ends ? EndingOf(drawn >> 16, op) : Ending{Status::kPass, kStages.size() - 1, ""};

  CaseRecord record{.id = c.id, .status = ending.status, .stage = kStages[ending.stage]};
  record.diagnostic = ending.diagnostic;
  const double scale = std::exp(2 * Scatter(drawn) + 0.02 * Scatter(Draw({kTime, index, night, target})) +
                                0.04 * Scatter(Draw({kTime, night, target})));
  for (size_t stage = 0; stage <= ending.stage; ++stage) {
    const Status status = stage == ending.stage ? ending.status : Status::kPass;
    record.stages.push_back({kStages[stage], status, 1.5 * scale * (1 + Share(Draw({drawn, stage}))),
                             status == Status::kPass ? "" : ending.diagnostic});
  }
  record.wall_ms = 12 * scale;
  record.peak_rss_kb = 40'000 + static_cast<int64_t>(drawn % 10'000);
  record.artifact_bytes = 2'000 + static_cast<int64_t>(drawn % 7'000);
  record.start = "2026-11-01T02:00:00.000000+00:00";
  record.repro =
      fmt::format("opbyop repro {}__{} --run=out/nightly --target={}", c.origins.front().model, c.id, targets_[target]);
  if (ending.stage < kStages.size() - 1) return record;

  const double us = 100 * scale;
  record.timing = {10, 0.97 * us, us, 1.3 * us};
  const size_t policies = c.kind == OpKind::kMatmul || c.kind == OpKind::kReduction ? 4 : 1 + index % 3;
  const auto op_of = std::find_if(kOps.begin(), kOps.end(), [&](const Op& each) { return each.name == op; });
  for (size_t policy = 0; policy < policies; ++policy) {
    Comparison& comparison = record.comparisons.emplace_back();
    comparison.dtype = c.outputs.items().front().dtype;
    comparison.elements = c.flops;
    comparison.rule = op_of->rule;
    comparison.policy = kPolicies[policy];
    if (op_of->rule == "bit-exact") continue;
    const double error = Share(Draw({kError, index, policy, target}));
    comparison.bound_ratio = ending.status == Status::kFail && policy == 0 ? 1.5 + error : 0.6 * error;
    comparison.max_abs = 1e-6 * error;
    comparison.max_rel = 1e-7 * error;
    comparison.max_ulp = 3 * error;
    comparison.rmse = 1e-8 * error;
    comparison.accepted = comparison.bound_ratio <= 1;
  }
  return record;
}

Expected<void> BenchmarkNights::Write(const fs::path& folder, size_t night, size_t target) const {
  RunHeader header;
  header.run_id = RunId(night, target);
  header.host = {{"cpu", "AMD EPYC"}, {"cores", "2"}};
  header.target = targets_[target];
  header.toolchain = fmt::format("compiler 1.{}", night / 3);
  header.stages = {kStages.begin(), kStages.end()};
  header.manifest = "manifest.yaml";
  header.manifest_hash = manifest_hash_;
  header.policy = "domain,sparse,edge,sweep";
  header.start = FormatTimestamp(kFirstNightUs + static_cast<int64_t>(night) * kDayUs + static_cast<int64_t>(target));
  header.digest = Sha256Hex(fmt::format("{} {}", night / 3, target));
  Expected<void> done = WriteFile(folder / "cases/case.mlir", "");
  if (done) done = WriteFile(folder / "manifest.yaml", manifest_text_);
  if (!done) return done;
  auto file = OutputFile::Create(folder / "results.jsonl");
  if (!file) return Unexpected(file.error());
  (*file)->Write(ToJsonLine(header) + "\n");
  for (size_t i = 0; i < manifest_.cases.size(); ++i) (*file)->Write(ToJsonLine(RecordOf(i, night, target)) + "\n");
  (*file)->Write(ToJsonLine(RunFooter{{}, 1800, "end"}) + "\n");
  return (*file)->Close();
}

Expected<void> BenchmarkNights::WriteBaseline(const fs::path& folder, size_t target) const {
  return WriteFile(folder / (targets_[target] + ".yaml"), fmt::format(R"yaml(schema: opbyop-baseline/1
target: {}
entries:
  - {{op: stablehlo.fft, stage: stablehlo-to-linalg, status: fail, reason: "no FFT kernel", issue: "https://example.org/1", owner: ana}}
  - {{op: stablehlo.while, stage: linalg-to-llvm, status: fail, reason: "loops of many values", issue: "https://example.org/2", owner: ben}}
  - {{op: stablehlo.scatter, dtype: f64, stage: compare, status: fail, reason: "demoted to f32"}}
)yaml",
                                                                      targets_[target]));
}

}  // namespace opbyop::history
