// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tests cases that leave something in their worker that makes a later case die or compute wrongly.
#include <string>
#include <utility>
#include <vector>

#include "harness/run/scheduler_fixture.h"

namespace opbyop::harness {
namespace {

using mock::Behaviour;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SlotReplayTest : public SchedulerTest {
 protected:
  struct Ends {
    std::vector<CaseRecord> cases;    // in the order of the manifest, with their last records
    std::vector<CaseRecord> amended;  // in order of time
  };

  // Runs the cases in this order in one slot.
  Ends InOneSlot(const std::vector<Behaviour>& behaviours) {
    const auto path = mock::WriteMockManifest(settings_.manifest_folder, behaviours);
    EXPECT_TRUE(path);
    const Expected<Manifest> manifest = LoadManifest(*path);
    EXPECT_TRUE(manifest) << manifest.error().message;
    std::vector<const Case*> cases;
    for (const Case& c : manifest->cases) cases.push_back(&c);
    Scheduler scheduler(settings_, shared_, options_);
    EXPECT_TRUE(scheduler.Start());
    Ends ends;
    std::map<std::string, CaseRecord> last;
    scheduler.Go(cases, [&](const Case&, const CaseRecord& record, Scheduler::Kind kind) -> Expected<void> {
      last[record.id] = record;
      if (kind == Scheduler::Kind::kAmended) ends.amended.push_back(record);
      return {};
    });
    for (const Case* c : cases) {
      while (scheduler.Await(*c, std::chrono::seconds(1)) == nullptr) {
      }
    }
    scheduler.Stop();
    EXPECT_THAT(TestChildren(), IsEmpty());
    for (const Case* c : cases) ends.cases.push_back(last[c->id]);
    return ends;
  }
};

TEST_F(SlotReplayTest, TheCaseThatSpoilsAnotherIsRedAndBothNameEachOther) {
  const Ends ends = InOneSlot({{}, {"poison", "execute"}, {}, {}, {"dies_of_poison", "lower"}, {}});
  const CaseRecord &spoiler = ends.cases[1], &victim = ends.cases[4];
  EXPECT_EQ(victim.status, Status::kFlaky) << victim.diagnostic;
  EXPECT_EQ(victim.spoiled_by, spoiler.id);
  EXPECT_THAT(victim.diagnostic, HasSubstr("it fails in this way whenever it runs after " + spoiler.id));
  EXPECT_EQ(spoiler.status, Status::kFail);
  EXPECT_EQ(spoiler.stage, "execute");
  EXPECT_THAT(spoiler.spoils, ElementsAre(victim.id));
  EXPECT_THAT(spoiler.diagnostic, HasSubstr("pass, but " + victim.id + " ends as crash in stage lower whenever"));
  EXPECT_EQ(ends.amended.size(), 1u);
  for (const size_t good : {0, 2, 3, 5})
    EXPECT_EQ(ends.cases[good].status, Status::kPass) << ends.cases[good].diagnostic;
}

TEST_F(SlotReplayTest, ACaseThatFailsOnceByItselfAccusesNoOther) {
  const Ends ends = InOneSlot({{}, {}, {"flaky", "lower"}, {}});
  EXPECT_EQ(ends.cases[2].status, Status::kFlaky);
  EXPECT_EQ(ends.cases[2].spoiled_by, "");
  EXPECT_THAT(ends.cases[2].diagnostic, HasSubstr("run again after the 2 cases before it in that worker, it did not"));
  EXPECT_THAT(ends.amended, IsEmpty());
}

TEST_F(SlotReplayTest, TheFirstCaseOfAWorkerAccusesNoOther) {
  const Ends ends = InOneSlot({{"flaky", "lower"}, {}});
  EXPECT_EQ(ends.cases[0].status, Status::kFlaky);
  EXPECT_THAT(ends.cases[0].diagnostic, testing::Not(HasSubstr("run again")));
}

TEST_F(SlotReplayTest, AKnownFlakyCaseIsNotInvestigated) {
  Expect("{id: '*', status: flaky, stage: lower, reason: r}");
  const Ends ends = InOneSlot({{"poison", "execute"}, {"dies_of_poison", "lower"}});
  EXPECT_EQ(ends.cases[0].status, Status::kPass);
  EXPECT_EQ(ends.cases[1].status, Status::kFlaky);
  EXPECT_THAT(ends.amended, IsEmpty());
}

TEST_F(SlotReplayTest, WithoutReplayTimeNoCaseIsAccused) {
  options_.replay_time = std::chrono::milliseconds(0);
  const Ends ends = InOneSlot({{"poison", "execute"}, {"dies_of_poison", "lower"}});
  EXPECT_EQ(ends.cases[0].status, Status::kPass);
  EXPECT_EQ(ends.cases[1].status, Status::kFlaky);
  EXPECT_THAT(ends.cases[1].diagnostic, HasSubstr("was given up"));
}

TEST_F(SlotReplayTest, ASpoilerThatIsRedKeepsItsStatus) {
  const Ends ends = InOneSlot({{}, {"poison_and_fail", "lower"}, {"dies_of_poison", "lower"}});
  EXPECT_EQ(ends.cases[1].status, Status::kFail);
  EXPECT_EQ(ends.cases[1].stage, "lower");
  EXPECT_THAT(ends.cases[1].diagnostic, HasSubstr("has no kernel"));
  EXPECT_THAT(ends.cases[1].spoils, ElementsAre(ends.cases[2].id));
}

TEST_F(SlotReplayTest, MembersOfABatchAreInvestigatedToo) {
  target_.batch = 6;
  const Ends ends = InOneSlot({{}, {"poison", "execute"}, {}, {"dies_of_poison", "execute"}, {}, {}});
  EXPECT_EQ(ends.cases[3].spoiled_by, ends.cases[1].id) << ends.cases[3].diagnostic;
  EXPECT_EQ(ends.cases[1].status, Status::kFail);
  for (const size_t good : {0, 2, 4, 5})
    EXPECT_EQ(ends.cases[good].status, Status::kPass) << ends.cases[good].diagnostic;
}

TEST_F(SlotReplayTest, KeptFilesAreOfTheCasesOwnRunNotOfAReplay) {
  settings_.keep = folder_.path() / "kept";
  std::filesystem::create_directory(settings_.keep);
  const Ends ends = InOneSlot({{}, {"poison", "execute"}, {"dies_of_poison", "lower"}});
  EXPECT_EQ(ends.cases[1].status, Status::kFail) << ends.cases[2].diagnostic;
  for (const CaseRecord& record : ends.cases) {
    EXPECT_TRUE(std::filesystem::exists(settings_.keep / record.id / "output_0.npy")) << record.id;
  }
}

TEST_F(SlotReplayTest, ADaemonOfAPassingCaseIsGoneBeforeTheNextAndTheRecordSaysSo) {
  const Ends ends = InOneSlot({{"leave_daemon", "execute"}, {}, {"leave_child", "lower"}, {}});
  EXPECT_THAT(ends.cases[0].left_running, HasSubstr("1 process: "));
  EXPECT_THAT(ends.cases[2].left_running, HasSubstr("1 process: "));
  EXPECT_EQ(ends.cases[1].left_running, "");
  for (const CaseRecord& record : ends.cases) EXPECT_EQ(record.status, Status::kPass) << record.diagnostic;
}

// The first case leaves a process that tries to read the next case's request.
TEST_F(SlotReplayTest, ALeftoverProcessCannotReadTheNextCasesRequest) {
  const Ends ends = InOneSlot({{"leave_thief", "execute"}, {}, {"leave_thief", "lower"}, {}});
  for (const CaseRecord& record : ends.cases) EXPECT_EQ(record.status, Status::kPass) << record.diagnostic;
}

TEST_F(SlotReplayTest, ProcessesOfARequestStayIfHelpersAreKept) {
  settings_.target_worker.keeps_helpers = true;
  const Ends ends = InOneSlot({{"leave_daemon", "execute"}, {}});
  for (const CaseRecord& record : ends.cases) {
    EXPECT_EQ(record.status, Status::kPass) << record.diagnostic;
    EXPECT_EQ(record.left_running, "");
  }
}

TEST_F(SlotReplayTest, AWorkerOfAnotherVersionGetsNoCase) {
  settings_.target_worker.argv.emplace_back("--hello=rebuilt");
  const Ends ends = InOneSlot({{}, {"segfault", "lower"}, {}, {}});
  EXPECT_EQ(ends.cases[0].status, Status::kPass);
  EXPECT_EQ(ends.cases[1].status, Status::kCrash) << "of the old one";
  EXPECT_EQ(ends.cases[1].attempts, 1);
  for (const size_t later : {2, 3}) EXPECT_EQ(ends.cases[later].status, Status::kMissing);
}

}  // namespace
}  // namespace opbyop::harness
