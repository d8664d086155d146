// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/optrace/sample_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <iterator>

#include "manifests/optrace/trace_file.h"
#include "reports/optrace/operator_table.h"

namespace opbyop::optrace {
namespace {

constexpr int64_t kNs = 1000;  // picoseconds

using Values = std::vector<double>;

struct Matrix {
  int64_t rows, columns;
  Values values;
  double at(int64_t i, int64_t j) const { return values[i * columns + j]; }
};

Matrix Generate(int64_t rows, int64_t columns, const std::function<double(int64_t, int64_t)>& value) {
  Matrix matrix{rows, columns, {}};
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) matrix.values.push_back(static_cast<float>(value(i, j)));
  }
  return matrix;
}

// Fixed numbers in [-0.5, 0.5], like a layer's weights.
Matrix Weights(int64_t rows, int64_t columns, double phase) {
  return Generate(rows, columns, [&](int64_t i, int64_t j) {
    return 0.5 * std::sin(phase + 3.7 * static_cast<double>(i) + 1.3 * static_cast<double>(j));
  });
}

// The rounding of the made-up device, applied to every number that it writes.
double RoundToDevice(double value) {
  auto narrow = static_cast<float>(value);
  uint32_t bits;
  std::memcpy(&bits, &narrow, sizeof bits);
  bits = (bits + 0x40u) & ~0x7Fu;
  std::memcpy(&narrow, &bits, sizeof narrow);
  return narrow;
}

// One op of the network: its entry in the table, its duration, and its computation from earlier results.
struct Step {
  Op op;
  int64_t duration_ps;
  std::function<Matrix(const std::vector<Matrix>&)> compute;
};

TensorType Type(int64_t rows, int64_t columns) { return {{rows, columns}, "f32"}; }

std::vector<Step> Network() {
  const Matrix input = Generate(
      4, 4, [](int64_t i, int64_t j) { return std::cos(0.9 * static_cast<double>(i) - 0.4 * static_cast<double>(j)); });
  std::vector<Step> steps;
  const auto add = [&](std::string hlo, std::string framework, std::string module, int line,
                       std::vector<TensorType> operands, TensorType result, double flops, std::string category,
                       int64_t ns, std::function<Matrix(const std::vector<Matrix>&)> compute) {
    Op op = {.id = static_cast<int64_t>(steps.size()), .hlo = std::move(hlo), .framework = std::move(framework)};
    op.case_id = fmt::format("{}_{}x{}_f32_{:08x}", op.hlo, result.shape[0], result.shape[1], 0x5eed0000 + op.id);
    op.path = {"NN[model]", std::move(module)};
    op.location = fmt::format("ffnn.py:{}", line);
    std::string types;
    for (const TensorType& type : operands) {
      types += (types.empty() ? "" : ", ") + TypeText(type);
      op.bytes += 4.0 * static_cast<double>(type.shape[0] * type.shape[1]);
    }
    op.bytes += 4.0 * static_cast<double>(result.shape[0] * result.shape[1]);
    op.text = fmt::format("stablehlo.{} : ({}) -> {}", op.hlo, types, TypeText(result));
    op.operands = std::move(operands);
    op.results = {std::move(result)};
    op.flops = flops;
    op.category = std::move(category);
    steps.push_back({std::move(op), ns * kNs, std::move(compute)});
  };
  const auto linear = [&](const std::string& module, int line, int64_t in, int64_t out, double phase, int64_t dot_ns,
                          int64_t x) {
    const Matrix weight = Weights(out, in, phase), bias = Weights(1, out, phase + 2);
    const auto first = static_cast<int64_t>(steps.size());
    add("transpose", "aten__permute", module, line, {Type(out, in)}, Type(in, out), 0, "data formatting", 21,
        [=](const auto&) { return Generate(in, out, [&](int64_t i, int64_t j) { return weight.at(j, i); }); });
    add("dot_general", "aten__addmm", module, line, {Type(4, in), Type(in, out)}, Type(4, out),
        2.0 * 4 * static_cast<double>(in * out), "convolution", dot_ns, [=](const auto& all) {
          const Matrix& left = x < 0 ? input : all[x];
          return Generate(4, out, [&](int64_t i, int64_t j) {
            double sum = 0;
            for (int64_t k = 0; k < in; ++k) sum += left.at(i, k) * all[first].at(k, j);
            return sum;
          });
        });
    add("broadcast_in_dim", "aten__addmm", module, line, {Type(1, out)}, Type(4, out), 0, "broadcast", 18,
        [=](const auto&) { return Generate(4, out, [&](int64_t, int64_t j) { return bias.at(0, j); }); });
    add("add", "aten__addmm", module, line, {Type(4, out), Type(4, out)}, Type(4, out), 4.0 * static_cast<double>(out),
        "non-fusion elementwise", 27, [=](const auto& all) {
          return Generate(4, out,
                          [&](int64_t i, int64_t j) { return all[first + 1].at(i, j) + all[first + 2].at(i, j); });
        });
  };
  linear("Linear[layer1]", 14, 4, 4, 0.3, 140, -1);
  add("maximum", "aten__relu", "ReLU[relu]", 15, {Type(4, 4), Type(4, 4)}, Type(4, 4), 16, "non-fusion elementwise",
      276, [](const auto& all) {
        return Generate(4, 4, [&](int64_t i, int64_t j) { return std::max(0.0, all[3].at(i, j)); });
      });
  linear("Linear[layer2]", 16, 4, 2, 1.1, 139, 4);
  add("tanh", "aten__tanh", "Tanh[tanh]", 17, {Type(4, 2)}, Type(4, 2), 8, "non-fusion elementwise", 159,
      [](const auto& all) { return Generate(4, 2, [&](int64_t i, int64_t j) { return std::tanh(all[8].at(i, j)); }); });
  return steps;
}

