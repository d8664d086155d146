// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Checks of the function table, the plugin, its client, devices and memories, and of devices that are absent.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "device/pjrt/compile_options.h"
#include "device/pjrt/interface/interface_check.h"
#include "device/pjrt/profiler.h"
#include "device/pjrt/raw_enum.h"
#include "support/text/count_text.h"
#include "support/xspace/executions.h"

namespace opbyop::pjrt {
namespace {

constexpr int kMostExtensions = 1000;

// The first check: opens and initializes the plugin.
Verdict Opens(Subject& subject) {
  const Expected<const Plugin*> plugin = subject.OpenPlugin();
  if (!plugin) return Fail(plugin.error().message);
  const Api& api = (*plugin)->api();
  return Pass(fmt::format("version {}.{} of the interface", api.major_version(), api.minor_version()));
}

// Whether the plugin has functions without which no op compiles or runs.
template <typename... Args>
Verdict HasFunctions(Subject& subject) {
  const auto api = subject.api();
  if (!api) return Skip(api.error());
  std::vector<std::string_view> lacking;
  ((void)((*api)->Has<Args>() || (lacking.push_back(Function<Args>::kName), true)), ...);
  if (!lacking.empty()) return Fail(fmt::format("the plugin has no {}", fmt::join(lacking, ", ")));
  const std::vector<std::string_view> absent = (*api)->AbsentFunctions();
  if (absent.empty()) return Pass("all of this program's version");
  return Pass(fmt::format("all but {} that no op needs", absent.size()));
}

Verdict HasErrorFunctions(Subject& subject) {
  const auto api = subject.api();
  if (!api) return Skip(api.error());
  std::vector<std::string_view> lacking;
  for (const std::string_view name : (*api)->AbsentFunctions()) {
    if (name.starts_with("PJRT_Error_")) lacking.push_back(name);
  }
  if (lacking.empty()) return Pass();
  return Fail(fmt::format("the plugin has no {}; its errors have no code or no reason", fmt::join(lacking, ", ")));
}

Verdict ExtensionsEnd(Subject& subject) {
  const auto api = subject.api();
  if (!api) return Skip(api.error());
  std::vector<int> types;
  for (const PJRT_Extension_Base* each = (*api)->extensions(); each != nullptr; each = each->next) {
    if (each->struct_size < PJRT_Extension_Base_STRUCT_SIZE) {
      return Fail(fmt::format("an extension says to have {} bytes, fewer than its head", each->struct_size));
    }
    types.push_back(RawEnum(each->type));
    if (types.size() > kMostExtensions) return Fail("the list of extensions has no end");
  }
  if (types.empty()) return Pass("none");
  return Pass(fmt::format("types {}", fmt::join(types, ", ")));
}

// Opens a session in which nothing is executed.
Verdict HasProfiler(Subject& subject) {
  const auto api = subject.api();
  if (!api) return Skip(api.error());
  const Expected<const ProfilerTable*> table = FindProfiler(**api);
  if (!table) {
    return {Status::kUnsupported, fmt::format("{}: times are of the host's clock", table.error().message)};
  }
  Expected<ProfilerSession> session = ProfilerSession::Start(**table);
  if (!session) return Fail(session.error().message);
  const Expected<std::string> trace = session->Stop();
  if (!trace) return Fail(trace.error().message);
  const Expected<std::vector<xspace::DeviceEvent>> events = xspace::ReadExecutions(*trace);
  if (!events) return Fail(events.error().message);
  if (!events->empty())
    return Fail(fmt::format("it reports {} although nothing ran", CountText(events->size(), "execution")));
  return Pass(fmt::format("usable: version 1, a table of {} bytes with all functions; a trace of {} where nothing ran",
                          (*table)->struct_size, CountText(trace->size(), "byte")));
}

// The extension of compilation by phases; an earlier form, with fewer functions, had no compiler. Source: PJRT
// extension of phase compilation, version 1. pjrt_c_api.h numbers it and does not describe it.
struct PhaseCompileExtension {
  PJRT_Extension_Base base;
  const void* get_compiler;
  const void* destroy_compiler;
  const void* others[3];
};

// Inspects the extension but does not call it: phases are not run (docs/design/pjrt.md).
Verdict HasPhaseCompile(Subject& subject) {
  const auto api = subject.api();
  if (!api) return Skip(api.error());
  const PJRT_Extension_Base* base = (*api)->FindExtension(PJRT_Extension_Type_PhaseCompile);
  if (base == nullptr) return {Status::kUnsupported, "the plugin has no extension of compilation by phases"};
  const auto* extension = reinterpret_cast<const PhaseCompileExtension*>(base);
  const bool is_whole = base->struct_size >= sizeof(PhaseCompileExtension);
  if (!is_whole || extension->get_compiler == nullptr || extension->destroy_compiler == nullptr) {
    return {Status::kUnsupported,
            "the plugin has the extension of compilation by phases, but no function that returns its compiler, so the "
            "phases cannot be run"};
  }
  return Pass("the plugin has a compiler of phases, which is not used");
}

Verdict HasAttributes(Subject& subject) {
  const auto api = subject.api();
  if (!api) return Skip(api.error());
  auto args = Arguments<PJRT_Plugin_Attributes_Args>();
  if (Result<void> called = (*api)->Call(args); !called) return VerdictOf(called.error());
  const NamedValues values = ReadNamedValues(args.attributes, args.num_attributes);
  if (values.size() != args.num_attributes) {
    return Fail(fmt::format("{} of {} attributes have no name or a value of no known type",
                            args.num_attributes - std::min(values.size(), args.num_attributes), args.num_attributes));
  }
  std::vector<std::string> names;
  for (const auto& [name, value] : values) names.push_back(name);
  return Pass(fmt::format("{}", fmt::join(names, ", ")));
}

constexpr size_t kVersionNumbers = 3;

Verdict HasStablehloVersions(Subject& subject) {
  const Expected<const Plugin*> plugin = subject.OpenPlugin();
  if (!plugin) return Skip("there is no plugin");
  std::vector<std::vector<int64_t>> range;
  for (const char* name : {"stablehlo_minimum_version", "stablehlo_current_version"}) {
    const auto found = (*plugin)->attributes().find(name);
    if (found == (*plugin)->attributes().end()) {
      return {Status::kUnsupported, fmt::format("the plugin tells no {}", name)};
    }
    const auto* version = std::get_if<std::vector<int64_t>>(&found->second);
    if (version == nullptr || version->size() != kVersionNumbers) {
      return Fail(fmt::format("{} is '{}' and no list of three numbers", name, ToText(found->second)));
    }
    if (std::ranges::any_of(*version, [](int64_t number) { return number < 0; })) {
      return Fail(fmt::format("{} is {:d}, with a negative number", name, fmt::join(*version, ".")));
    }
    range.push_back(*version);
  }
  const std::string text = fmt::format("{} to {}", fmt::join(range[0], "."), fmt::join(range[1], "."));
  return range[0] <= range[1] ? Pass(text) : Fail(text + " is no range");
}

Verdict CreatesClient(Subject& subject) {
  const auto api = subject.api();
  if (!api) return Skip(api.error());
  const Result<const Client*> client = subject.CreateClient();
  if (!client) return Fail(ToError(client.error()).message);
  return Pass();
}

Verdict ReportsPlatform(Subject& subject) {
  const auto client = subject.client();
  if (!client) return Skip(client.error());
  const Result<std::string> name = (*client)->PlatformName();
  if (!name) return VerdictOf(name.error());
  const Result<std::string> version = (*client)->PlatformVersion();
  if (!version) return VerdictOf(version.error());
  if (name->empty()) return Fail("its name is empty");
  return Pass(fmt::format("{} {}", *name, version->substr(0, version->find('\n'))));
}

Verdict HasDevices(Subject& subject) {
  const auto client = subject.client();
  if (!client) return Skip(client.error());
  const Result<std::vector<Device>> devices = (*client)->AddressableDevices();
  if (!devices) return Fail(ToError(devices.error()).message);
  if (devices->empty()) return Fail("the client has no device");
  return Pass(fmt::format("{}", devices->size()));
}

// The first device must be found by its number, and all devices must be among those of the client.
Verdict FindsDevices(Subject& subject) {
  const auto client = subject.client();
  if (!client) return Skip(client.error());
  const auto device = subject.device();
  if (!device) return Skip(device.error());
  const Result<std::vector<Device>> all = (*client)->Devices();
  if (!all) return VerdictOf(all.error());
  const bool listed = std::ranges::any_of(*all, [&](const Device& each) { return each.get() == device->get(); });
  if (!listed) return Fail("PJRT_Client_Devices lacks a device of PJRT_Client_AddressableDevices");
  const Result<DeviceDescription> description = device->Description();
  if (!description) return VerdictOf(description.error());
  const Result<int> id = description->Id();
  if (!id) return VerdictOf(id.error());
  const Result<Device> found = (*client)->LookupDevice(*id);
  if (!found) return VerdictOf(found.error());
  if (found->get() != device->get()) return Fail(fmt::format("looking up number {} finds another device", *id));
  return Pass(fmt::format("number {}", *id));
}

Verdict DescribesDevice(Subject& subject) {
  const auto device = subject.device();
  if (!device) return Skip(device.error());
  const Result<DeviceDescription> description = device->Description();
  if (!description) return VerdictOf(description.error());
  const Result<std::string> kind = description->Kind();
  if (!kind) return VerdictOf(kind.error());
  if (kind->empty()) return Fail("its kind is empty");
  const Result<bool> addressable = device->IsAddressable();
  if (!addressable) return VerdictOf(addressable.error());
  if (!*addressable) return Fail("a device of PJRT_Client_AddressableDevices says that it is not addressable");
  return Pass(*kind);
}

Verdict HasDefaultMemory(Subject& subject) {
  const auto device = subject.device();
  if (!device) return Skip(device.error());
  const Result<Memory> memory = device->DefaultMemory();
  if (!memory) return VerdictOf(memory.error());
  const Result<std::string> kind = memory->Kind();
  if (!kind) return VerdictOf(kind.error());
  return kind->empty() ? Fail("its kind is empty") : Pass(*kind);
}

Verdict ListsMemories(Subject& subject) {
  const auto device = subject.device();
  if (!device) return Skip(device.error());
  const Result<std::vector<Memory>> memories = device->Memories();
  if (!memories) return VerdictOf(memories.error());
  std::vector<std::string> kinds;
  bool has_default = false;
  const Result<Memory> usual = device->DefaultMemory();
  for (const Memory& memory : *memories) {
    const Result<std::string> kind = memory.Kind();
    if (!kind) return VerdictOf(kind.error());
    kinds.push_back(*kind);
    has_default |= usual && usual->get() == memory.get();
  }
  if (usual && !has_default) return Fail("the default memory of the device is none of its memories");
  return Pass(fmt::format("{}", fmt::join(kinds, ", ")));
}

// Asks with the struct of version 0.81, which has grown since then: a plugin that ignores struct_size corrupts programs
// that were built for that version.
Verdict CountsMemoryInOlderStruct(Subject& subject) {
  const auto device = subject.device();
  if (!device) return Skip(device.error());
  const Api& api = (*subject.client())->api();
  if (!api.Has<PJRT_Device_MemoryStats_Args>()) {
    return {Status::kUnsupported, "the plugin has no PJRT_Device_MemoryStats"};
  }
  auto args = Arguments<PJRT_Device_MemoryStats_Args>();
  args.device = device->get();
  const size_t beyond = api.OverrunOfOlderStruct(args);
  if (beyond == 0) return Pass();
  return Fail(
      fmt::format("PJRT_Device_MemoryStats wrote {} bytes behind a struct of {} bytes, the size in version {}.{}: the "
                  "plugin ignores struct_size",
                  beyond, args.struct_size, PJRT_API_MAJOR, PJRT_API_MINOR));
}

Subject::Made<Topology> TopologyOf(Subject& subject) {
  const auto api = subject.api();
  if (!api) return tl::unexpected(api.error());
  Result<Topology> topology = Topology::Create(**api, subject.options().topology, subject.options().options);
  if (!topology) return tl::unexpected(ToError(topology.error()).message);
  return std::move(*topology);
}

Verdict CreatesTopology(Subject& subject) {
  const auto api = subject.api();
  if (!api) return Skip(api.error());
  const auto topology = TopologyOf(subject);
  return topology ? Pass(subject.options().topology) : Fail(topology.error());
}

Verdict DescribesTopology(Subject& subject) {
  const auto topology = TopologyOf(subject);
  if (!topology) return Skip("there is no topology");
  const Result<std::vector<DeviceDescription>> devices = topology->Devices();
  if (!devices) return VerdictOf(devices.error());
  if (devices->empty()) return Fail("it has no device");
  const Result<std::string> kind = devices->front().Kind();
  if (!kind) return VerdictOf(kind.error());
  return Pass(fmt::format("{} of {}", devices->size(), *kind));
}

Verdict CompilesForTopology(Subject& subject) {
  const auto topology = TopologyOf(subject);
  if (!topology) return Skip("there is no topology");
  const std::string options = SerializeCompileOptions({.device_ids = {0}});
  const Result<Executable> compiled = topology->Compile(SumProgram(), options);
  if (!compiled) return VerdictOf(compiled.error());
  const Result<Executable> refused = topology->Compile(kNoProgram, options);
  if (refused) return Fail(fmt::format("'{}' compiles", kNoProgram));
  if (refused.error().message.empty()) return Fail("an error of a compilation has no reason");
  return Pass();
}

}  // namespace

std::vector<Check> PluginChecks(bool topology) {
  std::vector<Check> checks = {{"plugin.opens", true, &Opens}};
  if (topology) {
    checks.push_back(
        {"plugin.functions", true, &HasFunctions<PJRT_TopologyDescription_Create_Args, PJRT_Compile_Args>});
  } else {
    checks.push_back(
        {"plugin.functions", true,
         &HasFunctions<PJRT_Client_Create_Args, PJRT_Client_AddressableDevices_Args, PJRT_Client_Compile_Args,
                       PJRT_Client_BufferFromHostBuffer_Args, PJRT_LoadedExecutable_Execute_Args,
                       PJRT_LoadedExecutable_GetExecutable_Args, PJRT_Executable_NumOutputs_Args,
                       PJRT_Buffer_ToHostBuffer_Args, PJRT_Buffer_Dimensions_Args>});
    checks.push_back({"client.create", true, &CreatesClient});
    checks.push_back({"client.devices", true, &HasDevices});
  }
  checks.push_back({"plugin.error_functions", false, &HasErrorFunctions});
  checks.push_back({"plugin.extensions", false, &ExtensionsEnd});
  checks.push_back({"plugin.profiler", false, &HasProfiler});
  checks.push_back({"plugin.phase_compile", false, &HasPhaseCompile});
  checks.push_back({"plugin.attributes", false, &HasAttributes});
  checks.push_back({"plugin.stablehlo_versions", false, &HasStablehloVersions});
  return checks;
}

std::vector<Check> DeviceChecks() {
  return {{"client.platform", false, &ReportsPlatform},    {"client.finds_devices", false, &FindsDevices},
          {"device.description", false, &DescribesDevice}, {"device.default_memory", false, &HasDefaultMemory},
          {"device.memories", false, &ListsMemories},      {"device.older_struct", false, &CountsMemoryInOlderStruct}};
}

std::vector<Check> TopologyChecks() {
  return {{"topology.create", true, &CreatesTopology},
          {"topology.devices", false, &DescribesTopology},
          {"topology.compile", false, &CompilesForTopology}};
}

}  // namespace opbyop::pjrt
