// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/view/sample_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>

#include "reports/view/page_number.h"
#include "support/files/file.h"
#include "support/files/sha256.h"
#include "support/text/timestamp.h"

namespace opbyop::reports {
namespace {

constexpr int64_t kStart = 1'795'256'100'123'456;  // 2026-11-21T10:15:00.123456

struct ModelShape {
  const char* name;
  const char* frontend;
  std::array<const char*, 3> path;
};

constexpr std::array kModels = {
    ModelShape{"mnist_mlp", "jax", {"MLP", "Dense_0", ""}},
    ModelShape{"flax_bert_base", "jax", {"FlaxBertModel", "encoder", "layer"}},
    ModelShape{"flax_gpt2", "jax", {"FlaxGPT2Model", "h", "attn"}},
    ModelShape{"flax_vit_base", "jax", {"FlaxViTModel", "encoder", "layer"}},
    ModelShape{"flax_resnet50", "jax", {"FlaxResNetModel", "stages", "bottleneck"}},
    ModelShape{"flax_llama_2l", "jax", {"FlaxLlamaModel", "layers", "self_attn"}},
    ModelShape{"tutorial_nn", "torch-xla", {"NN[model]", "Linear[layer1]", ""}},
    ModelShape{"resnet18", "torch-xla", {"ResNet[model]", "Sequential[layer2]", "BasicBlock[0]"}},
    ModelShape{
        "mobilenet_v3_small", "torch-xla", {"MobileNetV3[model]", "Sequential[features]", "InvertedResidual[4]"}},
    ModelShape{"swin_t", "torch-xla", {"SwinTransformer[model]", "SwinTransformerBlock[3]", "Attention[attn]"}},
    ModelShape{"bert_2l", "torch-xla", {"BertModel[model]", "BertEncoder[encoder]", "BertLayer[1]"}},
    ModelShape{"gpt2_2l", "torch-xla", {"GPT2Model[model]", "GPT2Block[0]", "GPT2Attention[attn]"}},
};

struct OpShape {
  const char* op;
  OpKind kind;
  const char* target;
  const char* framework_op;
  int weight;
  int inputs;
  const char* attribute;
  const char* value;
};

constexpr std::array kOps = {
    OpShape{"stablehlo.add", OpKind::kElementwiseBinary, "", "aten::add", 90, 2, "", ""},
    OpShape{"stablehlo.multiply", OpKind::kElementwiseBinary, "", "aten::mul", 80, 2, "", ""},
    OpShape{"stablehlo.subtract", OpKind::kElementwiseBinary, "", "aten::sub", 40, 2, "", ""},
    OpShape{"stablehlo.divide", OpKind::kElementwiseBinary, "", "aten::div", 30, 2, "", ""},
    OpShape{"stablehlo.maximum", OpKind::kElementwiseBinary, "", "aten::relu", 25, 2, "", ""},
    OpShape{"stablehlo.broadcast_in_dim", OpKind::kBroadcast, "", "aten::expand", 160, 1, "broadcast_dimensions",
            "array<i64: 0, 2>"},
    OpShape{"stablehlo.reshape", OpKind::kDataMovement, "", "aten::view", 150, 1, "", ""},
    OpShape{"stablehlo.transpose", OpKind::kDataMovement, "", "aten::permute", 90, 1, "permutation",
            "array<i64: 0, 2, 1, 3>"},
    OpShape{"stablehlo.convert", OpKind::kElementwiseUnary, "", "aten::to", 50, 1, "", ""},
    OpShape{"stablehlo.dot_general", OpKind::kMatmul, "", "aten::addmm", 110, 2, "dot_dimension_numbers",
            "#stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = "
            "[2], rhs_contracting_dimensions = [1]>"},
    OpShape{"stablehlo.convolution", OpKind::kConvolution, "", "aten::convolution", 60, 2, "window_strides",
            "array<i64: 2, 2>"},
    OpShape{"stablehlo.reduce", OpKind::kReduction, "", "aten::sum", 70, 2, "dimensions", "array<i64: 2>"},
    OpShape{"stablehlo.reduce_window", OpKind::kReduction, "", "aten::max_pool2d", 8, 2, "window_dimensions",
            "array<i64: 1, 1, 3, 3>"},
    OpShape{"stablehlo.exponential", OpKind::kElementwiseUnary, "", "aten::softmax", 18, 1, "", ""},
    OpShape{"stablehlo.tanh", OpKind::kElementwiseUnary, "", "aten::tanh", 16, 1, "", ""},
    OpShape{"stablehlo.rsqrt", OpKind::kElementwiseUnary, "", "aten::layer_norm", 22, 1, "", ""},
    OpShape{"stablehlo.logistic", OpKind::kElementwiseUnary, "", "aten::sigmoid", 9, 1, "", ""},
    OpShape{"stablehlo.power", OpKind::kElementwiseBinary, "", "aten::pow", 8, 2, "", ""},
    OpShape{"stablehlo.sine", OpKind::kElementwiseUnary, "", "sin", 4, 1, "", ""},
    OpShape{"stablehlo.cosine", OpKind::kElementwiseUnary, "", "cos", 4, 1, "", ""},
    OpShape{"stablehlo.compare", OpKind::kElementwiseBinary, "", "aten::eq", 26, 2, "comparison_direction",
            "#stablehlo<comparison_direction EQ>"},
    OpShape{"stablehlo.select", OpKind::kElementwiseTernary, "", "aten::where", 30, 3, "", ""},
    OpShape{"stablehlo.clamp", OpKind::kElementwiseTernary, "", "aten::hardtanh", 10, 3, "", ""},
    OpShape{"stablehlo.slice", OpKind::kDataMovement, "", "aten::slice", 44, 1, "start_indices",
            "array<i64: 0, 0, 64>"},
    OpShape{"stablehlo.concatenate", OpKind::kDataMovement, "", "aten::cat", 26, 2, "dimension", "1 : i64"},
    OpShape{"stablehlo.pad", OpKind::kDataMovement, "", "aten::constant_pad_nd", 14, 2, "edge_padding_low",
            "array<i64: 0, 1, 1, 0>"},
    OpShape{"stablehlo.gather", OpKind::kDataMovement, "", "aten::embedding", 18, 2, "slice_sizes",
            "array<i64: 1, 768>"},
    OpShape{"stablehlo.scatter", OpKind::kDataMovement, "", "aten::index_put", 3, 3, "unique_indices", "false"},
    OpShape{"stablehlo.iota", OpKind::kTensorCreation, "", "aten::arange", 8, 0, "iota_dimension", "0 : i64"},
    OpShape{"stablehlo.while", OpKind::kControlFlow, "", "fori_loop", 2, 2, "", ""},
    OpShape{"stablehlo.sort", OpKind::kDataMovement, "", "aten::sort", 3, 1, "dimension", "1 : i64"},
    OpShape{"stablehlo.reverse", OpKind::kDataMovement, "", "aten::flip", 3, 1, "dimensions", "array<i64: 1>"},
    OpShape{"stablehlo.batch_norm_inference", OpKind::kNormalization, "", "aten::batch_norm", 20, 5, "epsilon",
            "9.99999974E-6 : f32"},
    OpShape{"stablehlo.custom_call", OpKind::kCustomCall, "mhlo.erf", "erf", 4, 1, "", ""},
    OpShape{"stablehlo.composite", OpKind::kComposite, "tenstorrent.gelu", "aten::gelu", 5, 1, "composite_attributes",
            "{approximate = \"tanh\"}"},
    OpShape{"chlo.erf", OpKind::kElementwiseUnary, "", "aten::gelu", 6, 1, "", ""},
    OpShape{"stablehlo.rng_bit_generator", OpKind::kRandom, "", "aten::dropout", 1, 1, "rng_algorithm",
            "#stablehlo<rng_algorithm THREE_FRY>"},
};

const std::vector<std::string> kStages = {
    "parse", "stablehlo-to-linalg", "linalg-to-llvm", "llvm-to-flatbuffer", "load", "execute", "compare"};

class Sampler {
 public:
  explicit Sampler(const SampleOptions& options) : options_(options), random_(options.seed) {}

