// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/worker/session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <utility>
#include <vector>

#include "device/pjrt/abi_version.h"
#include "device/pjrt/compile_options.h"
#include "device/pjrt/plugin_identity.h"
#include "device/pjrt/profiler.h"
#include "manifests/targets/find_plugin.h"
#include "protocol/build_identity.h"
#include "support/text/placeholders.h"

namespace opbyop::pjrt {
namespace {

std::string OneLine(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

std::string DotVersion(const std::vector<int64_t>& numbers) { return fmt::format("{}", fmt::join(numbers, ".")); }

template <typename T>
void Put(std::map<std::string, std::string>& properties, const std::string& name, const Result<T>& value) {
  if (!value) return;
  if constexpr (std::is_same_v<T, std::string>) {
    if (!value->empty()) properties[name] = *value;
  } else {
    properties[name] = fmt::to_string(*value);
  }
}

NamedValue ValueOf(const TargetOption& option) {
  if (const auto* number = std::get_if<double>(&option)) return static_cast<float>(*number);
  if (const auto* text = std::get_if<std::string>(&option)) return *text;
  if (const auto* integer = std::get_if<int64_t>(&option)) return *integer;
  return std::get<bool>(option);
}

}  // namespace

NamedValues OptionsOf(const Target& target) {
  NamedValues options;
  for (const auto& [name, value] : target.options) options.emplace(name, ValueOf(value));
  return options;
}

NamedValues ToNamedValues(const std::map<std::string, TargetOption>& options, const std::filesystem::path& dir) {
  NamedValues values;
  for (const auto& [name, option] : options) {
    NamedValue value = ValueOf(option);
    if (auto* text = std::get_if<std::string>(&value)) *text = ExpandPlaceholders(*text, {{"dir", dir.string()}});
    values.insert_or_assign(name, std::move(value));
  }
  return values;
}

NamedValues TopologyOptionsOf(const Target& target) {
  NamedValues options = OptionsOf(target);
  for (const auto& [name, value] : target.topology_options) options.insert_or_assign(name, ValueOf(value));
  return options;
}

Expected<std::unique_ptr<Session>> Session::Open(const Target& target, const std::string& absent_device) {
  const Expected<std::filesystem::path> file = FindPlugin(target);
  if (!file) return Unexpected(file.error());
  Expected<Plugin> plugin = Plugin::Open(*file);
  if (!plugin) return Unexpected(plugin.error());
  std::unique_ptr<Session> session(new Session(target, *file, std::move(*plugin)));
  session->absent_device_ = absent_device.empty() ? WhyCompileOnly(target) : absent_device;
  Expected<void> opened = absent_device.empty() ? session->OpenClient() : session->OpenTopology();
  if (!opened) return Unexpected(opened.error());
  return session;
}

Expected<void> Session::ProbeDevice(const Target& target) {
  const Expected<std::unique_ptr<Session>> session = Open(target, "");
  if (!session) return Unexpected(session.error());
  return {};
}

Expected<void> Session::OpenClient() {
  const auto fail = [&](const CallError& error) {
    return MakeError(ExitCode::kNoInput,
                     fmt::format("{} gives no device: {}", file_.filename().string(), ToError(error).message));
  };
  Result<Client> client = Client::Create(api(), OptionsOf(target_));
  if (!client) return fail(client.error());
  client_.emplace(std::move(*client));
  Result<std::vector<Device>> devices = client_->AddressableDevices();
  if (!devices) return fail(devices.error());
  if (devices->empty()) return fail(MissingResultError("PJRT_Client_AddressableDevices", "device"));
  devices_ = std::move(*devices);
  std::vector<DeviceDescription> descriptions;
  for (const Device& device : devices_) {
    if (Result<DeviceDescription> description = device.Description()) descriptions.push_back(*description);
  }
  TakeIds(descriptions);
  return {};
}

// A plugin that describes no device has one whose number is assumed to be 0.
void Session::TakeIds(const std::vector<DeviceDescription>& descriptions) {
  device_ids_.clear();
  for (const DeviceDescription& description : descriptions) device_ids_.push_back(description.Id().value_or(0));
  if (device_ids_.empty()) device_ids_ = {0};
}

Expected<void> Session::RenewClient() {
  devices_.clear();
  client_.reset();
  return OpenClient();
}

Expected<void> Session::OpenTopology() {
  Result<Topology> topology = Topology::Create(api(), target_.topology, TopologyOptionsOf(target_));
  if (!topology) {
    return MakeError(ExitCode::kNoInput, fmt::format("{} knows no topology '{}': {}", file_.filename().string(),
                                                     target_.topology, ToError(topology.error()).message));
  }
  topology_.emplace(std::move(*topology));
  const Result<std::vector<DeviceDescription>> devices = topology_->Devices();
  TakeIds(devices.value_or(std::vector<DeviceDescription>()));
  return {};
}

std::string Session::VersionOf(const std::string& attribute) const {
  const auto found = plugin_.attributes().find(attribute);
  if (found == plugin_.attributes().end()) return "";
  const auto* numbers = std::get_if<std::vector<int64_t>>(&found->second);
  return numbers == nullptr ? ToText(found->second) : DotVersion(*numbers);
}

std::map<std::string, std::string> Session::Properties() const {
  std::map<std::string, std::string> properties;
  for (const auto& [name, value] : plugin_.attributes()) properties[name] = ToText(value);
  for (const char* name : {"stablehlo_minimum_version", "stablehlo_current_version"}) {
    if (const std::string version = VersionOf(name); !version.empty()) properties[name] = version;
  }
  properties["plugin"] = file_.filename().string();
  if (const std::string package = PackageOf(file_); !package.empty()) properties[protocol::kBuildPackage] = package;
  // Only the halves of a bundle compare it, and a large plugin takes a while.
  if (std::getenv(protocol::kOnlyVariable) != nullptr) {
    if (auto digest = FileSha256(file_)) properties[protocol::kBuildDigest] = *digest;
  }
  if (KnowsAbiVersions(api())) properties[protocol::kJudgesExecutables] = "by the extension AbiVersion";
  properties[protocol::kBuildInterface] = fmt::format("{}.{}", api().major_version(), api().minor_version());
  if (const auto absent = api().AbsentFunctions(); !absent.empty()) {
    properties["absent_functions"] = fmt::format("{}", fmt::join(absent, ", "));
  }
  std::optional<DeviceDescription> description;
  if (client_) {
    Put(properties, "platform", client_->PlatformName());
    Put(properties, "platform_version", client_->PlatformVersion());
    if (const auto devices = client_->AddressableDevices()) properties["devices"] = fmt::to_string(devices->size());
    if (const auto found = devices_.front().Description()) description = *found;
    if (const auto limit = devices_.front().MemoryLimit(); limit && limit->has_value()) {
      properties["memory_bytes"] = fmt::to_string(**limit);
    }
    std::vector<std::string> kinds;
    for (const Memory& memory : devices_.front().Memories().value_or(std::vector<Memory>())) {
      if (auto kind = memory.Kind()) kinds.push_back(std::move(*kind));
    }
    if (!kinds.empty()) properties["memories"] = fmt::format("{}", fmt::join(kinds, ", "));
  } else {
    properties["topology"] = target_.topology;
    Put(properties, "platform", topology_->PlatformName());
    Put(properties, "platform_version", topology_->PlatformVersion());
    const auto devices = topology_->Devices();
    if (devices) properties["devices"] = fmt::to_string(devices->size());
    if (devices && !devices->empty()) description = devices->front();
  }
  if (description) Put(properties, "device_kind", description->Kind());
  return properties;
}

protocol::Hello Session::MakeHello() const {
  protocol::Hello hello = {.role = "target", .name = target_.name};
  hello.properties = Properties();
  const auto property = [&](const std::string& name) {
    const auto found = hello.properties.find(name);
    return found == hello.properties.end() ? "" : OneLine(found->second);
  };
  hello.version = fmt::format("{}, PJRT {}, {} {}", property("plugin"), property("pjrt_api_version"),
                              property("platform"), property("platform_version"));
  if (!topology_ && property("platform") == "cpu") hello.cores = std::thread::hardware_concurrency();
  hello.compile_only = absent_device_;
  hello.releases = true;
  hello.shardings = true;
  hello.profiles = absent_device_.empty() && FindProfiler(api()).has_value();
  hello.devices = std::min(static_cast<int64_t>(device_ids_.size()), Grid::kMostProcesses);
  return hello;
}

Result<Compiled> Session::Compile(std::string_view artifact, const Grid& grid, bool shardy,
                                  const NamedValues& overrides) const {
  const auto end = device_ids_.begin() + std::min<int64_t>(grid.processes(), std::ssize(device_ids_));
  const std::string options = SerializeCompileOptions(
      {.device_ids = {device_ids_.begin(), end}, .replicas = grid.replicas, .shardy = shardy, .overrides = overrides});
  Compiled compiled;
  if (!client_) {
    Result<Executable> executable = topology_->Compile(artifact, options);
    if (!executable) return tl::unexpected(executable.error());
    compiled.facts.emplace(std::move(*executable));
    return compiled;
  }
  Result<LoadedExecutable> loaded = client_->Compile(artifact, options);
  if (!loaded) return tl::unexpected(loaded.error());
  Result<Executable> facts = loaded->Facts();
  if (!facts) return tl::unexpected(facts.error());
  compiled.loaded.emplace(std::move(*loaded));
  compiled.facts.emplace(std::move(*facts));
  return compiled;
}

Result<Compiled> Session::Load(std::string_view serialized) const {
  Compiled compiled;
  if (!client_) {
    return tl::unexpected(
        CallError{"PJRT_Executable_DeserializeAndLoad", PJRT_Error_Code_UNIMPLEMENTED, absent_device_});
  }
  Result<LoadedExecutable> loaded = client_->Load(serialized);
  if (!loaded) return tl::unexpected(loaded.error());
  Result<Executable> facts = loaded->Facts();
  if (!facts) return tl::unexpected(facts.error());
  compiled.loaded.emplace(std::move(*loaded));
  compiled.facts.emplace(std::move(*facts));
  return compiled;
}

}  // namespace opbyop::pjrt