double UlpsApart(double got, double expected) {
  const double magnitude = std::max(std::fabs(expected), 1.17549435e-38);
  return std::fabs(got - expected) / std::ldexp(1.0, std::ilogb(magnitude) - 23);
}

double Correlation(const Values& a, const Values& b) {
  double mean_a = 0, mean_b = 0, ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i) mean_a += a[i], mean_b += b[i];
  mean_a /= static_cast<double>(a.size()), mean_b /= static_cast<double>(b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return aa == 0 || bb == 0 ? 1 : ab / std::sqrt(aa * bb);
}

OutputCompare Compare(int64_t op, CompareMode mode, const Matrix& cpu, const Matrix& device) {
  OutputCompare compare = {.op = op, .mode = mode};
  Comparison& c = compare.comparison;
  c.dtype = "f32";
  c.elements = static_cast<int64_t>(cpu.values.size());
  double squares = 0, dot = 0, cpu_squares = 0, device_squares = 0;
  for (size_t i = 0; i < cpu.values.size(); ++i) {
    const double expected = cpu.values[i], got = device.values[i], error = std::fabs(got - expected);
    c.max_abs = std::max(c.max_abs, error);
    if (expected != 0) c.max_rel = std::max(c.max_rel, error / std::fabs(expected));
    c.max_ulp = std::max(c.max_ulp, UlpsApart(got, expected));
    squares += error * error, dot += got * expected;
    cpu_squares += expected * expected, device_squares += got * got;
    compare.cpu.push_back(fmt::format("{:.9g}", expected));
    compare.device.push_back(fmt::format("{:.9g}", got));
  }
  c.rmse = std::sqrt(squares / static_cast<double>(c.elements));
  c.cosine = cpu_squares == 0 || device_squares == 0 ? 1 : dot / std::sqrt(cpu_squares * device_squares);
  c.pcc = Correlation(cpu.values, device.values);
  c.rule = "ulp<=128";
  c.bound_ratio = c.max_ulp / 128;
  c.accepted = c.bound_ratio <= 1;
  return compare;
}

class Sampler {
 public:
  explicit Sampler(const SampleOptions& options) : options_(options), steps_(Network()) {
    Header& header = trace_.header;
    header = {.run_id = "sample", .command = {"opbyop", "profile", "ffnn.mlirbc", "--target", "sample"}};
    header.model = "NN";
    header.target = "sample";
    header.toolchain = "sample 1.0";
    header.start = "2026-01-01T00:00:00.000000Z";
    header.devices = {{.id = 0, .name = "sample device", .cores = 1, .peak_gflops = 2, .peak_gb_per_s = 4}};
    header.warmup = 2;
    header.iterations = options.iterations;
  }

