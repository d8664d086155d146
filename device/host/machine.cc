// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/host/machine.h"

#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Target/TargetOptions.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/SubtargetFeature.h>
#include <llvm/TargetParser/Triple.h>

namespace opbyop::host {

const Machine& ThisMachine() {
  static const Machine machine = [] {
    llvm::SubtargetFeatures features;
    for (const auto& [name, enabled] : llvm::sys::getHostCPUFeatures()) {
      // The bf16 conversions of these extensions treat subnormal numbers as zero, even when copying bf16 values.
      const bool flushes = name == "avx512bf16" || name == "avxneconvert";
      features.AddFeature(name, enabled && !flushes);
    }
    return Machine{llvm::sys::getProcessTriple(), llvm::sys::getHostCPUName().str(), features.getString()};
  }();
  return machine;
}

Expected<std::unique_ptr<llvm::TargetMachine>> CreateTargetMachine(CodeEffort effort) {
  static const bool initialized = [] {
    return !llvm::InitializeNativeTarget() && !llvm::InitializeNativeTargetAsmPrinter();
  }();
  const Machine& machine = ThisMachine();
  std::string error;
  const llvm::Triple triple(machine.triple);
  const llvm::Target* target = initialized ? llvm::TargetRegistry::lookupTarget(triple, error) : nullptr;
  if (!target) {
    return MakeError(ExitCode::kInternal,
                     "LLVM has no code generator for this machine (" + machine.triple + "): " + error);
  }
  llvm::TargetOptions options;
  // A product and the sum that uses it may be rounded together once: that is within every derived bound.
  options.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, machine.cpu, machine.features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
      effort == CodeEffort::kFull ? llvm::CodeGenOptLevel::Default : llvm::CodeGenOptLevel::None, /*JIT=*/true));
}

}  // namespace opbyop::host
