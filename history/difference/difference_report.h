// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes the difference of two runs for people: the worst changes first, one line for each cause.
//
//   std::cout << DifferenceText(difference);
//   WriteFile("comment.md", DifferenceMarkdown(difference));   // a comment on a pull request: less than 30 lines
#ifndef OPBYOP_HISTORY_DIFFERENCE_DIFFERENCE_REPORT_H_
#define OPBYOP_HISTORY_DIFFERENCE_DIFFERENCE_REPORT_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "history/difference/difference.h"

namespace opbyop::history {

// Changes of one kind with one cause. Changes of times and numbers are grouped by case; rows that are new or removed,
// by model.
struct DifferenceEntry {
  ChangeKind kind = ChangeKind::kBroke;
  bool worse = false;  // IsRegression of any of them
  int64_t rows = 0;
  std::set<std::string> ops, models;
  std::string what;   // "fail in compare: output 0: ...", "12.3 µs -> 15.1 µs (+22 %)"
  std::string group;  // its id; empty if there is none
  std::string first;  // "<model>__<case id>"
  std::string issue, owner;
  double size = 0;  // for a change of a number: its logarithm
};

// The sentence for Difference::up_to_machine: "3 rows changed between passing and the failure that the baseline
// allows".
std::string UpToMachineText(int64_t rows);

// The worst kinds first; within a kind, the entries with most rows or the largest change first.
std::vector<DifferenceEntry> EntriesOf(const Difference& difference);

std::string DifferenceText(const Difference& difference);
std::string DifferenceMarkdown(const Difference& difference);

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_DIFFERENCE_DIFFERENCE_REPORT_H_
