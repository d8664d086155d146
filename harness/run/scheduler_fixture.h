// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A test fixture that runs mock cases through a scheduler, for the tests of slots and schedulers.
//
//   TEST_F(SchedulerTest, AMemoryBombIsOutOfMemory) {
//     EXPECT_EQ(Run({{"memory_bomb", "lower"}})["memory_bomb lower"].status, Status::kOutOfMemory);
//   }
#ifndef OPBYOP_HARNESS_RUN_SCHEDULER_FIXTURE_H_
#define OPBYOP_HARNESS_RUN_SCHEDULER_FIXTURE_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fixtures/mock/behaviour.h"
#include "harness/run/scheduler.h"
#include "harness/worker/scratch.h"
#include "manifests/baselines/baseline.h"
#include "manifests/cases/manifest.h"
#include "manifests/targets/target.h"
#include "support/process/process.h"
#include "support/process/test_children.h"
#include "support/test_folder.h"

namespace opbyop::harness {

class SchedulerTest : public testing::Test {
 protected:
  void SetUp() override {
    AdoptOrphans();
    Expected<Target> target = LoadTarget(TestSource("fixtures/mock/mock.yaml"));
    ASSERT_TRUE(target) << target.error().message;
    target_ = std::move(*target);
    std::filesystem::create_directory(Markers());
    target_.writable = {Markers()};
    auto scratch = Scratch::Open({folder_.path()});
    ASSERT_TRUE(scratch);
    scratch_ = std::move(*scratch);
    settings_.target = &target_;
    settings_.manifest_folder = folder_.path() / "manifest";
    shared_.scratch = scratch_.get();
    settings_.target_worker = Worker("target");
    settings_.reference_worker = Worker("reference");
  }

  // From now on the run has a baseline with this entry.
  void Expect(const std::string& entry) {
    Expected<Baseline> baseline =
        ParseBaseline("schema: opbyop-baseline/1\ntarget: mock\nentries:\n- " + entry + "\n", "mock.yaml");
    ASSERT_TRUE(baseline) << baseline.error().message;
    baseline_ = std::move(*baseline);
    settings_.baseline = &baseline_;
  }

  static std::string Repro(const Case& c, const ReproOptions& repeat) {
    return "opbyop repro mock__" + c.id + (repeat.policy.empty() ? "" : " --policy=" + repeat.policy) +
           (repeat.fresh_seed ? " --seed=" + std::to_string(*repeat.fresh_seed) : "");
  }

  std::string Markers() const { return folder_.path() / "markers"; }

  WorkerSpec Worker(const std::string& role) {
    WorkerSpec spec;
    spec.role = role;
    spec.argv = {TestProgram("mock_worker"), "--" + role};
    spec.environment = {{"MOCK_MARKERS", Markers()}};
    spec.fallback = {1, 256};
    for (const Stage& stage : target_.stages) spec.limits[stage.name] = spec.fallback;
    spec.limits["lower"] = {20, 256};
    spec.grace = std::chrono::milliseconds(50);
    return spec;
  }

  // Runs these cases, each between two cases that pass. Returns the records by behaviour and stage.
  std::map<std::string, CaseRecord> Run(const std::vector<mock::Behaviour>& behaviours, int jobs = 2, int slots = 3) {
    std::vector<mock::Behaviour> all;
    for (const mock::Behaviour& behaviour : behaviours) {
      all.push_back({});
      all.push_back(behaviour);
    }
    all.push_back({});
    const auto path = mock::WriteMockManifest(settings_.manifest_folder, all);
    EXPECT_TRUE(path);
    const Expected<Manifest> manifest = LoadManifest(*path);
    EXPECT_TRUE(manifest) << manifest.error().message;
    std::vector<const Case*> cases;
    for (const Case& c : manifest->cases) cases.push_back(&c);
    if (have_twins_) {
      for (const Case* c : cases) settings_.twins[c] = &twin_;
    }
    options_.jobs = jobs;
    options_.slots = slots;
    Scheduler scheduler(settings_, shared_, options_);
    EXPECT_TRUE(scheduler.Start());
    size_t sunk = 0;
    const auto sink = [&](const Case& c, CaseRecord& record, Scheduler::Kind kind) -> Expected<void> {
      sunk += kind == Scheduler::Kind::kEnded ? 1 : 0;
      record.repro = Repro(c, ReproOptionsOf(record, settings_.policies));
      return {};
    };
    scheduler.Go(cases, sink, start_.fresh_seed);
    std::map<std::string, CaseRecord> records;
    for (size_t i = 0; i < cases.size(); ++i) {
      std::shared_ptr<const CaseRecord> record;
      while (record == nullptr) record = scheduler.Await(*cases[i], std::chrono::seconds(1));
      if (all[i].name == "pass") {
        EXPECT_EQ(record->status, Status::kPass) << cases[i]->id << ": " << record->diagnostic;
      }
      records[all[i].name + " " + all[i].stage] = *record;
    }
    scheduler.Stop();
    EXPECT_EQ(sunk, cases.size());
    EXPECT_THAT(TestChildren(), testing::IsEmpty());
    for (const auto& root : scratch_->folders()) {
      for (const auto& entry : std::filesystem::directory_iterator(root)) EXPECT_EQ(entry.path().filename(), "lock");
    }
    return records;
  }

  TestFolder folder_;
  Target target_;
  std::unique_ptr<Scratch> scratch_;
  Baseline baseline_;
  SlotSettings settings_;
  SharedState shared_;
  RunStart start_;  // for slots without a scheduler; its fresh seed for both
  SchedulerOptions options_;
  bool have_twins_ = false;  // every case has `twin_` for its smaller twin
  Case twin_ = {.id = "add_4_f32"};
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_RUN_SCHEDULER_FIXTURE_H_
