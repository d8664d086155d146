// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/ingestion/row_report.h"

#include <algorithm>
#include <deque>
#include <future>
#include <memory>
#include <utility>

#include "reports/ingestion/optest.h"
#include "reports/view/rows.h"
#include "support/files/output_file.h"

namespace opbyop::reports {
namespace {

constexpr size_t kRowsAtATime = 256;

// Some rows with copies of their records, because a view holds only one record at a time.
struct Rows {
  explicit Rows(size_t rows_before = 0) : before(rows_before) {}

  void Add(const OpTest& test) {
    // Rows of a case follow each other.
    const bool same = test.row && !tests.empty() && tests.back().row && tests.back().record &&
                      tests.back().row->case_index == test.row->case_index;
    if (test.record && !same) records.push_back(*test.record);
    tests.push_back(test);
    if (test.record) tests.back().record = &records.back();
  }

  size_t before;
  std::vector<OpTest> tests;
  std::deque<CaseRecord> records;  // a deque does not move them
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
                               const View& view, const std::function<void(const OpTest& test)>& beside,
                               const std::function<void(size_t rows)>& progress) {
  std::vector<std::unique_ptr<OutputFile>> files;
  std::vector<std::function<void(const Rows&)>> readers;
  for (const auto& [path, report] : reports) {
    Expected<std::unique_ptr<OutputFile>> file = OutputFile::Create(path);
    if (!file) return Unexpected(file.error());
    (*file)->Write(report->Head(view));
    readers.emplace_back([&view, report = report, file = file->get()](const Rows& rows) {
      bool first = rows.before == 0;
      for (const OpTest& test : rows.tests) file->Write(report->Row(test, view, std::exchange(first, false)));
    });
    files.push_back(std::move(*file));
  }
  readers.emplace_back([&](const Rows& rows) { std::ranges::for_each(rows.tests, beside); });
  // The next rows are read while these are written.
  std::vector<std::future<void>> running(readers.size());
  const auto write = [&](const std::shared_ptr<const Rows>& rows) {
    for (size_t i = 0; i < readers.size(); ++i) {
      if (running[i].valid()) running[i].get();
      // If the system gives no thread, get() runs it.
      running[i] = std::async([&reader = readers[i], rows] { reader(*rows); });
    }
  };
  auto rows = std::make_shared<Rows>();
  ForEachOpTest(view, [&](const OpTest& test) {
    rows->Add(test);
    const size_t all = rows->before + rows->tests.size();
    progress(all);
    if (rows->tests.size() == kRowsAtATime) write(std::exchange(rows, std::make_shared<Rows>(all)));
  });
  write(rows);
  for (std::future<void>& each : running) each.get();
  if (*view.lost) return Unexpected(**view.lost);
  for (size_t i = 0; i < files.size(); ++i) {
    files[i]->Write(reports[i].second->Tail(view));
    if (const Expected<void> closed = files[i]->Close(); !closed) return closed;
  }
  return {};
}

}  // namespace opbyop::reports
