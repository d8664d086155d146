// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The checks of a plugin's interface. They run before any op, so that no op is blamed for a fault of the interface.
//
//   Subject subject({.plugin = "/path/plugin.so"});
//   for (const Check& check : InterfaceChecks(subject.options())) Verdict verdict = check.run(subject);
//
// A feature that the plugin does not offer is `unsupported`; a check that cannot run because an earlier one failed is
// `skipped`. All checks run in this process; interface_suite.h survives a plugin that crashes.
#ifndef OPBYOP_DEVICE_PJRT_INTERFACE_INTERFACE_CHECK_H_
#define OPBYOP_DEVICE_PJRT_INTERFACE_INTERFACE_CHECK_H_

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/pjrt/client.h"
#include "device/pjrt/plugin.h"
#include "device/pjrt/topology.h"
#include "manifests/status/status.h"

namespace opbyop::pjrt {

struct SubjectOptions {
  std::filesystem::path plugin;
  std::string topology;  // the topology to compile for without a device; empty: there is a client
  NamedValues options;   // options of the client, or of the topology
  // Why there is a client that only compiles: then the checks that need a buffer are skipped. Empty: it executes too.
  std::string compile_only = {};
};

// The plugin under test and the objects that the checks share. Each is created when it is first requested. The error of
// a Result says what is missing.
class Subject {
 public:
  explicit Subject(SubjectOptions options) : options_(std::move(options)) {}

  const SubjectOptions& options() const { return options_; }

  template <typename T>
  using Made = tl::expected<T, std::string>;

  Expected<const Plugin*> OpenPlugin();
  Result<const Client*> CreateClient();
  Result<const LoadedExecutable*> CompileSum();

  // The same for checks that only need the object: the error is the reason of `skipped`.
  Made<const Api*> api();
  Made<const Client*> client();
  Made<Device> device();
  Made<const LoadedExecutable*> sum();

  // Options of a compilation for the first device.
  std::string CompileOptions();

  // Destroys everything except the plugin.
  void Close();

 private:
  SubjectOptions options_;
  std::optional<Expected<Plugin>> plugin_;
  std::optional<Result<Client>> client_;
  std::optional<Result<LoadedExecutable>> sum_;
};

struct Verdict {
  Status status = Status::kPass;
  std::string reason;  // the reason of a pass is what was found
};

Verdict Pass(std::string found = "");
Verdict Fail(std::string reason);
Verdict Skip(std::string reason);

// Returns `unsupported` if the plugin says that it does not support the call, else `fail`.
Verdict VerdictOf(const CallError& error);

struct Check {
  std::string name;     // "buffers.f32"
  bool needed = false;  // if it fails, no op can pass
  std::function<Verdict(Subject&)> run;
  bool on_device = false;  // needs a buffer
};

// The checks of a plugin with a client, or of one that compiles for a topology. Each check comes after those that it
// needs.
std::vector<Check> InterfaceChecks(const SubjectOptions& subject);

// The parts of InterfaceChecks.
std::vector<Check> PluginChecks(bool topology);
std::vector<Check> DeviceChecks();
std::vector<Check> BufferChecks();
std::vector<Check> ExecutableChecks();
std::vector<Check> TopologyChecks();

// The program that the checks compile: the sum of two tensors of four f32. `attribute` is added to its first argument.
std::string SumProgram(std::string_view attribute = "");

// The check that all checks after compilation depend on.
inline constexpr std::string_view kCompileCheck = "compile.program";

// A text that is no program.
inline constexpr std::string_view kNoProgram = "this is no program";

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_INTERFACE_INTERFACE_CHECK_H_
