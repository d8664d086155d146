// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs into a history: each whole, in one transaction, once.
//
//   Importer importer(*db, {});
//   Expected<ImportReport> report = importer.Import("out/nightly");
//   report->outcome;   // kUnchanged where the history has this run as it is
//   importer.ImportEach(runs, [](const ImportReport& report) { ... });   // reads one while it writes the one before
//
// A run that went on since it was imported, or that another baseline judges, replaces what the history has of it.
// Beside its rows, the history gets what they changed since the previous run of the series, and what the following run
// changes since this one, where runs are imported out of their order.
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
  std::filesystem::path baseline;  // file, or folder with TARGET.yaml; none where empty
  DifferenceOptions difference;
  bool fewer_models = false;  // a run that lacks models of the run before it continues the series all the same
};

enum class ImportOutcome { kImported, kReplaced, kUnchanged };

struct ImportReport {
  std::string run_id;
  std::string series;
  ImportOutcome outcome = ImportOutcome::kImported;
  int64_t rows = 0;
  int64_t changes = 0;   // since the previous run
  bool complete = true;  // the run ended
  std::string damage;    // lines of its results that cannot be read: their cases are missing; empty where all can
  std::vector<std::string> lacking;  // models of the run before: the run is one of chosen rows
  int64_t up_to_machine = 0;         // rows beside these that went the other of two ways which the baseline leaves open
};

class Importer {
 public:
  Importer(Database& db, ImportOptions options) : db_(db), options_(std::move(options)), keys_(db) {}

  // A folder with results.jsonl, or such a file.
  Expected<ImportReport> Import(const std::filesystem::path& run);

  // In this order, until an error. What came before it stays.
  Expected<void> ImportEach(std::span<const std::filesystem::path> runs,
                            const std::function<void(const ImportReport& report)>& visit);

  // A run that was read already, with its records' details. `digest` tells one content from another; `source` is where
  // it came from.
  Expected<ImportReport> ImportView(const reports::View& view, const RunDetails& details, const std::string& digest,
                                    const std::string& source);

 private:
  struct ReadRun;
  struct Reading;  // a run that is read in the background, or that the history has

  // `before`: the one that was read before this one; null for none.
  Expected<Reading> Begin(const std::filesystem::path& run, std::shared_ptr<const ReadRun> before);
  Expected<ImportReport> Finish(const Reading& reading);
  // The report of a run that the history has as it is.
  Expected<std::optional<ImportReport>> Unchanged(const std::string& run_id, const std::string& digest);
  Expected<ImportReport> ImportInTransaction(const reports::View& view, const RunDetails& details,
                                             const std::string& digest, const std::string& source);
  // The runs right after this one that lack models of it become runs of chosen rows.
  Expected<void> SetAsideBehind(const Snapshot& run, const std::vector<std::string>& models);
  // And how many there are. `keys_` knows all causes.
  Expected<void> WriteChanges(int64_t previous, const Snapshot& after, ImportReport& report);

  Database& db_;
  ImportOptions options_;
  Keys keys_;
  std::optional<Snapshot> last_;  // the run that was imported last: the next one's previous, most often
};

// Digest of a results file, of the manifest that it was made from, and of the baseline that judges it.
Expected<std::string> DigestOf(const std::filesystem::path& results, const std::string& manifest_hash,
                               const std::string& baseline_text);

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_IMPORT_IMPORTER_H_
