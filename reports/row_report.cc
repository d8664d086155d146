// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/row_report.h"

#include <deque>
#include <future>
#include <memory>

#include "reports/optest.h"
#include "reports/rows.h"
#include "support/output_file.h"

namespace opbyop::reports {
namespace {

constexpr size_t kRowsAtATime = 256;

// Some rows with records of their own: a view has one at a time.
struct Rows {
  explicit Rows(size_t rows_before = 0) : before(rows_before) {}

  void Add(const OpTest& test) {
    // Rows of a case stand together.
    const bool same = test.row && !tests.empty() && tests.back().row && tests.back().record &&
                      tests.back().row->case_index == test.row->case_index;
    if (test.record && !same) records.push_back(*test.record);
    tests.push_back(test);
    if (test.record) tests.back().record = &records.back();
  }

  size_t before;
  std::vector<OpTest> tests;
  std::deque<CaseRecord> records;  // they stay where they are
};

}  // namespace

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
  // A report's rows are made by a thread of its own while the next records are read.
  std::vector<std::future<void>> running(reports.size());
  const auto write = [&](const std::shared_ptr<const Rows>& rows) {
    for (size_t i = 0; i < reports.size(); ++i) {
      if (running[i].valid()) running[i].get();
      // Where the system gives no thread, get() does it.
      running[i] = std::async([&view, rows, report = reports[i].second, file = files[i].get()] {
        bool first = rows->before == 0;
        for (const OpTest& test : rows->tests) {
          file->Write(report->Row(test, view, first));
          first = false;
        }
      });
    }
  };
  auto rows = std::make_shared<Rows>();
  ForEachOpTest(view, [&](const OpTest& test) {
    rows->Add(test);
    written(test, rows->before + rows->tests.size());
    if (rows->tests.size() < kRowsAtATime) return;
    const size_t before = rows->before + rows->tests.size();
    write(std::exchange(rows, std::make_shared<Rows>(before)));
  });
  write(std::move(rows));
  for (std::future<void>& each : running) each.get();
  if (*view.lost) return Unexpected(**view.lost);
  for (size_t i = 0; i < files.size(); ++i) {
    files[i]->Write(reports[i].second->Tail(view));
    if (const Expected<void> closed = files[i]->Close(); !closed) return closed;
  }
  return {};
}

}  // namespace opbyop::reports
