// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/worker/compare_cost.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "ir/read_module.h"
#include "reference/eval/evaluator.h"
#include "reference/worker/freed_memory.h"
#include "reference/worker/reference_worker.h"
#include "support/expected.h"
#include "support/files/file.h"
#include "support/files/npy.h"

namespace opbyop::reference {
namespace {

namespace fs = std::filesystem;

// Moves about one value in eight to its neighbour where the bound allows it. A device gives equal values for equal
// operands, so the value decides.
void MoveWithinBounds(Tensor& t) {
  if (t.kind() != ElementKind::kFloat || t.bounds().empty()) return;
  const FloatFormat& format = FormatOf(t.type());
  const std::span<double> values = t.Mutable<double>();
  for (size_t i = 0; i < values.size(); ++i) {
    const auto mixed = std::bit_cast<uint64_t>(values[i]) * 0x9E3779B97F4A7C15;
    if (mixed >> 61 != 0) continue;
    const double moved = RoundTo(format, values[i] + format.Ulp(values[i]));
    if (std::fabs(moved - values[i]) <= t.bounds()[i]) values[i] = moved;
  }
}

// Writes what a right device gives for the inputs in `dir`. Returns the bytes of all files.
Expected<int64_t> WriteOutputs(const fs::path& dir) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto module = ReadModule(dir / "case.mlir", context);
  if (!module) return Unexpected(module.error());
  const Expected<mlir::Operation*> entry = EntryOf(**module);
  if (!entry) return Unexpected(entry.error());
  Values arguments;
  int64_t bytes = 0;
  for (mlir::Value argument : (*entry)->getRegion(0).getArguments()) {
    const Expected<NpyFile> file = ReadNpy(dir / fmt::format("input_{}.npy", arguments.size()));
    if (!file) return Unexpected(file.error());
    Expected<Tensor> tensor = TensorFromBytes(*ElementTypeOf(argument.getType()), file->shape(), file->bytes());
    if (!tensor) return Unexpected(tensor.error());
    bytes += static_cast<int64_t>(file->bytes().size());
    arguments.emplace_back(std::move(*tensor));
  }
  Evaluator evaluator(**module, {.bounds = true});
  Expected<Values> results = evaluator.CallFunction(*entry, std::move(arguments));
  if (!results) return Unexpected(results.error());
  for (size_t i = 0; i < results->size(); ++i) {
    Tensor& output = (*results)[i].tensor();
    MoveWithinBounds(output);
    const std::vector<std::byte> stored = TensorToBytes(output);
    bytes += static_cast<int64_t>(stored.size());
    const Expected<void> written = WriteNpy(dir / fmt::format("output_{}.npy", i), output.tensor_type(), stored);
    if (!written) return Unexpected(written.error());
  }
  return bytes;
}

Expected<CompareCost> MeasureCompare(const std::string& text, const std::string& policy, const fs::path& dir) {
  const Expected<void> written = WriteFile(dir / "case.mlir", text);
  if (!written) return Unexpected(written.error());
  const int sink = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  protocol::StageEvents events(sink, 1);
  ReferenceWorker worker;
  protocol::Request request;
  request.case_id = "case";
  request.file = dir / "case.mlir";
  request.dir = dir;
  request.policy.name = policy;
  request.verb = protocol::InputsVerb{};
  const protocol::Reply inputs = worker.Handle(request, events);
  if (inputs.status != Status::kPass) return MakeError(ExitCode::kInternal, "inputs: " + inputs.diagnostic);
  const Expected<int64_t> bytes = WriteOutputs(dir);
  if (!bytes) return Unexpected(bytes.error());
  request.verb =
      protocol::CompareVerb{.input_digests = inputs.payload.value("input_digests", std::vector<std::string>())};
  const double before = ProcessorNanoseconds();
  const protocol::Reply compared = worker.Handle(request, events);
  const double used = ProcessorNanoseconds() - before;
  ::close(sink);
  if (compared.status != Status::kPass) return MakeError(ExitCode::kInternal, "compare: " + compared.diagnostic);
  return CompareCost{used, *bytes};
}

}  // namespace

double ProcessorNanoseconds() {
  struct rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto time = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_usec) * 1e3;
  };
  return time(usage.ru_utime) + time(usage.ru_stime);
}

CompareBench::CompareBench(std::string program, std::string policy)
    : program_(std::move(program)),
      policy_(std::move(policy)),
      dir_(fs::temp_directory_path() / fmt::format("opbyop-{}-{}", program_, ::getpid())) {
  KeepFreedMemory();
  fs::create_directories(dir_);
}

CompareBench::~CompareBench() {
  std::error_code ignored;
  fs::remove_all(dir_, ignored);
}

std::optional<CompareCost> CompareBench::Measure(const std::string& line, const std::string& text) {
  const Expected<CompareCost> cost = MeasureCompare(text, policy_, dir_);
  if (cost) return *cost;
  fmt::print(stderr, "{}: {}: {}\n", program_, line, cost.error().message);
  failed_ = true;
  return std::nullopt;
}

}  // namespace opbyop::reference