  SampleRun Make() {
    AddModels();
    while (sample_.manifest.cases.size() < options_.cases) AddCase();
    AddHeader();
    size_t count = sample_.manifest.cases.size();
    if (!options_.complete) count -= count / 10;
    for (size_t i = 0; i < count; ++i) AddRecord(sample_.manifest.cases[i]);
    if (options_.complete) AddFooter();
    return std::move(sample_);
  }

 private:
  // The distributions of the standard library differ between implementations; this one does not.
  uint32_t Below(uint32_t limit) { return random_() % limit; }
  double Fraction() { return Below(1'000'000) / 1e6; }

  void AddModels() {
    for (const ModelShape& shape : kModels) {
      Model model;
      model.name = shape.name;
      model.source = fmt::format("fixtures/models/{}.mlirbc", shape.name);
      model.sha256 = Sha256Hex(shape.name);
      model.frontend = shape.frontend;
      model.producer = "StableHLO_v1.13.0";
      if (options_.unsplit_model && model.name == "gpt2_2l") {
        model.error =
            "fixtures/models/gpt2_2l.mlirbc: section 5 is cut off at byte 18432 of 20112: an incomplete copy?";
      }
      sample_.manifest.models.push_back(std::move(model));
    }
  }

  TensorType Type(const OpShape& op) {
    static constexpr std::array<std::array<int64_t, 4>, 8> kShapes = {{{1, 128, 768, 0},
                                                                       {8, 128, 12, 64},
                                                                       {1, 56, 56, 64},
                                                                       {1, 3, 224, 224},
                                                                       {4, 4, 0, 0},
                                                                       {1, 197, 768, 0},
                                                                       {64, 1, 7, 7},
                                                                       {16, 1000, 0, 0}}};
    static constexpr std::array kDtypes = {"f32", "f32", "f32", "bf16", "i32", "f16", "i64"};
    TensorType type;
    for (const int64_t dim : kShapes[Below(kShapes.size())]) {
      if (dim > 0) type.shape.push_back(dim + (dim > 8 && Below(4) == 0 ? Below(5) : 0));
    }
    type.dtype = kDtypes[Below(kDtypes.size())];
    if (std::string_view(op.op) == "stablehlo.compare") type.dtype = "i1";
    return type;
  }

