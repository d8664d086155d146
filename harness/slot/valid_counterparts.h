// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Remembers how the valid counterparts of programs that must be refused ended on the target. Many cases share one,
// which is compiled once in a run.
//
//   if (const auto known = twins.Find(file)) return *known;
//   twins.Note(file, "fail in stage compile: no kernel");
#ifndef OPBYOP_HARNESS_SLOT_VALID_COUNTERPARTS_H_
#define OPBYOP_HARNESS_SLOT_VALID_COUNTERPARTS_H_

#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace opbyop::harness {

// Shared by all slots, each of which is a thread.
class ValidCounterparts {
 public:
  // Returns an empty text if the target compiles the program, and nullopt if the program has not been compiled yet.
  std::optional<std::string> Find(const std::string& file) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = ends_.find(file);
    return found == ends_.end() ? std::nullopt : std::optional(found->second);
  }

  void Note(const std::string& file, const std::string& end) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ends_.emplace(file, end);
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::string> ends_;
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_SLOT_VALID_COUNTERPARTS_H_
