// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Imports runs into a history: each run once, and in one transaction.
//
//   Importer importer(*db, {});
//   Expected<ImportReport> report = importer.Import("out/nightly");
//   report->outcome;   // kUnchanged if the history already has this run
//   importer.ImportEach(runs, [](const ImportReport& report) { ... });   // reads one while it writes the one before
//
// A run that was resumed after it was imported, or that is judged by another baseline, replaces its earlier version. In
// addition to its rows, the history gets their changes since the previous run of the series. If runs are imported out
// of order, it also gets the changes of the following run since this one.
#ifndef OPBYOP_HISTORY_IMPORT_IMPORTER_H_
#define OPBYOP_HISTORY_IMPORT_IMPORTER_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "history/database/database.h"
#include "history/difference/case_details.h"
#include "history/difference/difference.h"
#include "history/difference/snapshot.h"
#include "history/import/keys.h"
#include "reports/view/rows.h"

namespace opbyop::history {

struct ImportOptions {
  std::filesystem::path baseline;  // file, or folder with TARGET.yaml; empty: none
  DifferenceOptions difference;
  bool fewer_models = false;  // a run that lacks models of the run before it still continues the series
};

enum class ImportOutcome { kImported, kReplaced, kUnchanged };

struct ImportReport {
  std::string run_id;
  std::string series;
  ImportOutcome outcome = ImportOutcome::kImported;
  int64_t rows = 0;
  int64_t changes = 0;   // since the previous run
  bool complete = true;  // whether the run ended
  std::string damage;    // lines of its results that cannot be read, whose cases are missing; empty if all can
  std::vector<std::string> lacking;  // models of the run before that this one lacks: it counts as a run of chosen rows
  // rows that passed or failed as the baseline allows, but differently than before; not in `changes`
  int64_t up_to_machine = 0;
};

class Importer {
 public:
  Importer(Database& db, ImportOptions options) : db_(db), options_(std::move(options)), keys_(db) {}

  // Imports a folder with results.jsonl, or such a file.
  Expected<ImportReport> Import(const std::filesystem::path& run);

  // Imports runs in this order, up to the first error. The runs before it remain imported.
  Expected<void> ImportEach(std::span<const std::filesystem::path> runs,
                            const std::function<void(const ImportReport& report)>& visit);

  // Imports a run that was read already, with the details of its records. `digest` identifies its content; `source` is
  // where it came from.
  Expected<ImportReport> ImportView(const reports::View& view, const RunDetails& details, const std::string& digest,
                                    const std::string& source);

 private:
  struct ReadRun;
  struct Reading;  // a run that is read in the background, or that the history has

  // `before` is the run that was read before this one; may be null.
  Expected<Reading> Begin(const std::filesystem::path& run, std::shared_ptr<const ReadRun> before);
  Expected<ImportReport> Finish(const Reading& reading);
  // The report if the history already has the run as it is.
  Expected<std::optional<ImportReport>> Unchanged(const std::string& run_id, const std::string& digest);
  Expected<ImportReport> ImportInTransaction(const reports::View& view, const RunDetails& details,
                                             const std::string& digest, const std::string& source);
  // Turns the next runs of the series into runs of chosen rows if they lack models of this one.
  Expected<void> SetAsideLaterRuns(const Snapshot& run, const std::vector<std::string>& models);
  // Writes the changes and reports their number. `keys_` must know all causes.
  Expected<void> WriteChanges(int64_t previous, const Snapshot& after, ImportReport& report);

  Database& db_;
  ImportOptions options_;
  Keys keys_;
  std::optional<Snapshot> last_;  // the run that was imported last: usually the next one's previous
};

// Digest of a results file, the manifest that it was made from, and the baseline that judges it.
Expected<std::string> DigestOf(const std::filesystem::path& results, const std::string& manifest_hash,
                               const std::string& baseline_text);

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_IMPORT_IMPORTER_H_
