// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// chunks.jsonl: the result of each chunk, written when it ends, so that an interrupted run can be resumed.
//
//   Expected<Journal> journal = Journal::Open(folder / "chunks.jsonl", {.target = "xla", .toolchain = "..."}, fresh);
//   journal->Find("tanh_f32", 1 << 20, 17);      // its tally, or nullptr
//   journal->Append("tanh_f32", 1 << 20, 17, tally);
//
// A line that was cut off counts as not written. Chunks of another target, another version of its toolchain or another
// build belong to another run: kUsage.
#ifndef OPBYOP_COMMANDS_EXHAUST_JOURNAL_H_
#define OPBYOP_COMMANDS_EXHAUST_JOURNAL_H_

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <tuple>

#include "commands/exhaust/tally.h"
#include "support/expected.h"

namespace opbyop::exhaustive {

struct JournalKey {
  std::string target;
  std::string toolchain;
  // digest of everything else that decides a result: the target's file, the builds of the programs here
  std::string programs;
};

class Journal {
 public:
  // `fresh`: an existing journal is removed.
  static Expected<Journal> Open(const std::filesystem::path& path, const JournalKey& key, bool fresh);

  // nullptr if the journal does not have it.
  const Tally* Find(const std::string& function, uint64_t size, uint64_t chunk) const;
  Expected<void> Append(const std::string& function, uint64_t size, uint64_t chunk, const Tally& tally);

 private:
  std::filesystem::path path_;
  std::ofstream file_;
  std::map<std::tuple<std::string, uint64_t, uint64_t>, Tally> tallies_;
};

}  // namespace opbyop::exhaustive

#endif  // OPBYOP_COMMANDS_EXHAUST_JOURNAL_H_
