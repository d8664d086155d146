// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds the folder of device/ that serves a target: one factory per device kind.
//
//   TargetRegistry registry;
//   registry.Add("host", &host::CreateHostTarget);
//   TargetCreation created = registry.Create(target);
//   if (auto* parts = std::get_if<TargetParts>(&created)) Serve(std::move(*parts));
//
// A factory has three outcomes: the parts; Unavailable, if this machine lacks the tool or the chip (the worker does not
// start and says why, and the run ends with kNoInput); an Error, if something is broken.
#ifndef OPBYOP_DEVICE_TARGET_REGISTRY_H_
#define OPBYOP_DEVICE_TARGET_REGISTRY_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <variant>

#include "device/executor.h"
#include "device/target_compiler.h"
#include "device/target_device.h"
#include "manifests/targets/target.h"
#include "support/expected.h"

namespace opbyop::device {

struct TargetParts {
  std::unique_ptr<TargetCompiler> compiler;
  std::unique_ptr<TargetDevice> device;
  std::unique_ptr<Executor> executor;  // loads and executes instead of `device`, which is then null
  // Another device of the same kind, which starts the next execution during the current one. Null: one at a time.
  std::unique_ptr<TargetDevice> spare = {};
};

struct Unavailable {
  std::string reason;  // "ttmlir-opt not found in PATH"
};

using TargetCreation = std::variant<TargetParts, Unavailable, Error>;
using TargetFactory = std::function<TargetCreation(const Target&)>;

class TargetRegistry {
 public:
  // `kind` is the `device: {kind: ...}` of a target file.
  void Add(std::string kind, TargetFactory factory);

  // Returns kBadInput, with the known kinds, if `target.device.kind` is none of them.
  TargetCreation Create(const Target& target) const;

 private:
  std::map<std::string, TargetFactory, std::less<>> factories_;
};

}  // namespace opbyop::device

#endif  // OPBYOP_DEVICE_TARGET_REGISTRY_H_
