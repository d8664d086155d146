// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A report that consists of a head, a text for each row and a tail. Several can be written in one pass over a run, and
// also row by row while the run goes on (reports/command/live_reports.h).
//
//   class Names : public RowReport {
//     std::string Head(const View&) const override { return "["; }
//     std::string Row(const OpTest& test, const View&, bool first) const override {
//       return (first ? "" : ",") + test.name;
//     }
//     std::string Tail(const View&) const override { return "]"; }
//   };
//   WriteRowReports({{"names.json", &names}}, view);
#ifndef OPBYOP_REPORTS_INGESTION_ROW_REPORT_H_
#define OPBYOP_REPORTS_INGESTION_ROW_REPORT_H_

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support/expected.h"

namespace opbyop::reports {

struct OpTest;
struct View;

class RowReport {
 public:
  virtual ~RowReport() = default;

  // Uses only the parts of `view` that do not depend on its rows: header, counts, models that could not be split.
  virtual std::string Head(const View& view) const = 0;
  virtual std::string Row(const OpTest& test, const View& view, bool first) const = 0;
  virtual std::string Tail(const View& view) const = 0;
};

// The whole report; for runs with few rows.
std::string ReportText(const RowReport& report, const View& view);

// Writes each report into its file, all in one pass over the rows, each with its own thread. Returns kNoInput if a file
// cannot be written, kBadInput if the results changed in the meantime. `beside` gets each row too, in order, on one
// more thread, for other outputs of the same pass. `progress` is called on this thread after each row.
Expected<void> WriteRowReports(
    const std::vector<std::pair<std::filesystem::path, const RowReport*>>& reports, const View& view,
    const std::function<void(const OpTest& test)>& beside = [](const OpTest&) {},
    const std::function<void(size_t rows)>& progress = [](size_t) {});

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_INGESTION_ROW_REPORT_H_
