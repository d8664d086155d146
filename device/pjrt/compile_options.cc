// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/compile_options.h"

#include <cstddef>
#include <cstdint>
#include <protozero/pbf_builder.hpp>

namespace opbyop::pjrt {
namespace {

// Field numbers of xla/pjrt/proto/compile_options.proto and xla/xla_data.proto.
enum class Options : protozero::pbf_tag_type { kBuild = 3, kOverrides = 7 };
enum class Entry : protozero::pbf_tag_type { kKey = 1, kValue = 2 };
enum class Override : protozero::pbf_tag_type { kString = 1, kBool = 2, kInt = 3, kDouble = 4 };
enum class Build : protozero::pbf_tag_type { kReplicas = 4, kPartitions = 5, kSpmd = 6, kAssignment = 9, kShardy = 19 };
enum class Assignment : protozero::pbf_tag_type { kReplicas = 1, kComputations = 2, kDevices = 3 };
enum class Devices : protozero::pbf_tag_type { kReplicaIds = 1 };

void AddOverride(protozero::pbf_builder<Options>& options, const std::string& name, const NamedValue& value) {
  protozero::pbf_builder<Entry> entry(options, Options::kOverrides);
  entry.add_string(Entry::kKey, name);
  protozero::pbf_builder<Override> written(entry, Entry::kValue);
  if (const auto* flag = std::get_if<bool>(&value)) {
    written.add_bool(Override::kBool, *flag);
  } else if (const auto* integer = std::get_if<int64_t>(&value)) {
    written.add_int64(Override::kInt, *integer);
  } else if (const auto* number = std::get_if<float>(&value)) {
    written.add_double(Override::kDouble, *number);
  } else {
    written.add_string(Override::kString, ToText(value));
  }
}

}  // namespace

std::string SerializeCompileOptions(const CompileOptions& options) {
  std::string bytes;
  protozero::pbf_builder<Options> top(bytes);
  {
    // Each builder completes its message when it is destroyed.
    protozero::pbf_builder<Build> build(top, Options::kBuild);
    const auto replicas = static_cast<size_t>(options.replicas);
    const size_t partitions = options.device_ids.size() / replicas;
    build.add_int64(Build::kReplicas, options.replicas);
    build.add_int64(Build::kPartitions, static_cast<int64_t>(partitions));
    // Without it several partitions are refused, or compiled as one.
    if (partitions > 1) build.add_bool(Build::kSpmd, true);
    protozero::pbf_builder<Assignment> assignment(build, Build::kAssignment);
    assignment.add_int32(Assignment::kReplicas, static_cast<int32_t>(replicas));
    assignment.add_int32(Assignment::kComputations, static_cast<int32_t>(partitions));
    for (size_t partition = 0; partition < partitions; ++partition) {
      std::vector<int64_t> ids;
      for (size_t replica = 0; replica < replicas; ++replica) {
        ids.push_back(options.device_ids[replica * partitions + partition]);
      }
      protozero::pbf_builder<Devices> devices(assignment, Assignment::kDevices);
      devices.add_packed_int64(Devices::kReplicaIds, ids.begin(), ids.end());
    }
    assignment.commit();
    if (options.shardy) build.add_bool(Build::kShardy, true);
  }
  for (const auto& [name, value] : options.overrides) AddOverride(top, name, value);
  return bytes;
}

}  // namespace opbyop::pjrt
