// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a worker has open of a target: the plugin, and a client with a device or, where no device is there, a topology
// to compile for.
//
//   Expected<std::unique_ptr<Session>> session = Session::Open(target);
//   protocol::Hello hello = (*session)->MakeHello();
//   Result<Compiled> compiled = (*session)->Compile(artifact);
#ifndef OPBYOP_DEVICE_PJRT_WORKER_SESSION_H_
#define OPBYOP_DEVICE_PJRT_WORKER_SESSION_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "device/pjrt/client.h"
#include "device/pjrt/executable.h"
#include "device/pjrt/plugin.h"
#include "device/pjrt/topology.h"
#include "manifests/targets/target.h"
#include "protocol/hello.h"
#include "support/expected.h"

namespace opbyop::pjrt {

// `loaded` where there is a device.
struct Compiled {
  std::optional<LoadedExecutable> loaded;
  std::optional<Executable> facts;
};

// What the client of a target is made with.
NamedValues OptionsOf(const Target& target);

// What its topology is made with: the same, and the options of the topology alone.
NamedValues TopologyOptionsOf(const Target& target);

class Session {
 public:
  // With a client and its first device; where `absent_device` says why there is none, with the target's topology.
  // kNoInput where the plugin, its device or that topology is absent, with the reason.
  static Expected<std::unique_ptr<Session>> Open(const Target& target, const std::string& absent_device);

  // Whether the plugin makes a client with a device. A plugin may die of the attempt.
  static Expected<void> ProbeDevice(const Target& target);

  const Api& api() const { return plugin_.api(); }
  const Client* client() const { return client_ ? &*client_ : nullptr; }
  const Device& device() const { return *device_; }

  // StableHLO versions that the plugin reads: "0.9.0"; empty where it does not say.
  std::string OldestVersion() const { return VersionOf("stablehlo_minimum_version"); }
  std::string NewestVersion() const { return VersionOf("stablehlo_current_version"); }

  protocol::Hello MakeHello() const;

  Result<Compiled> Compile(std::string_view artifact) const;

  // Loads what Executable::Serialize returned. A session without a device loads nothing.
  Result<Compiled> Load(std::string_view serialized) const;

 private:
  Session(const Target& target, std::filesystem::path file, Plugin plugin)
      : target_(target), file_(std::move(file)), plugin_(std::move(plugin)) {}

  Expected<void> OpenClient();
  Expected<void> OpenTopology();
  std::string VersionOf(const std::string& attribute) const;
  std::map<std::string, std::string> Properties() const;

  Target target_;
  std::filesystem::path file_;
  Plugin plugin_;
  std::optional<Client> client_;
  std::optional<Device> device_;
  std::optional<Topology> topology_;
  std::string absent_device_;
  int device_id_ = 0;
};

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_WORKER_SESSION_H_
