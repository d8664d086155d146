// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tests a device that does not come back after a crash.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <vector>

#include "harness/run/scheduler_fixture.h"
#include "manifests/cases/manifest.h"

namespace opbyop::harness {
namespace {

using mock::Behaviour;
using testing::HasSubstr;

// The device is lost when the first case has died on it.
class LostDeviceTest : public SchedulerTest {
 protected:
  void SetUp() override {
    SchedulerTest::SetUp();
    target_.device.health = {"sh", "-c", "echo board 0 is gone; exit 1"};
  }

  // Returns the records of a run whose first case dies on the device, and counts later uses of the device.
  std::vector<std::shared_ptr<const CaseRecord>> RunAll(int jobs, size_t good) {
    std::vector<Behaviour> behaviours(good, Behaviour{.stage = "execute", .ms = 50});
    behaviours.insert(behaviours.begin(), {"segfault", "execute"});
    const auto path = mock::WriteMockManifest(settings_.manifest_folder, behaviours);
    const Expected<Manifest> manifest = LoadManifest(*path);
    EXPECT_TRUE(manifest);
    std::vector<const Case*> cases;
    for (const Case& c : manifest->cases) cases.push_back(&c);
    options_.jobs = jobs;
    Scheduler scheduler(settings_, shared_, options_);
    EXPECT_TRUE(scheduler.Start());
    scheduler.Go(cases, [](const Case&, const CaseRecord&, Scheduler::Kind) -> Expected<void> { return {}; });
    std::vector<std::shared_ptr<const CaseRecord>> records;
    for (const Case* c : cases) {
      std::shared_ptr<const CaseRecord> record;
      while (record == nullptr) record = scheduler.Await(*c, std::chrono::seconds(1));
      records.push_back(record);
    }
    scheduler.Stop();
    EXPECT_TRUE(scheduler.device_lost());
    EXPECT_EQ(scheduler.fatal()->code, ExitCode::kPartial);
    return records;
  }
};

TEST_F(LostDeviceTest, TheCaseThatLostTheDeviceSaysSo) {
  const auto records = RunAll(1, 1);
  EXPECT_EQ(records[0]->status, Status::kCrash);
  EXPECT_EQ(records[0]->stage, "execute");
  EXPECT_THAT(records[0]->diagnostic, HasSubstr("died of SIGSEGV"));
  EXPECT_THAT(records[0]->diagnostic, HasSubstr("the device did not come back"));
  EXPECT_THAT(records[0]->diagnostic, HasSubstr("board 0 is gone"));
}

TEST_F(LostDeviceTest, NoSlotUsesALostDevice) {
  const auto records = RunAll(2, 200);
  const auto missing = [](const auto& record) { return record->status == Status::kMissing; };
  EXPECT_GT(std::ranges::count_if(records, missing), 150);
  EXPECT_THAT(records.back()->diagnostic, HasSubstr("not run: "));
  EXPECT_THAT(records.back()->diagnostic, HasSubstr("board 0 is gone"));
}

TEST_F(LostDeviceTest, AMemberOfABatchThatLostTheDeviceSaysSo) {
  target_.batch = 8;
  const auto records = RunAll(1, 3);
  EXPECT_EQ(records[0]->status, Status::kCrash);
  EXPECT_THAT(records[0]->diagnostic, HasSubstr("board 0 is gone"));
  EXPECT_EQ(records[1]->status, Status::kMissing);
}

}  // namespace
}  // namespace opbyop::harness
