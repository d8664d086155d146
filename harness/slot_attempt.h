// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the files of Slot share: a case on its way.
#ifndef OPBYOP_HARNESS_SLOT_ATTEMPT_H_
#define OPBYOP_HARNESS_SLOT_ATTEMPT_H_

#include <filesystem>
#include <string>
#include <vector>

#include "harness/slot.h"

namespace opbyop::harness {

// One way of one case through the workers, or of one set of its inputs: then the record is that of the set.
struct Slot::Attempt {
  const Case& c;
  const RunPolicy* policy;
  std::filesystem::path dir;
  CaseRecord record;
  std::string set = {};                         // its name
  std::vector<std::string> input_digests = {};  // of what the reference generated
  bool unread = false;                          // the target died before it read that it was to execute the case
  Answer drawn = {};                            // to `inputs` for the first set

  bool passing() const { return record.status == Status::kPass; }
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_SLOT_ATTEMPT_H_
