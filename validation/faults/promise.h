// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Faults that no input can show on some cases, because a right device may do the same: each with its proof.
//
//   Expected<Promise> promise = Promise::Load("validation/faults/promise.yaml");
//   const Promise::Entry* entry = promise->Find("dot_tf32", c.id);      // nullptr: nothing excuses it
//   for (const Promise::Entry* idle : promise->Unused()) ...             // entries without an escape
#ifndef OPBYOP_VALIDATION_FAULTS_PROMISE_H_
#define OPBYOP_VALIDATION_FAULTS_PROMISE_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "support/expected.h"

namespace opbyop {

class Promise {
 public:
  struct Entry {
    std::vector<std::string> faults;  // names or globs
    std::vector<std::string> cases;   // globs over ids
    std::string proof;                // why a right device may have the same result
    int line = 0;
    mutable int64_t used = 0;
  };

  // Returns kNoInput or kBadInput; an entry without a proof is bad input.
  static Expected<Promise> Load(const std::filesystem::path& file);

  // The first entry that covers the fault on the case. The entry then counts as used.
  const Entry* Find(std::string_view fault, std::string_view id) const;
  std::vector<const Entry*> Unused() const;
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

}  // namespace opbyop

#endif  // OPBYOP_VALIDATION_FAULTS_PROMISE_H_
