#include "generator/case_folder.h"

#include <fstream>
#include <set>
#include <system_error>

#include "fmt/format.h"
#include "support/file.h"

namespace opbyop {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCases = "cases";
constexpr std::string_view kStaging = ".split";
constexpr std::string_view kManifest = "manifest.yaml";

tl::unexpected<Error> CannotWrite(const fs::path& path, const std::error_code& reason) {
  return MakeError(ExitCode::kNoInput, fmt::format("{}: cannot write: {}; is the disk full or the folder protected?",
                                                   path.string(), reason.message()));
}

void ReplaceAll(std::string& text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

}  // namespace

CaseFolder::CaseFolder(fs::path folder) : folder_(std::move(folder)), staging_(folder_ / kStaging) {
  std::error_code ignored;
  for (fs::path at = fs::absolute(folder_, ignored).lexically_normal(); !at.empty() && !fs::exists(at, ignored);
       at = at.parent_path()) {
    first_created_ = at;
  }
  fs::remove_all(staging_, ignored);  // of a split that was killed
}

CaseFolder::~CaseFolder() {
  std::error_code ignored;
  fs::remove_all(staging_, ignored);
  if (!published_ && !first_created_.empty()) fs::remove_all(first_created_, ignored);
}

Expected<void> CaseFolder::Store(const std::string& hash, const std::string& text) {
  std::error_code error;
  fs::create_directories(staging_, error);
  if (error) return CannotWrite(staging_, error);
  fs::path path = staging_ / hash;
  // Not WriteFile: files in the staging folder need not appear whole, the folder is moved when it is.
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file) return CannotWrite(path, std::error_code(errno, std::generic_category()));
  return {};
}

Expected<void> CaseFolder::Publish(const SplitResult& result) {
  std::error_code error;
  fs::path cases = folder_ / kCases;
  fs::create_directories(cases, error);
  if (error) return CannotWrite(cases, error);
  for (const SplitResult::Renamed& renamed : result.renamed) {
    Expected<std::string> text = ReadFile(staging_ / renamed.hash);
    if (!text) return Unexpected(text.error());
    ReplaceAll(*text, renamed.from, renamed.to);
    if (Expected<void> done = Store(renamed.hash, *text); !done) return done;
  }
  std::set<std::string> present;
  for (const Case& c : result.manifest.cases) {
    fs::path target = folder_ / c.file;
    fs::rename(staging_ / c.hash, target, error);
    if (error) return CannotWrite(target, error);
    present.insert(target.filename().string());
  }
  published_ = true;
  if (Expected<void> done = WriteFile(folder_ / kManifest, WriteManifest(result.manifest)); !done) return done;
  for (const fs::directory_entry& entry : fs::directory_iterator(cases, error)) {
    if (entry.path().extension() == ".mlir" && !present.contains(entry.path().filename().string())) {
      fs::remove(entry.path(), error);
    }
  }
  return {};
}

}  // namespace opbyop
