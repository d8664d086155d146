// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/interface/interface_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <utility>

#include "device/pjrt/compile_options.h"

namespace opbyop::pjrt {
namespace {

CallError NoPlugin(const Error& error) { return {.function = "GetPjrtApi", .message = error.message}; }

template <typename T>
Subject::Made<const T*> Need(const Result<const T*>& made, std::string_view what) {
  if (made) return *made;
  return tl::unexpected(fmt::format("there is no {}", what));
}

void Append(std::vector<Check>& all, std::vector<Check> some) {
  all.insert(all.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
}

// Whether any call so far wrote behind its struct.
Verdict KeepsStructSizes(Subject& subject) {
  const auto api = subject.api();
  if (!api) return Skip(api.error());
  const std::vector<std::string> overruns = (*api)->Overruns();
  if (overruns.empty()) return Pass("no call wrote behind its struct");
  return Fail(fmt::format("the plugin ignores struct_size: {}", fmt::join(overruns, "; ")));
}

}  // namespace

Expected<const Plugin*> Subject::OpenPlugin() {
  if (!plugin_) plugin_ = Plugin::Open(options_.plugin);
  if (!*plugin_) return Unexpected(plugin_->error());
  return &**plugin_;
}

Result<const Client*> Subject::CreateClient() {
  if (!client_) {
    const Expected<const Plugin*> plugin = OpenPlugin();
    if (!plugin) return tl::unexpected(NoPlugin(plugin.error()));
    client_ = Client::Create((*plugin)->api(), options_.options);
  }
  if (!*client_) return tl::unexpected(client_->error());
  return &**client_;
}

Result<const LoadedExecutable*> Subject::CompileSum() {
  if (!sum_) {
    const Result<const Client*> client = CreateClient();
    if (!client) return tl::unexpected(client.error());
    sum_ = (*client)->Compile(SumProgram(), CompileOptions());
  }
  if (!*sum_) return tl::unexpected(sum_->error());
  return &**sum_;
}

Subject::Made<const Api*> Subject::api() {
  const Expected<const Plugin*> plugin = OpenPlugin();
  if (!plugin) return tl::unexpected(std::string("there is no plugin"));
  return &(*plugin)->api();
}

Subject::Made<const Client*> Subject::client() { return Need(CreateClient(), "client"); }

Subject::Made<const LoadedExecutable*> Subject::sum() { return Need(CompileSum(), "executable"); }

Subject::Made<Device> Subject::device() {
  const Made<const Client*> client = this->client();
  if (!client) return tl::unexpected(client.error());
  const Result<std::vector<Device>> devices = (*client)->AddressableDevices();
  if (!devices || devices->empty()) return tl::unexpected(std::string("there is no device"));
  return devices->front();
}

std::string Subject::CompileOptions() {
  const Made<Device> device = this->device();
  const Result<DeviceDescription> description =
      device ? device->Description() : Result<DeviceDescription>(tl::unexpected(CallError()));
  return SerializeCompileOptions({.device_ids = {description ? description->Id().value_or(0) : 0}});
}

void Subject::Close() {
  sum_.reset();
  client_.reset();
}

Verdict Pass(std::string found) { return {Status::kPass, std::move(found)}; }
Verdict Fail(std::string reason) { return {Status::kFail, std::move(reason)}; }
Verdict Skip(std::string reason) { return {Status::kSkipped, std::move(reason)}; }

Verdict VerdictOf(const CallError& error) {
  return {error.unsupported() ? Status::kUnsupported : Status::kFail, ToError(error).message};
}

std::string SumProgram(std::string_view attribute) {
  return fmt::format(
      "module @opbyop_sum {{\n"
      "  func.func public @main(%a: tensor<4xf32>{}, %b: tensor<4xf32>) -> tensor<4xf32> {{\n"
      "    %0 = stablehlo.add %a, %b : tensor<4xf32>\n"
      "    return %0 : tensor<4xf32>\n"
      "  }}\n"
      "}}\n",
      attribute.empty() ? "" : fmt::format(" {{{}}}", attribute));
}

std::vector<Check> InterfaceChecks(const SubjectOptions& subject) {
  const bool topology = !subject.topology.empty();
  std::vector<Check> checks = PluginChecks(topology);
  if (topology) {
    Append(checks, TopologyChecks());
    checks.push_back({"plugin.struct_sizes", false, &KeepsStructSizes});
    return checks;
  }
  Append(checks, DeviceChecks());
  Append(checks, BufferChecks());
  Append(checks, ExecutableChecks());
  checks.push_back({"plugin.struct_sizes", false, &KeepsStructSizes});
  checks.push_back({"client.destroy", false, [](Subject& subject) {
                      subject.Close();
                      return Pass();
                    }});
  if (subject.compile_only.empty()) return checks;
  for (Check& check : checks) {
    if (!check.on_device) continue;
    check.needed = false;
    check.run = [why = subject.compile_only](Subject&) { return Skip("compiled only: " + why); };
  }
  return checks;
}

}  // namespace opbyop::pjrt
