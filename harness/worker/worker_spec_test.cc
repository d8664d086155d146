// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/worker/worker_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "harness/worker/worker_isolation.h"
#include "support/files/project_folder.h"
#include "support/machine_memory.h"

namespace opbyop::harness {
namespace {

using testing::Contains;
using testing::Pair;

TEST(WorkerSpecTest, PlaceholdersInTheEnvironmentAreFilledIn) {
  Target target;
  target.environment = {{"A", "{root}/a"}, {"B", "{venvs}/.venv-b"}};
  const WorkerSpec spec = TargetWorkerSpec(target, "/bin", "/project");
  EXPECT_THAT(spec.environment, Contains(Pair("A", "/project/a")));
  EXPECT_THAT(spec.environment, Contains(Pair("B", VenvsFolder().string() + "/.venv-b")));
}

TEST(WorkerSpecTest, TheEnvironmentOfATargetWithoutItsDeviceIsAddedOnlyThere) {
  Target target;
  target.compile_only = {.reason = "no board", .unless = "/no/such/device", .environment = {{"DESC", "{root}/x"}}};
  EXPECT_THAT(TargetWorkerSpec(target, "", "/project").environment, Contains(Pair("DESC", "/project/x")));
  target.compile_only.unless = "/proc/self";
  EXPECT_FALSE(TargetWorkerSpec(target, "", "/project").environment.contains("DESC"));
}

TEST(WorkerSpecTest, ALargeCaseHasExtraTimeAndMemory) {
  Case c;
  c.flops = 8'000'000'000;
  c.bytes = 100'000'000;
  EXPECT_EQ(ExtraFor(c).seconds, 3);
  EXPECT_EQ(ExtraFor(c).megabytes, 200);
}

TEST(WorkerSpecTest, ASmallCaseHasTheLimitsThemselves) {
  Case c;
  c.flops = c.bytes = 1000;
  EXPECT_EQ(ExtraFor(c).seconds, 0);
  EXPECT_EQ(ExtraFor(c).megabytes, 0);
}

TEST(WorkerSpecTest, NoCaseHasMoreThanThereIs) {
  Case c;
  c.flops = c.bytes = std::numeric_limits<int64_t>::max();
  EXPECT_LE(ExtraFor(c).seconds, kLongestTimeoutS);
  EXPECT_LE(ExtraFor(c).megabytes, MachineMemory() / 2'000'000);
}

TEST(WorkerSpecTest, AFolderOfTheEnvironmentsMayBeWritable) {
  Target target;
  target.writable = {"{venvs}/.venv-tt"};
  WorkerSpec spec;
  GrantDeclared(target, spec);
  EXPECT_THAT(spec.supervision.writable, Contains(VenvsFolder() / ".venv-tt"));
}

}  // namespace
}  // namespace opbyop::harness
