// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Proposes a baseline under which a run would be green. A person should read it before it is committed.
//
//   Expected<BaselineUpdate> update = UpdateEntries(view, file, text);   // view: of the run without a baseline
//   WriteFile(file, update->text);
//
// | entry of `text`                                            | becomes                                             |
// |------------------------------------------------------------|-----------------------------------------------------|
// | rows fail as it says, and none passes                      | stays as it is written                              |
// | some fail as it says, others pass                          | the same with the ids of those that fail            |
// | its rows ran, and none fails as it says                    | is removed                                          |
// | none of its rows ran; the run has not its policy or device | stays                                               |
// | rows of `may_pass` fail as it says or pass                 | stays as it is written                              |
// | `status: flaky`                                            | stays as it is written                              |
//
// Failures that no entry expects are grouped by op, stage, status, policies and the diagnostic without its numbers,
// paths and names. Each group becomes an entry with its diagnostic as the reason. Comments and other keys stay.
#ifndef OPBYOP_REPORTS_SUMMARY_BASELINE_UPDATE_H_
#define OPBYOP_REPORTS_SUMMARY_BASELINE_UPDATE_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "reports/view/rows.h"
#include "support/expected.h"

namespace opbyop::reports {

struct BaselineUpdate {
  std::string text;
  int64_t kept = 0;      // unchanged entries
  int64_t narrowed = 0;  // entries reduced to the rows that fail
  int64_t removed = 0;
  int64_t added = 0;
  int64_t rows = 0;                    // rows that the added entries match
  std::vector<std::string> still_red;  // rows that no entry can match: flaky, missing
};

// Returns kBadInput if `text` is no baseline, or has entries that do not have at least a line each.
Expected<BaselineUpdate> UpdateEntries(const View& view, const std::filesystem::path& file, const std::string& text);

// A pattern (RE2) for diagnostics with this fingerprint.
std::string PatternOf(std::string_view fingerprint);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_SUMMARY_BASELINE_UPDATE_H_