  const OpShape& PickOp() {
    int total = 0;
    for (const OpShape& op : kOps) total += op.weight;
    int at = static_cast<int>(Below(static_cast<uint32_t>(total)));
    for (const OpShape& op : kOps) {
      at -= op.weight;
      if (at < 0) return op;
    }
    return kOps.front();
  }

  void AddCase() {
    const OpShape& op = PickOp();
    Case c;
    c.op = op.op;
    c.kind = op.kind;
    c.target = op.target;
    const TensorType type = Type(op);
    c.inputs.Edit().assign(static_cast<size_t>(op.inputs), type);
    c.outputs = {type};
    std::string dims;
    int64_t elements = 1;
    for (const int64_t dim : type.shape) {
      dims += (dims.empty() ? "" : "x") + std::to_string(dim);
      elements *= dim;
    }
    c.hash = Sha256Hex(fmt::format("{} {}", op.op, random_()));
    c.id = fmt::format("{}_{}_{}_{}", std::string_view(op.op).substr(c.op.find('.') + 1), dims, type.dtype,
                       c.hash.substr(0, 8));
    c.file = fmt::format("cases/{}.mlir", c.id);
    if (*op.attribute) c.attributes[op.attribute] = op.value;
    c.flops = elements * (c.op == "stablehlo.dot_general" ? 2 * type.shape.back() : 1);
    c.bytes = elements * 4 * (op.inputs + 1);
    c.no_runtime_input = op.inputs == 0;
    const uint32_t models = Below(8) == 0 ? 2 + Below(4) : 1;
    std::set<uint32_t> used;
    while (used.size() < models) used.insert(Below(options_.unsplit_model ? kModels.size() - 1 : kModels.size()));
    for (const uint32_t m : used) AddOrigin(c, op, m);
    sample_.manifest.cases.push_back(std::move(c));
  }

