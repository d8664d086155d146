// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop-pjrt-interface: checks which parts of PJRT's interface a plugin has, and whether they work, without any op.
//
//   opbyop-pjrt-interface --plugin=/path/plugin.so
//   opbyop-pjrt-interface --plugin=/path/libtpu.so --topology=v5e:2x2 --json=interface.json
//   opbyop-pjrt-interface --target=manifests/targets/tpu-v5e.yaml
//
// Exit codes: 0 if nothing fails, 1 if a check fails that ops do not depend on, 4 if no op can pass, 3 if the target's
// plugin is not installed.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "device/pjrt/interface/interface_suite.h"
#include "device/pjrt/worker/session.h"
#include "harness/worker/worker_spec.h"
#include "manifests/targets/find_plugin.h"
#include "manifests/targets/find_target.h"
#include "manifests/targets/target.h"
#include "support/exit_code.h"
#include "support/files/file.h"
#include "support/files/project_folder.h"
#include "support/process/process.h"
#include "support/start_program.h"

namespace {

using opbyop::ExitCode;
using opbyop::pjrt::InterfaceReport;
using opbyop::pjrt::NamedValue;
using opbyop::pjrt::SubjectOptions;

int Fail(const opbyop::Error& error) {
  fmt::print(stderr, "opbyop-pjrt-interface: {}\n", error.message);
  return static_cast<int>(error.code);
}

// A whole number, `true`, `false`, or a text.
NamedValue ValueOf(const std::string& text) {
  int64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (!text.empty() && failure == std::errc() && end == text.data() + text.size()) return number;
  if (text == "true" || text == "false") return text == "true";
  return text;
}

// Whether the worker finds a device. Asks in another process, because a plugin may crash.
bool HasDevice(const opbyop::Target& target) {
  constexpr std::chrono::seconds kPatience(20);
  const std::string worker = (opbyop::ProgramFolder() / "opbyop-pjrt-worker").string();
  const auto probed = opbyop::RunCommand({worker, "--target", target.path.string(), "--probe"}, kPatience);
  return probed && probed->find("device present") != std::string::npos;
}

// The subject of the checks; with the topology to compile for if there is no device.
opbyop::Expected<SubjectOptions> SubjectOf(const opbyop::Target& target) {
  const opbyop::Expected<std::filesystem::path> plugin = opbyop::FindPlugin(target);
  if (!plugin) return Unexpected(plugin.error());
  return SubjectOptions{.plugin = *plugin,
                        .topology = target.topology,
                        .options = opbyop::pjrt::TopologyOptionsOf(target),
                        .compile_only = opbyop::WhyCompileOnly(target)};
}

ExitCode CodeOf(const InterfaceReport& report) {
  if (!report.fault().empty()) return ExitCode::kBadInput;
  for (const auto& check : report.checks) {
    if (opbyop::IsProblem(check.status)) return ExitCode::kUnexpectedResult;
  }
  return ExitCode::kOk;
}

}  // namespace

int main(int argc, char** argv) {
  if (const opbyop::Expected<void> started = opbyop::StartProgram(); !started) return Fail(started.error());
  CLI::App app("opbyop-pjrt-interface: checks a plugin's part of PJRT's interface, before any op");
  SubjectOptions subject;
  std::vector<std::string> options;
  std::string json, target;
  double limit_s = 120;
  size_t first = 0;
  bool on_device = false;
  CLI::Option_group* which = app.add_option_group("plugin");
  which->add_option("--plugin", subject.plugin, "Shared library that exports GetPjrtApi");
  which->add_option("--target", target, "File of a target of device kind pjrt");
  which->require_option(1);
  app.add_option("--topology", subject.topology, "Devices to compile for if there are none, such as v5e:2x2");
  app.add_option("--option", options, "NAME=VALUE for the plugin's client or topology");
  app.add_option("--json", json, "File for the result of every check");
  app.add_option("--limit", limit_s, "Seconds that one check may take")->capture_default_str();
  // Options of the process in which the checks run.
  const CLI::Option* child = app.add_option("--from", first)->group("");
  app.add_option("--on-device", on_device)->group("");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    app.exit(error);
    return static_cast<int>(error.get_exit_code() == 0 ? ExitCode::kOk : ExitCode::kUsage);
  }
  if (!target.empty()) {
    const opbyop::Expected<opbyop::Target> loaded = opbyop::LoadTarget(target);
    if (!loaded) return Fail(loaded.error());
    // The plugin sees the environment of the target's worker; the processes that are started here inherit it.
    for (const auto& [name, value] :
         opbyop::harness::TargetWorkerSpec(*loaded, opbyop::ProgramFolder(), opbyop::ProjectFolder()).environment) {
      ::setenv(name.c_str(), value.c_str(), 1);
    }
    opbyop::Expected<SubjectOptions> found = SubjectOf(*loaded);
    if (!found) return Fail(found.error());
    // The child gets this result as an option.
    const bool has_device = child->count() > 0 ? on_device : !found->topology.empty() && HasDevice(*loaded);
    if (has_device) found->topology.clear();
    if (found->topology.empty()) found->options = opbyop::pjrt::OptionsOf(*loaded);
    on_device = has_device;
    subject = std::move(*found);
  }
  for (const std::string& option : options) {
    const size_t equals = option.find('=');
    if (equals == std::string::npos) return Fail({ExitCode::kUsage, "--option is NAME=VALUE, not " + option});
    subject.options.insert_or_assign(option.substr(0, equals), ValueOf(option.substr(equals + 1)));
  }
  if (child->count() > 0) {
    opbyop::pjrt::RunInterfaceChecks(subject, first);
    return 0;
  }
  const std::string lacking = opbyop::EnvironmentNote(subject.plugin, {});
  if (!lacking.empty()) fmt::print(stderr, "opbyop-pjrt-interface: {}\n", lacking);
  opbyop::pjrt::SuiteOptions suite = {.argv = {"/proc/self/exe"}, .subject = subject};
  suite.argv.insert(suite.argv.end(), argv + 1, argv + argc);
  suite.argv.insert(suite.argv.end(), {on_device ? "--on-device=true" : "--on-device=false", "--from"});
  suite.limit = std::chrono::milliseconds(static_cast<int64_t>(limit_s * 1000));
  const opbyop::Expected<InterfaceReport> report = opbyop::pjrt::RunInterfaceSuite(suite);
  if (!report) return Fail(report.error());
  fmt::print("{}", ToTable(*report));
  if (!json.empty()) {
    if (const opbyop::Expected<void> written = opbyop::WriteFile(json, ToJson(*report)); !written) {
      return Fail(written.error());
    }
  }
  std::fflush(stdout);
  if (const std::string fault = report->fault(); !fault.empty()) fmt::print(stderr, "{}; no op is to blame\n", fault);
  return static_cast<int>(CodeOf(*report));
}
