// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs programs on a target, one after the other, and judges them as a nightly does, in one slot with warm workers.
//
//   Expected<std::unique_ptr<Judge>> judge = Judge::Start(target, c, policies, seed);
//   Expected<CaseRecord> record = (*judge)->Run(program);
//
// Every program runs under the case's id, so that inputs are drawn from its seed.
#ifndef OPBYOP_REDUCTION_JUDGE_H_
#define OPBYOP_REDUCTION_JUDGE_H_

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "harness/inputs/input_set.h"
#include "harness/slot/slot.h"
#include "harness/worker/recover.h"
#include "harness/worker/scratch.h"
#include "manifests/targets/target.h"
#include "reduction/program.h"

namespace opbyop::reduction {

class Judge {
 public:
  // Starts the workers. If the device is absent, programs are only compiled.
  static Expected<std::unique_ptr<Judge>> Start(Target target, Case c, std::vector<harness::RunPolicy> policies,
                                                uint64_t seed, std::optional<uint64_t> fresh_seed = std::nullopt);
  ~Judge();

  // Returns an error only if workers can no longer be started.
  Expected<CaseRecord> Run(const Program& program);

  // Runs the program once more, and returns what the device gave for each result. Returns kUnsupported if it gave nothing.
  Expected<std::vector<reference::InputData>> Outputs(const Program& program);

  // Starts new workers for the next program, without state of earlier programs.
  void Renew();

  // From now on judges programs only on this policy, with this seed of a run.
  void Narrow(harness::RunPolicy policy, uint64_t seed);

  // Limits the time of stages to this multiple of the record's time, but not above their own limits.
  void LimitStages(const CaseRecord& record, double factor);

  // Used when "model" no longer describes the rest of a reduced model.
  void set_op(std::string op) { case_.op = std::move(op); }

  const Case& c() const { return case_; }
  const Target& target() const { return target_; }
  const std::vector<harness::RunPolicy>& policies() const { return settings_.policies; }
  uint64_t seed() const { return settings_.seed; }
  std::string toolchain() const { return slot_->target_hello().version; }

  // Draws the values that Run would use for the program. Returns the errors of the generation.
  Expected<std::vector<reference::InputData>> Draw(const Program& program) const;

 private:
  Judge(Target target, Case c, std::vector<harness::RunPolicy> policies, uint64_t seed,
        std::optional<uint64_t> fresh_seed, std::unique_ptr<harness::Scratch> scratch);
  Expected<void> MakeFolder();
  void StartSlot();

  Target target_;
  Case case_;
  std::unique_ptr<harness::Scratch> scratch_;
  std::optional<harness::ScratchDir> folder_;
  harness::DeviceState device_state_;
  harness::SlotSettings settings_;
  harness::RunStart start_;
  harness::SharedState shared_;
  std::unique_ptr<harness::Slot> slot_;
  int64_t runs_ = 0;
};

// The policy of fixed inputs, with the relaxations of `policy`. It is written to `file`.
Expected<harness::RunPolicy> FixedInputs(const harness::RunPolicy& policy, const std::filesystem::path& file);

// Stores the inputs of a program next to `folder`/cases, where the policy `captured` finds them.
Expected<void> StoreFixedInputs(const Program& program, const std::string& case_id,
                                const std::filesystem::path& folder);

}  // namespace opbyop::reduction

#endif  // OPBYOP_REDUCTION_JUDGE_H_
