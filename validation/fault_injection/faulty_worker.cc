// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A target worker with one fault: --fault NAME, `none`, or `named`. With `named`, the file `fault` in the case's folder
// names the fault at each execution. --list prints the names.
//
// Its compiler only reads the program; its device evaluates it (validation/fault_injection/faulty_device.h).
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <random>
#include <string_view>

#include "device/partition/partition.h"
#include "device/target_worker.h"
#include "ir/read_module.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/MLIRContext.h"
#include "support/dtype.h"
#include "support/files/file.h"
#include "support/files/npy.h"
#include "validation/fault_injection/faulty_device.h"

namespace opbyop::fault_injection {
namespace {

using device::ResultOf;
using device::StageResult;

class Reader : public device::TargetCompiler {
 public:
  explicit Reader(std::string version) : version_(std::move(version)) {}
  std::string Version() const override { return version_; }

  StageResult Compile(const device::CompileRequest& request, device::StageListener& listener,
                      std::string& artifact) override {
    listener.Begin("parse");
    Expected<std::string> text = request.sharding ? Partitioned(request) : ReadFile(request.file);
    const StageResult result = text ? StageResult{} : ResultOf(text.error());
    if (text) artifact = std::move(*text);
    listener.End("parse", result);
    return result;
  }

 private:
  // The program that each process of a sharded case runs.
  static Expected<std::string> Partitioned(const device::CompileRequest& request) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadModule(request.file, context);
    if (!module) return Unexpected(module.error());
    const Expected<device::Partitioning> done = device::PartitionProgram(**module, *request.sharding);
    if (!done) return Unexpected(done.error());
    std::string text;
    llvm::raw_string_ostream(text) << **module;
    return text;
  }

  std::string version_;
};

class FaultyDevice : public device::TargetDevice {
 public:
  // `named`: the fault is looked up at each execution.
  FaultyDevice(const Fault* fault, bool named) : fault_(fault), named_(named) {}

  bool Divides() const override { return true; }

  StageResult Load(std::string_view artifact) override {
    module_ = nullptr;
    context_ = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
    Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadModuleFromBytes(artifact, "artifact", *context_);
    if (!module) return ResultOf(module.error());
    module_ = std::move(*module);
    return {};
  }

  StageResult Execute(const device::ExecuteRequest& request, Timing& timing) override {
    if (named_) {
      const Expected<std::string> name = ReadFile(request.dir / kFaultFile);
      if (!name) return ResultOf(name.error());
      fault_ = FindFault(*name);
      if (fault_ == nullptr && *name != "none") return {Status::kFail, fmt::format("no fault '{}'", *name)};
    }
    const Expected<mlir::Operation*> entry = reference::EntryOf(module_.get());
    if (!entry) return ResultOf(entry.error());
    reference::Values arguments;
    const auto parameters = (*entry)->getRegion(0).getArguments();
    for (size_t i = 0; i < parameters.size() * static_cast<size_t>(request.grid.processes()); ++i) {
      const mlir::Value argument = parameters[i % parameters.size()];
      const size_t number = request.sharding ? i % parameters.size() : i;
      const Expected<NpyFile> file = ReadNpy(request.dir / fmt::format("input_{}.npy", number));
      if (!file) return ResultOf(file.error());
      const auto type = reference::ElementTypeOf(argument.getType());
      if (!type) return {Status::kUnsupported, "an argument that is no plain tensor"};
      Expected<reference::Tensor> tensor = request.sharding
                                               ? PartOf(*request.sharding, number, *type, *file, i / parameters.size())
                                               : reference::TensorFromBytes(*type, file->shape(), file->bytes());
      if (!tensor) return ResultOf(tensor.error());
      arguments.emplace_back(std::move(*tensor));
    }
    const auto begin = std::chrono::steady_clock::now();
    Expected<std::vector<reference::InputData>> outputs =
        RunFaulty(Shows() ? fault_ : nullptr, module_.get(), arguments, request.grid);
    const double us = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
    if (!outputs) return {Status::kUnsupported, "the program cannot be evaluated: " + outputs.error().message};
    timing = {1, us, us, us};
    if (request.sharding) return WriteJoined(request, std::move(*outputs));
    for (size_t i = 0; i < outputs->size(); ++i) {
      const reference::InputData& output = (*outputs)[i];
      const Expected<void> written =
          WriteNpy(request.dir / fmt::format("output_{}.npy", i),
                   {output.shape, std::string(reference::NameOf(output.type))}, output.bytes);
      if (!written) return ResultOf(written.error());
    }
    return {};
  }

