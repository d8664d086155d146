// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "validation/corpus/corpus_files.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "support/files/file.h"

namespace opbyop {
namespace {

namespace fs = std::filesystem;

// Sets whose files hold one module each, whatever their comments say.
const std::set<std::string> kUncutSets = {"dynamic", "exports", "math", "print", "testdata", "vhlo"};
}  // namespace

std::vector<CorpusFile> ListFiles(const fs::path& corpora, const std::vector<std::string>& sets) {
  std::vector<CorpusFile> files;
  for (const fs::path& root : {corpora / "stablehlo", corpora / "exports"}) {
    std::error_code absent;
    for (const auto& entry : fs::recursive_directory_iterator(root, absent)) {
      if (entry.path().extension() != ".mlir") continue;
      std::string set = fs::relative(entry.path().parent_path(), corpora / "stablehlo").generic_string();
      if (root.filename() == "exports") set = "exports";
      if (!sets.empty() && std::ranges::find(sets, set) == sets.end()) continue;
      files.push_back({set, entry.path(), set + "/" + entry.path().filename().string()});
    }
  }
  std::ranges::sort(files, {}, &CorpusFile::name);
  return files;
}

std::vector<std::string_view> SectionsOf(const CorpusFile& file, std::string_view text) {
  constexpr std::string_view kMarker = "// -----";
  if (kUncutSets.contains(file.set)) return {text};
  std::vector<std::string_view> sections;
  for (size_t end = text.find(kMarker); end != std::string_view::npos; end = text.find(kMarker)) {
    sections.push_back(text.substr(0, end));
    text.remove_prefix(end + kMarker.size());
  }
  sections.push_back(text);
  return sections;
}

Expected<void> ForEach(const std::vector<CorpusFile>& files, const CorpusWork& work) {
  constexpr int kFilesPerContext = 32;
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  Expected<void> first = {};
  auto run = [&] {
    std::unique_ptr<mlir::MLIRContext> context;
    for (int used = 0;; ++used) {
      size_t i = next++;
      if (i >= files.size()) return;
      if (used % kFilesPerContext == 0)
        context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
      Expected<std::string> text = ReadFile(files[i].path);
      Expected<void> done = text ? work(files[i], *text, *context) : Unexpected(text.error());
      std::lock_guard lock(mutex);
      if (!done && first) first = done;
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) threads.emplace_back(run);
  for (std::thread& thread : threads) thread.join();
  return first;
}

}  // namespace opbyop
