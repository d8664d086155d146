// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A struct for a plugin with memory of its own behind it, because a plugin may ignore struct_size.
//
//   ArgumentBlock<PJRT_ExecuteOptions> options({.launch_id = 1}, api.BytesOf<PJRT_ExecuteOptions>());
//   args.options = options.get();
//   if (size_t beyond = options.Overrun(); beyond > 0) ...   // the plugin wrote behind the struct
//
// Fields that are newer than the struct are read as zero and written without harm. A canary behind them shows whether
// the plugin wrote farther, over memory that is not its own.
#ifndef OPBYOP_DEVICE_PJRT_ARGUMENT_BLOCK_H_
#define OPBYOP_DEVICE_PJRT_ARGUMENT_BLOCK_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace opbyop::pjrt {

template <typename Struct>
class ArgumentBlock {
 public:
  // `struct_bytes` is the size that the plugin is told; `fill` is what stands in the slack.
  ArgumentBlock(const Struct& value, size_t struct_bytes, std::byte fill = std::byte{0})
      : struct_bytes_(struct_bytes), fill_(fill) {
    static_assert(std::is_trivially_copyable_v<Struct> && sizeof(Struct) % kAlign == 0);
    std::memcpy(memory_.data(), &value, sizeof(Struct));
    std::fill(memory_.begin() + sizeof(Struct), memory_.end() - kCanaryBytes, fill);
    std::fill(memory_.end() - kCanaryBytes, memory_.end(), kCanary);
    get()->struct_size = struct_bytes;
  }

  Struct* get() { return reinterpret_cast<Struct*>(memory_.data()); }
  const Struct& value() const { return *reinterpret_cast<const Struct*>(memory_.data()); }
  size_t struct_bytes() const { return struct_bytes_; }

  // How many bytes behind the struct are overwritten, up to the last one; bytes written as they were do not show.
  // Padding at the end of the struct counts as the struct.
  size_t Overrun() const {
    const size_t begin = std::max(sizeof(Struct), (struct_bytes_ + kAlign - 1) / kAlign * kAlign);
    size_t end = memory_.size();
    while (end > begin && memory_[end - 1] == (end > kCanaryBegin ? kCanary : fill_)) --end;
    return end - begin;
  }

  // Whether the plugin wrote beyond the slack.
  bool IsDamaged() const {
    return !std::all_of(memory_.begin() + kCanaryBegin, memory_.end(), [](std::byte at) { return at == kCanary; });
  }

 private:
  static constexpr size_t kAlign = 8, kSlackBytes = 1024, kCanaryBytes = 64;
  static constexpr size_t kCanaryBegin = sizeof(Struct) + kSlackBytes;
  static constexpr std::byte kCanary{0xc5};

  alignas(kAlign) std::array<std::byte, kCanaryBegin + kCanaryBytes> memory_;
  size_t struct_bytes_;
  std::byte fill_;
};

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_ARGUMENT_BLOCK_H_
