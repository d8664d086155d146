// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/row_report.h"

#include <memory>

#include "reports/optest.h"
#include "support/output_file.h"

namespace opbyop::reports {

std::string ReportText(const RowReport& report, const View& view) {
  std::string text = report.Head(view);
  bool first = true;
  ForEachOpTest(view, [&](const OpTest& test) {
    text += report.Row(test, view, first);
    first = false;
  });
  return text + report.Tail(view);
}

Expected<void> WriteRowReports(const std::vector<std::pair<std::filesystem::path, const RowReport*>>& reports,
                               const View& view, const std::function<void(const OpTest& test, size_t rows)>& written) {
  std::vector<std::unique_ptr<OutputFile>> files;
  for (const auto& [path, report] : reports) {
    Expected<std::unique_ptr<OutputFile>> file = OutputFile::Create(path);
    if (!file) return Unexpected(file.error());
    (*file)->Write(report->Head(view));
    files.push_back(std::move(*file));
  }
  size_t rows = 0;
  ForEachOpTest(view, [&](const OpTest& test) {
    for (size_t i = 0; i < files.size(); ++i) files[i]->Write(reports[i].second->Row(test, view, rows == 0));
    written(test, ++rows);
  });
  if (*view.lost) return Unexpected(**view.lost);
  for (size_t i = 0; i < files.size(); ++i) {
    files[i]->Write(reports[i].second->Tail(view));
    if (const Expected<void> closed = files[i]->Close(); !closed) return closed;
  }
  return {};
}

}  // namespace opbyop::reports
