// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The host target's compiler: StableHLO to object code for this machine, in process.
//
//   Expected<std::unique_ptr<HostCompiler>> compiler = HostCompiler::Create(target);
//   (*compiler)->Compile(request, listener, artifact);
//
// The target file declares the stages. `parse` and `llvm-to-flatbuffer` are built in (the latter's pipeline is one
// of LLVM's, in the syntax of `opt -passes=`); a stage of any other name is an MLIR pass pipeline over the
// module. Contexts, parsed pipelines and the code generator stay warm from case to case.
#ifndef OPBYOP_DEVICE_HOST_HOST_COMPILER_H_
#define OPBYOP_DEVICE_HOST_HOST_COMPILER_H_

#include <memory>
#include <string>

#include "device/target_compiler.h"
#include "manifests/targets/target.h"
#include "support/expected.h"

namespace mlir {
class DialectRegistry;
}

namespace opbyop::host {

// Registers everything that the host's pipelines may need: dialects, their interfaces for bufferization and inlining,
// and the translation to LLVM IR.
void RegisterHostDialects(mlir::DialectRegistry& registry);

// Registers the same without this project's own dialects (StableHLO among them), for plugins that bring their own.
void RegisterLoweringDialects(mlir::DialectRegistry& registry);

// Registers the passes that the host's pipelines may name: MLIR's and this folder's. Idempotent.
void RegisterPipelinePasses();

class HostCompiler : public device::TargetCompiler {
 public:
  // Returns kBadInput if a pipeline does not parse or a stage has neither a pipeline nor a built-in meaning.
  static Expected<std::unique_ptr<HostCompiler>> Create(const Target& target);
  ~HostCompiler() override;

  std::string Version() const override;
  device::StageResult Compile(const device::CompileRequest& request, device::StageListener& listener,
                              std::string& artifact) override;
  std::string partitioning() const override;

 private:
  struct State;
  explicit HostCompiler(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace opbyop::host

#endif  // OPBYOP_DEVICE_HOST_HOST_COMPILER_H_