  void AddOrigin(Case& c, const OpShape& op, uint32_t m) {
    const ModelShape& model = kModels[m];
    Origin origin;
    origin.model = model.name;
    origin.count = 1 + Below(24);
    origin.framework_op = op.framework_op;
    for (const char* part : model.path) {
      if (*part) origin.module_path.emplace_back(part);
    }
    const bool torch = std::string_view(model.frontend) == "torch-xla";
    for (int64_t i = 0; i < std::min<int64_t>(origin.count, 3); ++i) {
      origin.locations.push_back(
          torch ? fmt::format("torchvision/models/{}.py:{}", model.name, 40 + Below(400))
                : fmt::format("jit(forward)/{}/{}/{}", model.path[0], model.path[1], op.framework_op));
    }
    sample_.manifest.models[m].ops += origin.count;
    c.origins.push_back(std::move(origin));
  }

  void AddHeader() {
    RunHeader& header = sample_.run.header;
    header.run_id = "20261121T101500Z-3f9a";
    header.argv = {"opbyop", "run", "out/nightly", "--target", "host"};
    header.host = {{"cpu", "AMD EPYC 7B13"}, {"cores", "2"}, {"memory_mb", "24064"}, {"os", "Debian GNU/Linux 12"}};
    header.target = "host";
    header.target_file = "manifests/targets/host.yaml";
    header.toolchain = "opbyop host 0.1.0, LLVM 22.1.0";
    header.stages = kStages;
    header.manifest = "manifest.yaml";
    header.git_sha = "6fc742d0b9a7c2f1e8d34a5b6c7d8e9f00112233";
    header.policy = "domain";
    header.seed = 20261121;
    header.start = FormatTimestamp(kStart);
  }

  void AddRecord(const Case& c) {
    CaseRecord record;
    record.id = c.id;
    record.seed = random_();
    record.worker = static_cast<int>(Below(2));
    record.repro = fmt::format("opbyop repro {}__{} --run out/nightly", c.origins.front().model, c.id);
    record.peak_rss_kb = 60'000 + Below(80'000);
    record.start = FormatTimestamp(kStart + static_cast<int64_t>(clock_us_));
    Fill(c, record);
    for (const StageRecord& stage : record.stages) record.wall_ms += stage.ms;
    clock_us_ += record.wall_ms * 1000 / 2;
    sample_.run.cases.push_back(std::move(record));
  }

