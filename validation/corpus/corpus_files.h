// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lists the files of the corpora and their sections, and works on all of them.
//
//   for (const CorpusFile& file : ListFiles(".corpora/corpora", {"verify"})) ...
#ifndef OPBYOP_VALIDATION_CORPUS_CORPUS_FILES_H_
#define OPBYOP_VALIDATION_CORPUS_CORPUS_FILES_H_

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "mlir/IR/MLIRContext.h"
#include "support/expected.h"

namespace opbyop {

struct CorpusFile {
  std::string set;  // folder below stablehlo/, or "exports"
  std::filesystem::path path;
  std::string name;  // "testdata/abs.mlir"
};

// The .mlir files of `sets` (of all sets if empty), by name.
std::vector<CorpusFile> ListFiles(const std::filesystem::path& corpora, const std::vector<std::string>& sets);

// The modules of a file: divided at each "// -----", or a single one if the set's files are not divided.
std::vector<std::string_view> SectionsOf(const CorpusFile& file, std::string_view text);

// Calls `work` with each file and its text, on as many threads as there are cores; returns the first error. A context
// is used for several files, because loading its dialects takes longer than reading most files.
using CorpusWork = std::function<Expected<void>(const CorpusFile&, const std::string& text, mlir::MLIRContext&)>;
Expected<void> ForEach(const std::vector<CorpusFile>& files, const CorpusWork& work);

}  // namespace opbyop

#endif  // OPBYOP_VALIDATION_CORPUS_CORPUS_FILES_H_
