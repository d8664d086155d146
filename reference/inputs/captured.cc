// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/inputs/captured.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Error.h"
#include "manifests/formats/json.h"
#include "mlir/IR/BuiltinTypes.h"
#include "reference/eval/evaluator.h"
#include "support/dtype.h"
#include "support/files/file.h"
#include "support/files/sha256.h"

namespace opbyop::reference {
namespace {

namespace zstd = llvm::compression::zstd;

constexpr const char* kIndexFile = "index.json";
constexpr const char* kIndexSchema = "opbyop-captured/1";

std::filesystem::path FileOf(const std::filesystem::path& folder, const std::string& name) {
  return folder / (name + ".zst");
}

std::string_view TextOf(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

Expected<Stored> StoreCaptured(const std::filesystem::path& folder, const InputData& data) {
  if (!zstd::isAvailable()) return MakeError(ExitCode::kUnsupported, "unsupported: this LLVM comes without zstd");
  Stored stored{Sha256Hex(TextOf(data.bytes))};
  std::error_code ignored;
  if (std::filesystem::exists(FileOf(folder, stored.name), ignored)) return stored;
  llvm::SmallVector<uint8_t, 0> packed;
  zstd::compress({reinterpret_cast<const uint8_t*>(data.bytes.data()), data.bytes.size()}, packed, 3);
  const std::string_view text(reinterpret_cast<const char*>(packed.data()), packed.size());
  if (const Expected<void> written = WriteFile(FileOf(folder, stored.name), text); !written) {
    return Unexpected(written.error());
  }
  stored.bytes = static_cast<int64_t>(packed.size());
  return stored;
}

Expected<InputData> LoadCaptured(const std::filesystem::path& folder, const std::string& name, ElementType type,
                                 const Shape& shape) {
  const std::filesystem::path file = FileOf(folder, name);
  const Expected<std::string> packed = ReadFile(file);
  if (!packed) return Unexpected(packed.error());
  if (!zstd::isAvailable()) return MakeError(ExitCode::kUnsupported, "unsupported: this LLVM comes without zstd");
  const auto size = static_cast<size_t>(SizeOf(shape) * *DtypeBytes(NameOf(type)));
  InputData data{type, shape, std::vector<std::byte>(size)};
  size_t unpacked = size;
  const auto broken = [&](const std::string& why) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("{}: {}: was it cut off, or is the manifest of another capture?", file.string(), why));
  };
  if (llvm::Error error = zstd::decompress({reinterpret_cast<const uint8_t*>(packed->data()), packed->size()},
                                           reinterpret_cast<uint8_t*>(data.bytes.data()), unpacked)) {
    return broken(llvm::toString(std::move(error)));
  }
  if (unpacked != size) return broken(fmt::format("holds {} bytes, expected {}", unpacked, size));
  if (Sha256Hex(TextOf(data.bytes)) != name) return broken("its content does not have the checksum in its name");
  return data;
}

Expected<CapturedIndex> CapturedIndex::Load(const std::filesystem::path& split_folder) {
  CapturedIndex index;
  index.folder_ = split_folder / "captured";
  const std::filesystem::path file = index.folder_ / kIndexFile;
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return index;
  const Expected<std::string> text = ReadFile(file);
  if (!text) return Unexpected(text.error());
  const auto malformed = [&](std::string_view why) {
    return MakeError(ExitCode::kBadInput, fmt::format("{}: no index of captured operands: {}: capture the models again",
                                                      file.string(), why));
  };
  const Expected<nlohmann::json> json = ParseJson(*text);
  if (!json) return malformed(json.error().message);
  try {
    const std::string schema = json->at("schema");
    if (schema != kIndexSchema) {
      return MakeError(ExitCode::kUnsupported,
                       fmt::format("{}: schema '{}', this version reads '{}'", file.string(), schema, kIndexSchema));
    }
    index.cases_ = json->at("cases").get<std::map<std::string, std::vector<std::string>>>();
  } catch (const nlohmann::json::exception& error) {
    return malformed(error.what());
  }
  return index;
}

Expected<void> CapturedIndex::Save() const {
  const nlohmann::json json = {{"schema", kIndexSchema}, {"cases", cases_}};
  return WriteFile(folder_ / kIndexFile, json.dump(1) + "\n");
}

const std::vector<std::string>* CapturedIndex::Find(const std::string& case_id) const {
  const auto found = cases_.find(case_id);
  return found == cases_.end() ? nullptr : &found->second;
}

Expected<bool> CapturedIndex::Adopt(const std::string& case_id, const CapturedIndex& other, const std::string& theirs) {
  const std::vector<std::string>* names = other.Find(theirs);
  const std::vector<std::string>* own = Find(case_id);
  if (names == nullptr || (own != nullptr && *own == *names)) return false;
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  for (const std::string& name : *names) {
    const std::filesystem::path file = FileOf(folder_, name);
    if (std::filesystem::exists(file, error)) continue;
    std::filesystem::create_hard_link(FileOf(other.folder_, name), file, error);
    if (!error || std::filesystem::exists(file)) continue;
    const Expected<std::string> packed = ReadFile(FileOf(other.folder_, name));
    if (!packed) return Unexpected(packed.error());
    if (const Expected<void> written = WriteFile(file, *packed); !written) return Unexpected(written.error());
  }
  Set(case_id, *names);
  return true;
}

Expected<std::vector<InputData>> CapturedIndex::Inputs(mlir::ModuleOp module,
                                                       const std::vector<std::string>& names) const {
  const Expected<mlir::Operation*> entry = EntryOf(module);
  if (!entry) return Unexpected(entry.error());
  const auto arguments = (*entry)->getRegion(0).getArguments();
  if (arguments.size() != names.size()) {
    return MakeError(ExitCode::kBadInput, fmt::format("{} captured operands for {} arguments: capture the models again",
                                                      names.size(), arguments.size()));
  }
  std::vector<InputData> inputs;
  for (size_t i = 0; i < names.size(); ++i) {
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(arguments[i].getType());
    const auto element = type ? ElementTypeOf(type) : std::nullopt;
    if (!element) return MakeError(ExitCode::kUnsupported, "unsupported: an argument that is no plain tensor");
    Expected<InputData> data =
        LoadCaptured(folder_, names[i], *element, Shape(type.getShape().begin(), type.getShape().end()));
    if (!data) return Unexpected(data.error());
    inputs.push_back(std::move(*data));
  }
  return inputs;
}

}  // namespace opbyop::reference