  // Some ops always fail, some fail in one dtype, and any row may fail occasionally.
  void Fill(const Case& c, CaseRecord& record) {
    const std::string& dtype = c.outputs.front().dtype;
    const uint32_t dice = Below(1000);
    if (c.no_runtime_input)
      return End(c, record, Status::kInconclusive, 6, "no run-time input: the compiler may fold the op away");
    if (c.op == "stablehlo.rng_bit_generator")
      return End(c, record, Status::kUnsupported, 1, "algorithm THREE_FRY is not implemented on this target");
    if (c.op == "stablehlo.scatter") {
      return End(c, record, Status::kFail, 2,
                 fmt::format("cases/{}.mlir:9:8: error: failed to legalize operation 'scf.parallel' that was "
                             "explicitly marked illegal",
                             c.id));
    }
    if (c.op == "stablehlo.sort" && dtype == "bf16")
      return End(c, record, Status::kCrash, 1, "llvm::cast<Ty>() argument of incompatible type!");
    if (c.op == "stablehlo.while")
      return dice < 500 ? End(c, record, Status::kTimeout, 5, "no answer in 10 s") : Pass(c, record);
    if (c.op == "stablehlo.power" && dtype == "f16") return Mismatch(c, record);
    if (c.op == "stablehlo.tanh" && dtype == "bf16") return Mismatch(c, record);
    if (dice < 3) return Mismatch(c, record);
    if (dice < 5)
      return End(c, record, Status::kCrash, 3, "Assertion `isa<RankedTensorType>(type) && \"<bad> & type\"' failed.");
    if (dice == 5)
      return End(c, record, Status::kOutOfMemory, 5, "resident set 8,412 MiB is over the limit of 8,192 MiB");
    if (dice == 6)
      return End(c, record, Status::kFlaky, 5, "failed once (signal 11), then passed alone in a fresh worker");
    if (dice == 7)
      return End(
          c, record, Status::kFail, 1,
          "error: 'linalg.generic' op inferred input/output operand #1 has shape's dimension #0 to be 4, but found 1");
    Pass(c, record);
  }

  void AddStages(CaseRecord& record, size_t last, Status last_status, const std::string& diagnostic) {
    static constexpr std::array kTypical = {0.35, 2.4, 5.1, 3.8, 0.6, 0.4, 1.2};
    for (size_t i = 0; i <= last; ++i) {
      StageRecord stage{kStages[i], Status::kPass, kTypical[i] * (0.5 + Fraction() * Fraction() * 4), ""};
      if (i == last) {
        stage.status = last_status;
        stage.diagnostic = diagnostic;
      }
      record.stages.push_back(std::move(stage));
    }
    record.stage = kStages[last];
    if (last >= 3) {
      record.artifact_bytes = 1800 + Below(9000);
      record.cost = {{"flops", 2048}, {"optimal_seconds", 2.5e-6}};
      record.memory = {{"code", static_cast<double>(record.artifact_bytes)}, {"temporaries", 8192}};
    }
    if (last >= 5 && last_status != Status::kTimeout) {
      const double median = 4 + Fraction() * 900;
      record.timing = {10, median * 0.9, median, median * 1.3};
    }
  }

