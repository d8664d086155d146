// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// For tests: an empty history, and nights of a small run to import.
//
//   TestHistory history;                 // a file; on the server of OPBYOP_TEST_HISTORY if that is set
//   Night night(3);                      // the third night: three cases in two models, all pass
//   night.End("tanh_4_f32_00000001", Status::kFail, "compare", "output 0: 4 of 4 elements");
//   history.Import(night);
#ifndef OPBYOP_HISTORY_IMPORT_TEST_HISTORY_H_
#define OPBYOP_HISTORY_IMPORT_TEST_HISTORY_H_

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "history/database/database.h"
#include "history/database/history_place.h"
#include "history/import/importer.h"
#include "history/questions/questions.h"
#include "reports/view/example_run.h"
#include "support/test_folder.h"

namespace opbyop::history {

inline constexpr const char* kTanh = "tanh_4_f32_00000001";
inline constexpr const char* kAdd = "add_4_f32_00000002";
inline constexpr const char* kFft = "fft_4_f32_00000003";

// tanh in bert, add in bert and nn, fft in nn.
class Night : public reports::ExampleRun {
 public:
  explicit Night(int day) {
    run.header.run_id = fmt::format("night-{:02}", day);
    run.header.start = fmt::format("2026-11-{:02}T02:00:00.000000+00:00", day);
    run.header.toolchain = fmt::format("compiler {}", day);
    run.header.digest = fmt::format("digest of {}", day);
    run.header.manifest_hash = "0123";
    AddCase(kTanh, "stablehlo.tanh", {"bert"});
    AddCase(kAdd, "stablehlo.add", {"bert", "nn"});
    AddCase(kFft, "stablehlo.fft", {"nn"});
    for (const Case& c : manifest.cases) {
      CaseRecord& record = AddRecord(c.id, Status::kPass);
      record.timing = {10, 90, 100, 110};
      record.comparisons = {{.dtype = "f32", .elements = 4, .bound_ratio = 0.2, .rule = "ulp<=4", .policy = "domain"}};
    }
  }

  CaseRecord& RecordOf(const std::string& id) {
    for (CaseRecord& record : run.cases) {
      if (record.id == id) return record;
    }
    return AddRecord(id, Status::kPass);
  }

  // Removes the model and the cases that no other model has.
  void Drop(const std::string& model) {
    std::erase_if(manifest.models, [&](const Model& each) { return each.name == model; });
    for (Case& c : manifest.cases) {
      std::erase_if(c.origins, [&](const Origin& origin) { return origin.model == model; });
      if (c.origins.empty()) std::erase_if(run.cases, [&](const CaseRecord& record) { return record.id == c.id; });
    }
    std::erase_if(manifest.cases, [](const Case& c) { return c.origins.empty(); });
  }

  void End(const std::string& id, Status status, const std::string& stage, const std::string& diagnostic) {
    std::erase_if(run.cases, [&](const CaseRecord& record) { return record.id == id; });
    AddRecord(id, status, stage, diagnostic);
  }
};

// The details of all records of a view, as an import reads them from a file.
inline RunDetails DetailsOf(const reports::View& view) {
  RunDetails details;
  for (const reports::RowResult& row : view.rows) {
    if (const CaseRecord* record = view.RecordOf(row)) details.Add(row.case_index, *record);
  }
  return details;
}

class TestHistory {
 public:
  TestHistory() {
    const char* server = std::getenv("OPBYOP_TEST_HISTORY");
    where_ = server ? server : (folder_.path() / "history.db").string();
    if (server) {
      // The server is used only by tests.
      const auto empty = OpenDatabase(where_, Access::kWrite);
      if (empty) (void)(*empty)->Run("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    }
    auto opened = OpenDatabase(where_, Access::kWrite);
    if (!opened) ADD_FAILURE() << opened.error().message;
    if (opened) db_ = std::move(*opened);
  }

  Database& db() { return *db_; }
  const std::string& where() const { return where_; }
  bool is_file() const { return !IsPostgres(where_); }

  ImportReport Import(const Night& night, const std::string& digest = "one") { return Import(night, {}, digest); }

  ImportReport Import(const Night& night, const ImportOptions& options, const std::string& digest = "one") {
    const reports::View view = night.MakeView();
    const Expected<ImportReport> report =
        Importer(*db_, options).ImportView(view, DetailsOf(view), digest + night.run.header.run_id, "out/nightly");
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(ImportReport());
  }

  int64_t Count(const std::string& table) {
    return QueryInteger(*db_, "SELECT count(*) FROM " + table, {}).value_or(-1);
  }

  // The answer as lines; cells are separated by blanks. `columns` may be empty.
  std::vector<std::string> Ask(const std::string& verb, const std::vector<std::string>& columns) {
    const Expected<Answer> answer = opbyop::history::Ask(*db_, *FindQuestion(verb), {});
    EXPECT_TRUE(answer) << answer.error().message;
    std::vector<std::string> lines;
    if (!answer) return lines;
    for (const reports::Cells& cells : answer->table.body) {
      std::string& line = lines.emplace_back();
      for (const std::string& column : columns) {
        const auto at = std::ranges::find(answer->table.head, column);
        EXPECT_NE(at, answer->table.head.end()) << column;
        line += (line.empty() ? "" : " ") + cells[static_cast<size_t>(at - answer->table.head.begin())];
      }
    }
    return lines;
  }

 private:
  TestFolder folder_;
  std::string where_;
  std::unique_ptr<Database> db_;
};

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_IMPORT_TEST_HISTORY_H_
