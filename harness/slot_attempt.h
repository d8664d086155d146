// What the files of Slot share: a case on its way.
#ifndef OPBYOP_HARNESS_SLOT_ATTEMPT_H_
#define OPBYOP_HARNESS_SLOT_ATTEMPT_H_

#include <filesystem>
#include <string>
#include <vector>

#include "harness/slot.h"

namespace opbyop {

// One way of one case through the workers.
struct Slot::Attempt {
  const Case& c;
  std::filesystem::path dir;
  CaseRecord record;
  std::vector<std::string> input_digests = {};  // of what the reference generated
  bool unread = false;                          // the target died before it read that it was to execute the case

  bool passing() const { return record.status == Status::kPass; }
};

}  // namespace opbyop

#endif  // OPBYOP_HARNESS_SLOT_ATTEMPT_H_
