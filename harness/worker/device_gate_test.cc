// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/worker/device_gate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <shared_mutex>
#include <thread>

namespace opbyop::harness {
namespace {

TEST(DeviceGateTest, SeveralCasesAreOnTheDeviceAtOnce) {
  DeviceGate gate;
  const std::shared_lock first(gate);
  const std::shared_lock second(gate);
}

TEST(DeviceGateTest, RecoveryWaitsForThoseOnTheDeviceAndKeepsOthersOut) {
  DeviceGate gate;
  gate.lock_shared();
  std::atomic<bool> left = false, recovering = false, recovered = false, entered = false;
  std::thread recovery([&] {
    recovering = true;
    const std::unique_lock alone(gate);
    EXPECT_TRUE(left);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(entered);
    recovered = true;
  });
  while (!recovering) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(recovered);
  std::thread late([&] {
    const std::shared_lock lock(gate);
    entered = true;
    EXPECT_TRUE(recovered);
  });
  left = true;
  gate.unlock_shared();
  recovery.join();
  late.join();
  EXPECT_TRUE(entered);
}

}  // namespace
}  // namespace opbyop::harness
