// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiles LLVM IR to object code in memory.
//
//   Expected<ObjectCompiler> compiler = ObjectCompiler::Create("function(early-cse,loop-vectorize)");
//   Expected<std::string> object = compiler->Compile(*llvm_module);
//
// The target machines and the parsed pass pipeline are made once and serve all modules of a worker. A module with a
// function marked `optnone` is not worth optimizing: it skips the pipeline, and its code is generated quickly.
#ifndef OPBYOP_DEVICE_HOST_OBJECT_COMPILER_H_
#define OPBYOP_DEVICE_HOST_OBJECT_COMPILER_H_

#include <memory>
#include <string>
#include <string_view>

#include "support/expected.h"

namespace llvm {
class Module;
}

namespace opbyop::host {

class ObjectCompiler {
 public:
  // `pipeline` is in the syntax of `opt -passes=`. Returns kBadInput if LLVM cannot parse it.
  static Expected<ObjectCompiler> Create(std::string_view pipeline);

  ObjectCompiler(ObjectCompiler&&) noexcept;
  ObjectCompiler& operator=(ObjectCompiler&&) noexcept;
  ~ObjectCompiler();

  // Optimizes `module` in place and generates its code.
  Expected<std::string> Compile(llvm::Module& module);

 private:
  struct State;
  explicit ObjectCompiler(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace opbyop::host

#endif  // OPBYOP_DEVICE_HOST_OBJECT_COMPILER_H_
