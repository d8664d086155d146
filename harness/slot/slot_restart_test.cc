// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tests slots whose workers do not start, or die before they read a request.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "harness/run/scheduler_fixture.h"
#include "manifests/cases/manifest.h"
#include "support/files/file.h"

namespace opbyop::harness {
namespace {

using testing::HasSubstr;

class RestartTest : public SchedulerTest {
 protected:
  void SetUp() override {
    SchedulerTest::SetUp();
    options_.restart_pause = std::chrono::milliseconds(1);
  }

  // Makes the worker start by the command `otherwise` if `condition` holds for n, the number of this start.
  void StartWhere(WorkerSpec& spec, const std::string& condition, const std::string& otherwise) {
    const std::string script = "echo >> " + starts_ + "; n=$(wc -l < " + starts_ + "); if " + condition + "; then " +
                               otherwise + "; fi; exec \"$@\"";
    spec.argv.insert(spec.argv.begin(), {"sh", "-c", script, "sh"});
  }
  void FailToStartWhere(const std::string& condition) {
    StartWhere(settings_.target_worker, condition, "echo no licence; exit 5");
  }

  // Starts a worker that dies as soon as its first request is written.
  static constexpr const char* kSpurn = "exec \"$@\" --hello=spurn";

  // Runs three cases on one slot: one that passes, one that kills the worker, and one that passes. Returns the records
  // of the first and the last.
  std::pair<CaseRecord, CaseRecord> RunAroundADeath() {
    const auto path = mock::WriteMockManifest(settings_.manifest_folder, {{}, {"segfault", "lower"}, {}});
    const Expected<Manifest> manifest = LoadManifest(*path);
    EXPECT_TRUE(manifest);
    Scheduler scheduler(settings_, shared_, options_);
    EXPECT_TRUE(scheduler.Start());
    std::vector<const Case*> cases;
    for (const Case& c : manifest->cases) cases.push_back(&c);
    scheduler.Go(cases, [](const Case&, const CaseRecord&, Scheduler::Kind) -> Expected<void> { return {}; });
    std::shared_ptr<const CaseRecord> last;
    while (last == nullptr) last = scheduler.Await(*cases.back(), std::chrono::seconds(1));
    return {*scheduler.Await(*cases.front(), std::chrono::seconds(1)), *last};
  }

  size_t starts() const { return ReadFile(starts_).value_or("").size(); }

  std::string starts_ = Markers() + "/starts";
};

TEST_F(RestartTest, ASlotWhoseWorkersDoNotStartForAWhileRecovers) {
  FailToStartWhere("[ $n -gt 1 ] && [ $n -lt 7 ]");
  EXPECT_EQ(Run({{"segfault", "lower"}}, 1, 1)["segfault lower"].status, Status::kCrash);
}

TEST_F(RestartTest, TheLastLivingSlotTakesAllCases) {
  settings_.retries = 0;
  options_.restarts = 2;
  FailToStartWhere("[ $n -gt 2 ]");
  EXPECT_EQ(Run({{"segfault", "lower"}, {}, {}}, 2, 2)["segfault lower"].status, Status::kCrash);
}

TEST_F(RestartTest, TheRestartLimitEndsInAnError) {
  options_.restarts = 3;
  FailToStartWhere("[ $n -gt 1 ]");
  const auto [first, last] = RunAroundADeath();
  EXPECT_EQ(last.status, Status::kMissing);
  EXPECT_THAT(last.diagnostic, HasSubstr("it printed: no licence"));
  EXPECT_THAT(last.diagnostic, HasSubstr("started again 3 times"));
  EXPECT_EQ(first.status, Status::kPass);
  // One first start, two for the second attempt at the case, three restarts.
  EXPECT_EQ(starts(), 6u);
}

TEST_F(RestartTest, AWorkerThatHasLostItsDeviceTakesNoCase) {
  options_.restarts = 1;
  StartWhere(settings_.target_worker, "[ $n -gt 1 ]", "exec \"$@\" --hello=no-device");
  const auto [first, last] = RunAroundADeath();
  EXPECT_EQ(last.status, Status::kMissing);
  EXPECT_THAT(last.diagnostic, HasSubstr("lost the device that this run started with: no device /dev/mock0"));
  EXPECT_EQ(first.status, Status::kPass);
}

TEST_F(RestartTest, AWorkerThatDiesBeforeItReadsACaseIsNoAttemptOfIt) {
  ::setenv("OPBYOP_ISOLATION", "none", 1);  // so that the reference counts its starts too
  for (const int batch : {1, 8}) {
    for (WorkerSpec* spec : {&settings_.target_worker, &settings_.reference_worker}) {
      target_.batch = batch;
      std::filesystem::remove(starts_);
      const std::vector<std::string> argv = spec->argv;
      StartWhere(*spec, "[ $n -lt 4 ]", kSpurn);
      const CaseRecord record = Run({{}, {}}, 1, 1)["pass lower"];
      EXPECT_EQ(record.attempts, 1) << spec->role << batch;
      EXPECT_EQ(record.batched > 1, batch > 1) << spec->role << batch;
      EXPECT_EQ(starts(), 4u) << spec->role << batch;
      spec->argv = argv;
    }
  }
  ::unsetenv("OPBYOP_ISOLATION");
}

TEST_F(RestartTest, WorkersThatNeverReadAreACrashInTheEnd) {
  StartWhere(settings_.target_worker, "true", kSpurn);
  settings_.retries = 0;
  const auto path = mock::WriteMockManifest(settings_.manifest_folder, {{}});
  const Expected<Manifest> manifest = LoadManifest(*path);
  ASSERT_TRUE(manifest);
  Slot slot(0, settings_, start_, shared_);
  const Expected<CaseRecord> record = slot.Run(manifest->cases[0]);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->status, Status::kCrash);
  EXPECT_THAT(record->diagnostic, HasSubstr("before it read its request"));
  EXPECT_EQ(starts(), 4u);
}

}  // namespace
}  // namespace opbyop::harness