 private:
  static Expected<reference::Tensor> PartOf(const CaseSharding& sharding, size_t input, reference::ElementType type,
                                            const NpyFile& file, size_t process) {
    const TensorType whole{file.shape(), std::string(reference::NameOf(type))};
    const ShardedTensor sharded = Sharded(whole, sharding.inputs[input]);
    return reference::TensorFromBytes(type, ShardShape(whole.shape, sharded.division),
                                      sharded.Take(file.bytes(), static_cast<int64_t>(process)));
  }

  // Whether the fault shows in this execution.
  bool Shows() { return fault_ == nullptr || !fault_->is_rare() || random_() % Fault::kRarity == 0; }

  StageResult WriteJoined(const device::ExecuteRequest& request, std::vector<reference::InputData> results) const {
    const size_t outputs = request.outputs.size();
    for (size_t output = 0; output < outputs; ++output) {
      std::vector<std::vector<std::byte>> parts;
      for (size_t i = output; i < results.size(); i += outputs) parts.push_back(std::move(results[i].bytes));
      const TensorType whole{request.outputs[output].shape, std::string(reference::NameOf(results[output].type))};
      const ShardedTensor sharded = Sharded(whole, request.sharding->outputs[output]);
      if (fault_ != nullptr && fault_->parts) fault_->parts(sharded, parts);
      std::vector<std::byte> joined(static_cast<size_t>(StoredBytes(whole)));
      const Expected<void> done = sharded.Join({parts.begin(), parts.end()}, joined);
      if (!done) return {Status::kFail, fmt::format("output {}: {}", output, done.error().message)};
      const Expected<void> written = WriteNpy(request.dir / fmt::format("output_{}.npy", output), whole, joined);
      if (!written) return ResultOf(written.error());
    }
    return {};
  }

  const Fault* fault_;
  bool named_;
  std::mt19937_64 random_;  // NOLINT(*-msc51-cpp, *-msc32-c): every run has the same executions in which it shows
  std::unique_ptr<mlir::MLIRContext> context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

int Main(int argc, char** argv) {
  const std::string_view option = argc > 1 ? argv[1] : "";
  if (option == "--list") {
    for (const std::vector<Fault>* list : {&Faults(), &MeshFaults(), &ProgramFaults()}) {
      for (const Fault& fault : *list) {
        std::printf("%-32s %s%s\n", fault.name.c_str(), fault.legal ? "(control) " : "", fault.what.c_str());
      }
    }
    return 0;
  }
  const std::string_view name = option == "--fault" && argc == 3 ? argv[2] : "";
  const Fault* fault = FindFault(name);
  const bool named = name == "named";
  if (fault == nullptr && !named && name != "none") {
    std::fprintf(stderr, "usage: faulty_worker --fault NAME|none|named | --list\n");
    return static_cast<int>(ExitCode::kUsage);
  }
  const std::string version = fmt::format("faulty 1.0, fault {}", name);
  device::TargetWorker worker({std::make_unique<Reader>(version), std::make_unique<FaultyDevice>(fault, named)});
  return protocol::ServeWorker(
      {.role = "target", .name = "faulty", .version = version, .devices = Grid::kMostProcesses, .shardings = true},
      worker);
}

}  // namespace
}  // namespace opbyop::fault_injection

int main(int argc, char** argv) { return opbyop::fault_injection::Main(argc, argv); }
