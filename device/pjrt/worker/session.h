// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The open objects of a worker for a target: the plugin, and a client with devices or, if there is no device, a
// topology to compile for.
//
//   Expected<std::unique_ptr<Session>> session = Session::Open(target);
//   protocol::Hello hello = (*session)->MakeHello();
//   Result<Compiled> compiled = (*session)->Compile(artifact, {.partitions = 8}, /*shardy=*/false, options);
#ifndef OPBYOP_DEVICE_PJRT_WORKER_SESSION_H_
#define OPBYOP_DEVICE_PJRT_WORKER_SESSION_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/pjrt/client.h"
#include "device/pjrt/executable.h"
#include "device/pjrt/plugin.h"
#include "device/pjrt/topology.h"
#include "manifests/cases/grid.h"
#include "manifests/targets/target.h"
#include "protocol/hello.h"
#include "support/expected.h"

namespace opbyop::pjrt {

// `loaded` is set if there is a device.
struct Compiled {
  std::optional<LoadedExecutable> loaded;
  std::optional<Executable> facts;
};

// The options that create the client of a target.
NamedValues OptionsOf(const Target& target);

// Options of a target file as the plugin takes them; {dir} in a text is replaced.
NamedValues ToNamedValues(const std::map<std::string, TargetOption>& options, const std::filesystem::path& dir);

// The options that create its topology: those of the client, and those for the topology alone.
NamedValues TopologyOptionsOf(const Target& target);

class Session {
 public:
  // Opens a client and its devices. If `absent_device` says why there is no device, opens the target's topology
  // instead. Returns kNoInput, with the reason, if the plugin, its device or that topology is absent.
  static Expected<std::unique_ptr<Session>> Open(const Target& target, const std::string& absent_device);

  // Checks whether the plugin creates a client with a device. A plugin may crash on the attempt.
  static Expected<void> ProbeDevice(const Target& target);

  const Api& api() const { return plugin_.api(); }
  const Client* client() const { return client_ ? &*client_ : nullptr; }
  const std::vector<Device>& devices() const { return devices_; }

  // The StableHLO versions that the plugin reads: "0.9.0". Empty if it does not report them.
  std::string OldestVersion() const { return VersionOf("stablehlo_minimum_version"); }
  std::string NewestVersion() const { return VersionOf("stablehlo_current_version"); }

  protocol::Hello MakeHello() const;

  const Target& target() const { return target_; }

  // Why nothing is executed; empty if there is a device.
  const std::string& absent_device() const { return absent_device_; }

  // Compiles for the first devices, one for each process of the grid. `overrides` are options of this compilation.
  Result<Compiled> Compile(std::string_view artifact, const Grid& grid, bool shardy,
                           const NamedValues& overrides) const;

  // Replaces the client by a new one. Everything that was made with the old one must have been destroyed.
  Expected<void> RenewClient();

  // Loads an executable that Executable::Serialize returned. A session without a device loads nothing.
  Result<Compiled> Load(std::string_view serialized) const;

 private:
  Session(const Target& target, std::filesystem::path file, Plugin plugin)
      : target_(target), file_(std::move(file)), plugin_(std::move(plugin)) {}

  Expected<void> OpenClient();
  Expected<void> OpenTopology();
  void TakeIds(const std::vector<DeviceDescription>& descriptions);
  std::string VersionOf(const std::string& attribute) const;
  std::map<std::string, std::string> Properties() const;

  Target target_;
  std::filesystem::path file_;
  Plugin plugin_;
  std::optional<Client> client_;
  std::vector<Device> devices_;
  std::optional<Topology> topology_;
  std::string absent_device_;
  std::vector<int64_t> device_ids_;  // of the client's devices or of the topology
};

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_WORKER_SESSION_H_
