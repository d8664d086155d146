// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/split/kept_attributes.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <thread>

#include "fmt/format.h"
#include "generator/program/case_id.h"
#include "generator/program/case_writer.h"
#include "generator/program/placed_attributes.h"
#include "generator/split/case_folder.h"
#include "ir/read_module.h"
#include "llvm/ADT/StringRef.h"
#include "manifests/runs/kept_attributes.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "support/files/file.h"
#include "support/files/sha256.h"

namespace opbyop::generator {
namespace {

namespace fs = std::filesystem;

Error Broken(const Case& c, const std::string& what) {
  return {ExitCode::kBadInput, fmt::format("{}: {}; is the manifest of another split?", c.file, what)};
}

// The program of the plain case with the attributes added, under its own id.
Expected<std::string> TextWith(const KeptCase& kept, const fs::path& file) {
  const Case& plain = *kept.plain;
  Expected<std::string> text = ReadFile(file);
  if (!text) return text;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto module = ReadModuleFromBytes(*text, file.string(), context);
  if (!module) return Unexpected(module.error());
  auto main = mlir::dyn_cast_or_null<mlir::FunctionOpInterface>(mlir::SymbolTable::lookupSymbolIn(**module, "main"));
  if (!main || main.isExternal()) return Unexpected(Broken(plain, "has no @main"));
  for (const PlacedAttribute& attribute : kept.attributes) {
    if (!PlaceAttribute(**module, main, attribute)) {
      return Unexpected(
          Broken(plain, fmt::format("{} = {} does not fit its {}", attribute.name, attribute.value, attribute.place)));
    }
  }
  (**module)->setAttr(kCaseAttribute, mlir::StringAttr::get(&context, kept.c.id));
  // The header comments of the plain case are kept, except its id.
  CaseHeader header{.id = kept.c.id, .notes = {fmt::format("with attributes: {}", plain.id)}};
  llvm::StringRef rest = *text;
  while (rest.consume_front("// ")) {
    const auto [line, after] = rest.split('\n');
    if (!line.starts_with("case: ")) header.notes.push_back(line.str());
    rest = after;
  }
  return CaseText(**module, header);
}

// Returns null if the manifest exists with this text. Shards of a run start at the same time: one of them writes the
// folder, and the others wait for it.
Expected<std::unique_ptr<CaseFolder>> OpenUnlessSame(const fs::path& manifest, const std::string& text) {
  constexpr std::chrono::milliseconds kPause(100);
  for (int pauses_left = 600;; --pauses_left) {
    if (const Expected<std::string> old = ReadFile(manifest); old && *old == text) return nullptr;
    Expected<std::unique_ptr<CaseFolder>> cases = CaseFolder::Open(manifest.parent_path());
    if (cases || cases.error().code != ExitCode::kUsage || pauses_left == 0) return cases;
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace

std::vector<PlacedAttribute> KeptOf(const std::vector<PlacedAttribute>& attributes,
                                    const std::vector<std::string>& dialects) {
  std::vector<PlacedAttribute> kept;
  std::ranges::copy_if(attributes, std::back_inserter(kept),
                       [&](const PlacedAttribute& attribute) { return IsKept(attribute, dialects); });
  return kept;
}

std::string HashWith(const std::string& hash, const std::vector<PlacedAttribute>& attributes) {
  if (attributes.empty()) return hash;
  std::string text = hash;
  for (const PlacedAttribute& a : attributes) text += fmt::format("\n{}\n{}\n{}", a.place, a.name, a.value);
  return Sha256Hex(text);
}

std::vector<KeptCase> SplitByAttributes(const Case& c, const std::vector<std::string>& dialects) {
  std::vector<KeptCase> kept;
  for (const Origin& origin : c.origins) {
    const std::vector<PlacedAttribute> attributes = KeptOf(origin.attributes, dialects);
    auto found = std::ranges::find(kept, attributes, &KeptCase::attributes);
    if (found == kept.end()) {
      found = kept.insert(kept.end(), {c, attributes, &c});
      found->c.origins.clear();
      found->c.hash = HashWith(c.hash, attributes);
    }
    Origin own = origin;
    std::erase_if(own.attributes, [&](const PlacedAttribute& attribute) { return IsKept(attribute, dialects); });
    found->c.origins.push_back(std::move(own));
  }
  return kept;
}

std::vector<KeptCase> KeptCases(const Manifest& split, const std::vector<std::string>& dialects) {
  std::vector<KeptCase> all;
  for (const Case& c : split.cases) std::ranges::move(SplitByAttributes(c, dialects), std::back_inserter(all));
  std::vector<IdParts> parts;
  parts.reserve(all.size());
  for (const KeptCase& kept : all) {
    parts.push_back(
        {CaseIdStem(kept.c.op, kept.c.target, kept.c.inputs, kept.c.outputs, kept.c.devices()), kept.c.hash});
  }
  std::vector<std::string> ids = MakeIds(parts);
  for (size_t i = 0; i < all.size(); ++i) {
    if (!all[i].attributes.empty()) all[i].c.id = std::move(ids[i]);
    all[i].c.file = fmt::format("cases/{}.mlir", all[i].c.id);
  }
  std::multimap<std::string_view, std::string_view> ids_of;  // by the id of the plain case
  for (const KeptCase& kept : all) ids_of.emplace(kept.plain->id, kept.c.id);
  for (KeptCase& kept : all) {
    std::set<std::string> members;
    for (const std::string& member : kept.c.members) {
      const auto [begin, end] = ids_of.equal_range(member);
      for (auto at = begin; at != end; ++at) members.emplace(at->second);
    }
    kept.c.members.assign(members.begin(), members.end());
  }
  return all;
}

Expected<fs::path> WriteKeptCases(const Manifest& split, const std::vector<std::string>& dialects,
                                  const fs::path& folder) {
  if (!KeepsAny(split, dialects)) return split.path;
  const std::vector<KeptCase> all = KeptCases(split, dialects);
  SplitResult result;
  result.manifest.models = split.models;
  for (const KeptCase& kept : all) result.manifest.cases.push_back(kept.c);
  std::ranges::sort(result.manifest.cases, {}, &Case::id);
  fs::path manifest = folder / "manifest.yaml";
  const std::string text = WriteManifest(result.manifest);
  const Expected<std::unique_ptr<CaseFolder>> cases = OpenUnlessSame(manifest, text);
  if (!cases) return Unexpected(cases.error());
  if (*cases == nullptr) return manifest;
  for (const KeptCase& kept : all) {
    const fs::path file = split.path.parent_path() / kept.plain->file;
    const Expected<std::string> program = kept.attributes.empty() ? ReadFile(file) : TextWith(kept, file);
    if (!program) return Unexpected(program.error());
    if (const Expected<void> stored = (*cases)->Store(kept.c.id, *program); !stored) return Unexpected(stored.error());
  }
  if (const Expected<void> published = (*cases)->Publish(result); !published) return Unexpected(published.error());
  return manifest;
}

}  // namespace opbyop::generator