  Trace Make() {
    for (const Step& step : steps_) trace_.ops.push_back(step.op);
    Add(-1, Section::kOverview, "Runtime Setup", 900 * kNs);
    for (const Step& step : steps_) {
      for (const auto& [stage, ns] : {std::pair("stablehlo-to-linalg", 700), std::pair("object", 2900)}) {
        Add(step.op.id, Section::kCompile, stage, (ns + 40 * step.op.id) * kNs);
      }
    }
    for (int64_t i = 0; i < options_.iterations; ++i) Iterate(i);
    Judge();
    CompileInOnePiece();
    trace_.footer = Footer{now_, static_cast<int64_t>(trace_.spans.size()), int64_t{4} * 700 * kNs};
    return std::move(trace_);
  }

 private:
  Span& Put(int64_t op, Section section, std::string name, int64_t start, int64_t duration) {
    Span span = {.id = static_cast<int64_t>(trace_.spans.size()), .op = op, .section = section};
    span.name = std::move(name);
    span.start_ps = start;
    span.dur_ps = duration;
    span.iteration = iteration_;
    span.clock = section == Section::kExecution || section == Section::kDataTransfer ? Clock::kDevice : Clock::kHost;
    trace_.spans.push_back(std::move(span));
    return trace_.spans.back();
  }

  void Add(int64_t op, Section section, std::string name, int64_t duration) {
    Put(op, section, std::move(name), now_, duration);
    now_ += duration;
  }

  int64_t FlowOf(int64_t op) const { return iteration_ * static_cast<int64_t>(steps_.size()) + op + 1; }

  // Adds a transfer for the execution of op `user`.
  void Move(int64_t op, int64_t user, std::string name, int64_t start, int64_t duration, double bytes) {
    Span& span = Put(op, Section::kDataTransfer, std::move(name), start, duration);
    span.bytes = bytes;
    span.flow = FlowOf(user);
  }

  void Iterate(int64_t iteration) {
    iteration_ = iteration;
    const int64_t begin = now_;
    Add(-1, Section::kControl, "launch", 120 * kNs);
    // Two queues upload at once.
    Move(-1, 1, "NN[model]/input", now_, 410 * kNs, 64);
    Move(0, 0, "host to device", now_ + 150 * kNs, 520 * kNs, 64);
    Move(5, 5, "host to device", now_ + 670 * kNs, 380 * kNs, 32);
    const int64_t uploads = now_;
    now_ += 1050 * kNs;
    Put(-1, Section::kOverview, "DMA Busy", uploads, now_ - uploads);
    const int64_t computes = now_;
    for (const Step& step : steps_) {
      const int64_t jitter = (step.op.id * 7 + iteration * 3) % 5 - 2;
      const int64_t duration = step.duration_ps * (100 + options_.slower_percent + jitter) / 100;
      // The bias is broadcast on another engine while the product is still being computed.
      const bool beside = step.op.hlo == "broadcast_in_dim";
      Put(step.op.id, Section::kExecution, HloName(step.op), beside ? now_ - duration / 2 : now_, duration).flow =
          FlowOf(step.op.id);
      now_ += (beside ? duration - duration / 2 : duration) + 5 * kNs;
    }
    Put(-1, Section::kOverview, "Compute Busy", computes, now_ - computes);
    const int64_t downloads = now_;
    Move(9, 9, "device to host", now_, 260 * kNs, 32);
    now_ += 260 * kNs;
    Put(-1, Section::kOverview, "DMA Busy", downloads, now_ - downloads);
    for (const Step& step : steps_) {
      Put(step.op.id, Section::kCompare, "reference", now_, 90 * kNs).flow = FlowOf(step.op.id);
      now_ += 90 * kNs;
    }
    Put(-1, Section::kControl, "iteration", begin, now_ - begin);
    now_ += 200 * kNs;
  }

  void Judge() {
    std::vector<Matrix> device, reference;
    for (const Step& step : steps_) {
      Matrix got = step.compute(device);
      const Matrix isolated = got;
      for (double& value : got.values) value = RoundToDevice(value);
      const Matrix accumulated = step.compute(reference);
      trace_.compares.push_back(Compare(step.op.id, CompareMode::kIsolated, isolated, got));
      trace_.compares.push_back(Compare(step.op.id, CompareMode::kAccumulated, accumulated, got));
      device.push_back(got);
      reference.push_back(accumulated);
      std::vector<int64_t> times;
      for (const Span& span : trace_.spans) {
        if (span.section == Section::kExecution && span.op == step.op.id) times.push_back(span.dur_ps);
      }
      std::ranges::sort(times);
      const auto n = static_cast<int64_t>(times.size());
      trace_.runs.push_back(
          {step.op.id, Status::kPass, "compare", "", n, times.front(), times[n / 2], times.back(), times.back()});
    }
  }

