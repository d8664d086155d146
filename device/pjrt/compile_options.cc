// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/compile_options.h"

#include <array>
#include <cstdint>
#include <protozero/pbf_builder.hpp>

namespace opbyop::pjrt {
namespace {

// Field numbers of xla/pjrt/proto/compile_options.proto and xla/xla_data.proto.
enum class Options : protozero::pbf_tag_type { kBuild = 3 };
enum class Build : protozero::pbf_tag_type { kReplicas = 4, kPartitions = 5, kAssignment = 9 };
enum class Assignment : protozero::pbf_tag_type { kReplicas = 1, kComputations = 2, kDevices = 3 };
enum class Devices : protozero::pbf_tag_type { kReplicaIds = 1 };

}  // namespace

std::string SerializeCompileOptions(const CompileOptions& options) {
  std::string bytes;
  {
    // Each builder completes its message when it is destroyed.
    protozero::pbf_builder<Options> top(bytes);
    protozero::pbf_builder<Build> build(top, Options::kBuild);
    build.add_int64(Build::kReplicas, 1);
    build.add_int64(Build::kPartitions, 1);
    protozero::pbf_builder<Assignment> assignment(build, Build::kAssignment);
    assignment.add_int32(Assignment::kReplicas, 1);
    assignment.add_int32(Assignment::kComputations, 1);
    protozero::pbf_builder<Devices> devices(assignment, Assignment::kDevices);
    const std::array<int64_t, 1> ids = {options.device_id};
    devices.add_packed_int64(Devices::kReplicaIds, ids.begin(), ids.end());
  }
  return bytes;
}

}  // namespace opbyop::pjrt
