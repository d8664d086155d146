// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A run in the form in which it is compared with another: the status of each row, the time of each case, the errors of
// its numbers.
//
//   const Snapshot before = SnapshotOf(view);   // of a folder; of a history's runs:
//   history/difference/stored_snapshot.h
#ifndef OPBYOP_HISTORY_DIFFERENCE_SNAPSHOT_H_
#define OPBYOP_HISTORY_DIFFERENCE_SNAPSHOT_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "history/difference/case_details.h"
#include "manifests/status/status.h"
#include "reports/view/rows.h"

namespace opbyop::history {

struct SnapshotCase : CaseNumbers {
  std::string id;
  std::string op;  // with the called target, if the op calls one
  std::string signature;
  int64_t key = 0;  // in the database it was loaded from
};

struct SnapshotRow {
  size_t case_index = 0;  // in Snapshot::cases
  std::string model;
  Status status = Status::kMissing;
  std::string stage;
  std::string cause;  // id of its group; empty on pass
  int64_t ops = 0;
  int64_t key = 0;             // in the database it was loaded from
  bool up_to_machine = false;  // the baseline lets it pass or fail, and it did one of the two
};

struct SnapshotCause {
  std::string diagnostic;
  std::string reason, issue, owner;  // of the baseline, if it has an entry for a row of the group
};

struct Snapshot {
  std::string run_id, target, toolchain, series, machine;
  std::string decides;  // RunHeader::digest
  std::string started;  // RFC 3339
  int64_t started_us = 0;
  bool complete = true;
  bool partial = false;  // a run of chosen rows
  int64_t key = 0;       // in the database it was loaded from

  std::vector<SnapshotCase> cases;
  std::vector<SnapshotRow> rows;
  std::map<std::string, SnapshotCause, std::less<>> causes;  // by id
};

// The series that runs are compared within: "host", "host whole", "host suite stablehlo 1.0 full".
std::string SeriesOf(const RunHeader& header, const Manifest& manifest);

// The machine that times are compared within: "AMD EPYC 7B13, 2 cores".
std::string MachineOf(const RunHeader& header);

// The snapshot without its rows and cases.
Snapshot SnapshotHead(const reports::View& view);

// Whether the baseline lets the row pass or fail (`may_pass`), and it did one of the two.
bool IsUpToMachine(const reports::RowResult& row);

// Makes a case of a run; `numbers` are those of its record.
SnapshotCase MakeSnapshotCase(const Case& c, const CaseNumbers& numbers);

// Reads each record once.
Snapshot SnapshotOf(const reports::View& view);

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_DIFFERENCE_SNAPSHOT_H_
