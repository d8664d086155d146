// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One attempt at a case, shared by the source files of Slot.
#ifndef OPBYOP_HARNESS_SLOT_SLOT_ATTEMPT_H_
#define OPBYOP_HARNESS_SLOT_SLOT_ATTEMPT_H_

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/inputs/made_twin.h"
#include "harness/slot/slot.h"

namespace opbyop::harness {

// One attempt to run a case, or one set of its inputs. For a set, the record is that of the set.
struct Slot::Attempt {
  const Case& c;
  const RunPolicy* policy;
  std::filesystem::path dir;
  CaseRecord record;
  std::string set = {};                         // name of the set
  std::vector<std::string> input_digests = {};  // of the inputs that the reference generated
  bool unread = false;                          // the target died before it read the request to execute
  Answer drawn = {};                            // answer to `inputs` for the first set
  double inputs_ms = 0;                         // what the reference needed for the set (InputSetRecord)
  double reference_cpu_ms = 0;
  int64_t reference_peak_kb = 0;

  void AddReferenceUse(const Answer& answer) {
    for (const StageRecord& stage : answer.stages) inputs_ms += stage.name == kInputsStage ? stage.ms : 0;
    reference_cpu_ms += answer.cpu_ms;
    reference_peak_kb = std::max(reference_peak_kb, answer.peak_rss_kb);
  }
  // Writes it to the line of the set.
  void PutReferenceUse(InputSetRecord& set) const {
    set.inputs_ms = inputs_ms;
    set.reference_cpu_ms = reference_cpu_ms;
    set.reference_peak_kb = reference_peak_kb;
  }

  bool passing() const { return record.status == Status::kPass; }
};

// A smaller twin that was made of a case. `attempt` refers to `made`, so it must not be moved.
struct Slot::Twin {
  Twin(MadeTwin made_twin, ScratchDir program_folder, const RunPolicy* policy, std::filesystem::path dir)
      : made(std::move(made_twin)), folder(std::move(program_folder)), attempt{made.c, policy, std::move(dir), {}} {}
  Twin(const Twin&) = delete;
  Twin& operator=(const Twin&) = delete;

  MadeTwin made;
  ScratchDir folder;  // of the program
  Attempt attempt;
  std::vector<std::vector<std::string>> executed = {};  // digests of the inputs of its sets
  bool compiled = false;                                // or tried to
  bool loads = true;                                    // its compilation passed
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_SLOT_SLOT_ATTEMPT_H_
