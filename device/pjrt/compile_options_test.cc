// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/compile_options.h"

#include <gtest/gtest.h>

#include <protozero/pbf_reader.hpp>

namespace opbyop::pjrt {
namespace {

// The expected bytes are written by hand from the description of the protocol buffer format.
TEST(CompileOptionsTest, AreOneReplicaAndOnePartitionOnTheDevice) {
  const std::string expected(
      "\x1a\x11"          // executable_build_options
      "\x20\x01"          // num_replicas
      "\x28\x01"          // num_partitions
      "\x4a\x0b"          // device_assignment
      "\x08\x01\x10\x01"  // replica_count, computation_count
      "\x1a\x05"          // computation_devices
      "\x0a\x03"          // replica_device_ids, packed
      "\x80\x80\x08",     // 131072, the number that the TPU plugin gives a second chip
      19);
  EXPECT_EQ(SerializeCompileOptions({.device_ids = {131072}}), expected);
}

TEST(CompileOptionsTest, AGridListsTheReplicasOfEachPartition) {
  const std::string expected(
      "\x1a\x1e"                  // executable_build_options
      "\x20\x02"                  // num_replicas
      "\x28\x03"                  // num_partitions
      "\x30\x01"                  // use_spmd_partitioning
      "\x4a\x16"                  // device_assignment
      "\x08\x02\x10\x03"          // replica_count, computation_count
      "\x1a\x04\x0a\x02\x00\x03"  // partition 0: devices of replicas 0 and 1
      "\x1a\x04\x0a\x02\x01\x04"
      "\x1a\x04\x0a\x02\x02\x05",
      32);
  EXPECT_EQ(SerializeCompileOptions({.device_ids = {0, 1, 2, 3, 4, 5}, .replicas = 2}), expected);
}

TEST(CompileOptionsTest, ShardyIsAskedFor) {
  const std::string expected(
      "\x1a\x19"              // executable_build_options
      "\x20\x01"              // num_replicas
      "\x28\x02"              // num_partitions
      "\x30\x01"              // use_spmd_partitioning
      "\x4a\x0e"              // device_assignment
      "\x08\x01\x10\x02"      // replica_count, computation_count
      "\x1a\x03\x0a\x01\x00"  // partition 0
      "\x1a\x03\x0a\x01\x01"  // partition 1
      "\x98\x01\x01",         // use_shardy_partitioner
      27);
  EXPECT_EQ(SerializeCompileOptions({.device_ids = {0, 1}, .shardy = true}), expected);
}

TEST(CompileOptionsTest, ReplicasAloneAreNotPartitioned) {
  const std::string bytes = SerializeCompileOptions({.device_ids = {0, 1}, .replicas = 2});
  protozero::pbf_reader options(bytes);
  ASSERT_TRUE(options.next(3));
  protozero::pbf_reader build = options.get_message();
  EXPECT_FALSE(build.next(6)) << "use_spmd_partitioning";
}

TEST(CompileOptionsTest, OverridesHaveTheirNamesAndTypes) {
  const std::string bytes =
      SerializeCompileOptions({.overrides = {{"a", std::string("x")}, {"b", true}, {"c", int64_t{5}}}});
  const std::string expected(
      "\x3a\x08\x0a\x01\x61\x12\x03\x0a\x01\x78"  // env_option_overrides: key "a", value {string_field: "x"}
      "\x3a\x07\x0a\x01\x62\x12\x02\x10\x01"      // key "b", value {bool_field: true}
      "\x3a\x07\x0a\x01\x63\x12\x02\x18\x05",     // key "c", value {int_field: 5}
      28);
  EXPECT_EQ(bytes.substr(bytes.size() - expected.size()), expected);
}

TEST(CompileOptionsTest, DeviceZeroIsWrittenAlthoughItIsTheDefault) {
  const std::string bytes = SerializeCompileOptions({});
  protozero::pbf_reader options(bytes);
  ASSERT_TRUE(options.next(3));
  protozero::pbf_reader build = options.get_message();
  ASSERT_TRUE(build.next(9));
  protozero::pbf_reader assignment = build.get_message();
  ASSERT_TRUE(assignment.next(3));
  protozero::pbf_reader devices = assignment.get_message();
  ASSERT_TRUE(devices.next(1));
  const auto ids = devices.get_packed_int64();
  ASSERT_EQ(std::distance(ids.begin(), ids.end()), 1);
  EXPECT_EQ(*ids.begin(), 0);
}

}  // namespace
}  // namespace opbyop::pjrt