  // The instructions of the model in one piece: copies on one engine, the others on another.
  void CompileInOnePiece() {
    constexpr double kArguments = 256;
    const auto add = [&](const char* track, const char* name, const char* category, std::vector<int64_t> ops,
                         std::pair<int64_t, int64_t> ns, double bytes) {
      trace_.instructions.push_back({.track = track,
                                     .name = name,
                                     .category = category,
                                     .ops = std::move(ops),
                                     .start_ps = ns.first * kNs,
                                     .dur_ps = (ns.second - ns.first) * kNs,
                                     .bytes = bytes,
                                     .live_bytes = kArguments + bytes / 2});
    };
    add("copies", "copy-start.1", "copy-start", {}, {0, 400}, 128);
    add("products", "transpose_dot_fusion", "fusion", {1, 0}, {400, 1400}, 192);
    add("copies", "copy-start.2", "copy-start", {}, {900, 1500}, 64);
    add("products", "add_maximum_fusion", "fusion", {4, 2, 3}, {1400, 1700}, 144);
    add("products", "dot.2", "dot", {6, 5}, {1800, 2500}, 112);
    add("products", "tanh_fusion", "fusion", {9, 7, 8}, {2500, 2800}, 72);
  }

  SampleOptions options_;
  std::vector<Step> steps_;
  Trace trace_;
  int64_t now_ = 0;
  int64_t iteration_ = 0;
};

}  // namespace

Trace SampleTrace(const SampleOptions& options) { return Sampler(options).Make(); }

Trace LargeTrace(int64_t spans) {
  constexpr int64_t kOps = 200;
  constexpr const char* kHlo[] = {"dot_general", "add", "maximum", "transpose", "tanh", "reduce", "multiply"};
  Trace trace;
  trace.header = {.run_id = "large", .command = {"sample"}, .model = "large", .target = "sample"};
  trace.header.devices = {{0, "sample device", 2, 1000, 100}};
  for (int64_t i = 0; i < kOps; ++i) {
    Op op = {.id = i, .case_id = fmt::format("case_{}", i), .hlo = kHlo[i % std::size(kHlo)]};
    op.framework = fmt::format("aten__{}", op.hlo);
    op.path = {"Large[model]", fmt::format("Block[{}]", i / 10), fmt::format("Layer[{}]", i % 10 / 5)};
    op.location = fmt::format("large.py:{}", 10 + i);
    op.results = {Type(64, 64)};
    op.flops = 8192;
    op.bytes = 16384;
    trace.ops.push_back(std::move(op));
    trace.runs.push_back({i, Status::kPass, "compare", "", 10, 90, 100, 110, 120});
  }
  trace.spans.reserve(spans);
  int64_t now = 0;
  for (int64_t i = 0; i < spans; ++i) {
    const bool transfer = i % 10 == 9;
    const int64_t duration = (100 + i * 7919 % 397) * kNs;
    const int64_t op = i % kOps;
    Span span = {.id = i, .op = op, .section = transfer ? Section::kDataTransfer : Section::kExecution};
    span.core = i / kOps % 2;
    span.name = transfer ? "host to device" : HloName(trace.ops[op]);
    span.start_ps = i % 7 == 6 ? now - 50 * kNs : now;
    span.dur_ps = duration;
    span.iteration = i / kOps;
    span.clock = Clock::kDevice;
    trace.spans.push_back(std::move(span));
    now += duration;
  }
  trace.footer = Footer{now, spans, 0};
  return trace;
}

Expected<void> WriteTrace(const Trace& trace, const std::filesystem::path& path) {
  auto writer = TraceWriter::Create(path, trace.header);
  if (!writer) return Unexpected(writer.error());
  const auto write_all = [&](const auto& records) -> Expected<void> {
    for (const auto& record : records) {
      if (auto written = (*writer)->Write(record); !written) return written;
    }
    return {};
  };
  if (auto done = write_all(trace.ops); !done) return done;
  if (auto done = write_all(trace.spans); !done) return done;
  if (auto done = write_all(trace.runs); !done) return done;
  if (auto done = write_all(trace.compares); !done) return done;
  if (auto done = write_all(trace.instructions); !done) return done;
  if (auto done = write_all(trace.warnings); !done) return done;
  return trace.footer ? (*writer)->Write(*trace.footer) : Expected<void>{};
}

}  // namespace opbyop::optrace