  Comparison Compare(const Case& c, bool accepted) {
    Comparison comparison;
    comparison.dtype = c.outputs.front().dtype;
    comparison.elements = 1;
    for (const int64_t dim : c.outputs.front().shape) comparison.elements *= dim;
    comparison.rule = c.op == "stablehlo.dot_general" ? "accumulation c=1 n=768 u=2^-24"
                      : c.op == "stablehlo.tanh"      ? "ulp<=5"
                                                      : "bit-exact";
    comparison.accepted = accepted;
    comparison.pcc = accepted ? 1 : 0.41 + Fraction() / 2;
    comparison.cosine = comparison.pcc;
    comparison.max_abs = accepted ? Fraction() * 1e-7 : Fraction() * 3;
    comparison.max_rel = comparison.max_abs * 1.7;
    comparison.max_ulp = accepted ? Below(2) : 1000 + Below(90'000);
    comparison.rmse = comparison.max_abs / 9;
    comparison.bound_ratio = accepted ? Fraction() * 0.8 : 2 + Fraction() * 400;
    if (accepted) return comparison;
    comparison.mismatches = std::max<int64_t>(1, comparison.elements / 37);
    comparison.nan_mismatches = Below(3) == 0 ? 2 : 0;
    for (uint32_t i = 0; i < 5; ++i) {
      std::vector<int64_t> index;
      for (const int64_t dim : c.outputs.front().shape) index.push_back(Below(static_cast<uint32_t>(dim)));
      comparison.worst.push_back({index, fmt::format("{:.6f}", Fraction() * 3), fmt::format("{:.6f}", Fraction()),
                                  comparison.bound_ratio / (i + 1)});
    }
    return comparison;
  }

  void Pass(const Case& c, CaseRecord& record) {
    record.status = Status::kPass;
    AddStages(record, kStages.size() - 1, Status::kPass, "");
    record.comparisons = {Compare(c, true)};
    if (c.op == "stablehlo.logistic") record.comparisons[0].relaxed = "table lookup, issue 12";
  }

  void Mismatch(const Case& c, CaseRecord& record) {
    record.status = Status::kFail;
    record.comparisons = {Compare(c, false)};
    const Comparison& bad = record.comparisons[0];
    record.diagnostic = fmt::format("output 0: {} of {} elements beyond {}: max abs {:.3g}, error / bound {:.3g}",
                                    bad.mismatches, bad.elements, bad.rule, bad.max_abs, bad.bound_ratio);
    AddStages(record, kStages.size() - 1, Status::kFail, record.diagnostic);
  }

  void End(const Case& c, CaseRecord& record, Status status, size_t stage, const std::string& diagnostic) {
    record.status = status;
    record.diagnostic = diagnostic;
    AddStages(record, stage, status == Status::kFlaky ? Status::kPass : status, diagnostic);
    if (status == Status::kInconclusive) record.comparisons = {Compare(c, true)};
    if (status == Status::kFlaky) record.attempts = 2;
    if (status == Status::kTimeout) record.stages.back().ms = 10'000;
    if (status != Status::kCrash) return;
    record.signal = 6;
    record.stderr_tail = {fmt::format("opbyop-worker: lib/Conversion/Lower.cc:118: {}", diagnostic),
                          "PLEASE submit a bug report",
                          "Stack dump:", "0.\tProgram arguments: opbyop-worker --target=manifests/targets/host.yaml",
                          " #4 0x00007f3 mlir::detail::OpToOpPassAdaptor::run(mlir::Pass*, mlir::Operation*)"};
  }

  void AddFooter() {
    RunFooter& footer = sample_.run.footer;
    for (const CaseRecord& record : sample_.run.cases) ++footer.totals[std::string(ToString(record.status))];
    footer.wall_s = clock_us_ / 1e6;
    footer.end = FormatTimestamp(kStart + static_cast<int64_t>(clock_us_));
    sample_.run.complete = true;
  }

  SampleOptions options_;
  std::mt19937 random_;
  SampleRun sample_;
  double clock_us_ = 0;
};

}  // namespace

SampleRun MakeSampleRun(const SampleOptions& options) { return Sampler(options).Make(); }

namespace {

// Looks like a per-op file; some are too large for a page.
std::string ProgramOf(const Case& c, size_t index) {
  constexpr size_t kOneInSoManyIsLarge = 10;
  constexpr size_t kLarge = 20'000;
  std::string text =
      fmt::format("// case {}\nmodule {{\n  func.func @main({}) {{\n    {}\n", c.id, SignatureText(c), c.op);
  if (index % kOneInSoManyIsLarge == 1) text += "    // " + std::string(kLarge, '0') + "\n";
  return text + "  }\n}\n";
}

}  // namespace

Expected<void> WriteSampleRun(SampleRun& sample, const std::filesystem::path& folder) {
  for (size_t i = 0; i < sample.manifest.cases.size(); ++i) {
    const Case& c = sample.manifest.cases[i];
    if (auto done = WriteFile(folder / c.file, ProgramOf(c, i)); !done) return done;
  }
  const std::string manifest = WriteManifest(sample.manifest);
  if (auto done = WriteFile(folder / "manifest.yaml", manifest); !done) return done;
  sample.manifest.hash = sample.run.header.manifest_hash = Sha256Hex(manifest);
  std::string results = ToJsonLine(sample.run.header) + "\n";
  for (const CaseRecord& record : sample.run.cases) results += ToJsonLine(record) + "\n";
  if (sample.run.complete) results += ToJsonLine(sample.run.footer) + "\n";
  return WriteFile(folder / "results.jsonl", results);
}

}  // namespace opbyop::reports
