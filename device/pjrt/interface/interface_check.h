// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The checks of a plugin's interface that run before any op, so that no op is blamed for it.
//
//   Subject subject({.plugin = "/path/plugin.so"});
//   for (const Check& check : InterfaceChecks()) Verdict verdict = check.run(subject);
//
// What a plugin does not offer is `unsupported`; what cannot be asked because something before it failed is `skipped`.
// All run in this process: interface_suite.h survives a plugin that dies.
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
  std::string topology;  // compiled for without a device; empty: there is a client
  NamedValues options;   // of the client, or of the topology
};

// The plugin under test and what the checks share of it, made when it is first asked for. A Result's error says what is
// missing.
class Subject {
 public:
  explicit Subject(SubjectOptions options) : options_(std::move(options)) {}

  const SubjectOptions& options() const { return options_; }

  template <typename T>
  using Made = tl::expected<T, std::string>;

  Expected<const Plugin*> OpenPlugin();
  Result<const Client*> CreateClient();
  Result<const LoadedExecutable*> CompileSum();

  // The same for checks that only need it: the error is the reason of `skipped`.
  Made<const Api*> api();
  Made<const Client*> client();
  Made<Device> device();
  Made<const LoadedExecutable*> sum();

  // For a compilation for the first device.
  std::string CompileOptions();

  // Destroys all but the plugin.
  void Close();

 private:
  SubjectOptions options_;
  std::optional<Expected<Plugin>> plugin_;
  std::optional<Result<Client>> client_;
  std::optional<Result<LoadedExecutable>> sum_;
};

struct Verdict {
  Status status = Status::kPass;
  std::string reason;  // of a pass: what was found
};

Verdict Pass(std::string found = "");
Verdict Fail(std::string reason);
Verdict Skip(std::string reason);

// `unsupported` where the plugin says that it cannot, else `fail`.
Verdict VerdictOf(const CallError& error);

struct Check {
  std::string name;     // "buffers.f32"
  bool needed = false;  // no op can pass without it
  std::function<Verdict(Subject&)> run;
};

// The checks of a plugin with a client, or of one that compiles for a topology, in an order in which each comes after
// the checks that it needs.
std::vector<Check> InterfaceChecks(bool topology);

// Parts of it.
std::vector<Check> PluginChecks(bool topology);
std::vector<Check> DeviceChecks();
std::vector<Check> BufferChecks();
std::vector<Check> ExecutableChecks();
std::vector<Check> TopologyChecks();

// The program of the checks: the sum of two tensors of four f32. `attribute` is one of its first argument.
std::string SumProgram(std::string_view attribute = "");

// What all checks behind it need.
inline constexpr std::string_view kCompileCheck = "compile.program";

// One that is no program.
inline constexpr std::string_view kNoProgram = "this is no program";

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_INTERFACE_INTERFACE_CHECK_H_
