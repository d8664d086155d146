// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/worker/argument_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/xxhash.h"
#include "protocol/stored_form.h"
#include "reference/worker/plain_tensor.h"
#include "reference/worker/whole_model.h"

namespace opbyop::reference {
namespace {

// XXH3 of 128 bits, of each block and then of their digests: it finds what a target's worker has overwritten, at nearly
// the speed of memory. It need not be cryptographic, because a worker that means to deceive can compute the right
// results by itself.
class Digest {
 public:
  // All but the last call of an object must be with a multiple of kNpyBlock bytes.
  void Add(std::span<const std::byte> bytes) {
    for (; !bytes.empty(); bytes = bytes.subspan(std::min(bytes.size(), kNpyBlock))) {
      const std::span<const std::byte> block = bytes.first(std::min(bytes.size(), kNpyBlock));
      blocks_.push_back(llvm::xxh3_128bits(ArrayOf(block.data(), block.size())));
    }
  }

  std::string Text() const {
    const llvm::XXH128_hash_t all = llvm::xxh3_128bits(
        ArrayOf(reinterpret_cast<const std::byte*>(blocks_.data()), blocks_.size() * sizeof(llvm::XXH128_hash_t)));
    return fmt::format("{:016x}{:016x}", all.high64, all.low64);
  }

 private:
  static llvm::ArrayRef<uint8_t> ArrayOf(const std::byte* bytes, size_t count) {
    return {reinterpret_cast<const uint8_t*>(bytes), count};
  }

  std::vector<llvm::XXH128_hash_t> blocks_;
};

// Bytes of an argument in stored form whose file stays mapped.
constexpr size_t kWorthMapping = size_t{16} << 20;

}  // namespace

std::filesystem::path FileOf(const protocol::Request& request, std::string_view stem, size_t i) {
  return request.dir / fmt::format("{}_{}.npy", stem, i);
}

Expected<std::string> WriteInput(const std::filesystem::path& path, InputData input) {
  const TensorType type{input.shape, std::string(NameOf(input.type))};
  Digest digest;
  Expected<void> written;
  if (input.draw) {
    const auto each = static_cast<size_t>(StoredBytes(input.type));
    written = WriteNpyByBlocks(path, type, [&](size_t first, std::span<std::byte> block) {
      input.draw(static_cast<int64_t>(first / each), static_cast<int64_t>(block.size() / each), block.data());
      digest.Add(block);
    });
  } else {
    digest.Add(input.bytes);
    written = MoveToNpy(path, type, std::move(input.bytes));
  }
  if (!written) return Unexpected(written.error());
  return digest.Text();
}

Expected<Values> ArgumentFiles::Read(mlir::Operation* entry) {
  Values arguments;
  for (int64_t process = 0; process < request_->grid.processes(); ++process) {
    for (mlir::Value argument : entry->getRegion(0).getArguments()) {
      const Expected<PlainTensor> type = PlainTensorOf(argument.getType(), "an argument");
      if (!type) return Unexpected(type.error());
      Expected<Tensor> tensor = ReadOne(arguments.size(), type->element, type->shape);
      if (!tensor) return Unexpected(tensor.error());
      arguments.emplace_back(std::move(*tensor));
    }
  }
  return arguments;
}

Expected<void> ArgumentFiles::CheckMapped() const {
  for (const auto& [i, file] : mapped_) {
    if (const Expected<void> same = Check(i, file->bytes()); !same) return same;
  }
  return {};
}

Expected<Tensor> ArgumentFiles::ReadOne(size_t i, ElementType type, const Shape& shape) {
  const auto found = mapped_.find(i);
  if (found != mapped_.end()) return Tensor::OfStored(type, shape, Buffer(found->second, found->second->bytes()));
  const std::filesystem::path path = FileOf(*request_, "input", i);
  Expected<NpyFile> file = ReadNpy(path);
  if (!file) return Unexpected(file.error());
  if (file->shape() != shape) {
    return MakeError(ExitCode::kBadInput, fmt::format("{}: has shape [{}], expected [{}]", path.string(),
                                                      fmt::join(file->shape(), ", "), fmt::join(shape, ", ")));
  }
  const bool stored = !IsJudgedAsModel(request_->op) && SizeOf(shape) >= protocol::kWorthStored &&
                      static_cast<int64_t>(file->bytes().size()) == SizeOf(shape) * StoredBytes(type) &&
                      StoredBytes(type) < static_cast<int64_t>(StorageBytes(KindOf(type)));
  if (!stored) {
    if (const Expected<void> same = Check(i, file->bytes()); !same) return Unexpected(same.error());
    return TensorFromBytes(type, shape, file->bytes());
  }
  if (file->bytes().size() >= kWorthMapping) {
    const auto mapped = std::make_shared<const NpyFile>(std::move(*file));
    mapped_.emplace(i, mapped);
    return Tensor::OfStored(type, shape, Buffer(mapped, mapped->bytes()));
  }
  Buffer bytes(file->bytes().size());
  std::ranges::copy(file->bytes(), bytes.data());
  if (const Expected<void> same = Check(i, {bytes.data(), bytes.bytes()}); !same) return Unexpected(same.error());
  return Tensor::OfStored(type, shape, std::move(bytes));
}

Expected<void> ArgumentFiles::Check(size_t i, std::span<const std::byte> bytes) const {
  if (compare_->input_digests.empty()) return {};
  Digest digest;
  digest.Add(bytes);
  if (digest.Text() == compare_->input_digests[i]) return {};
  return MakeError(ExitCode::kBadInput,
                   fmt::format("input {}: its file was changed after the reference generated it", i));
}

}  // namespace opbyop::reference
