// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Temporary folders for the tensors of a case, in memory if the machine has enough, removed after the case.
//
//   Expected<std::unique_ptr<Scratch>> scratch = Scratch::Open();
//   Expected<ScratchDir> dir = (*scratch)->Make("add_2x3_f32_1a2b3c4d", bytes);
//   Use(dir->path());       // removed when `dir` is destroyed
//
// The folders of a slot are inside one folder of the slot, the only folder that its workers may write to:
//
//   std::vector<fs::path> writable = (*scratch)->MakeSlot("slot-0");
//   fs::path temporary = (*scratch)->MakeTemporary("tmp-target", "slot-0");  // stays from case to case
//   Expected<ScratchDir> dir = (*scratch)->Make("add_2x3_f32_1a2b3c4d", bytes, "slot-0");
//
// Before each case a slot's folders are restored and emptied, whatever workers did to them.
//
// A /dev/shm with less than 512 MB free at the start is not used, because files of one worker there would take memory
// from all others. Otherwise the folders use at most half of what was free at the start, and half of what is free when
// a case starts. What does not fit goes to $TMPDIR. Folders that a killed run left behind are removed by the next Open
// of the same user.
#ifndef OPBYOP_HARNESS_WORKER_SCRATCH_H_
#define OPBYOP_HARNESS_WORKER_SCRATCH_H_

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/expected.h"

namespace opbyop {
struct Case;
}  // namespace opbyop

namespace opbyop::harness {

class Scratch;

class ScratchDir {
 public:
  ScratchDir(ScratchDir&& other) noexcept;
  ScratchDir& operator=(ScratchDir&&) = delete;
  ~ScratchDir();

  const std::filesystem::path& path() const { return path_; }

 private:
  friend class Scratch;
  ScratchDir(Scratch* owner, size_t root, std::filesystem::path path, int64_t bytes)
      : owner_(owner), root_(root), path_(std::move(path)), bytes_(bytes) {}

  Scratch* owner_;
  size_t root_;
  std::filesystem::path path_;
  int64_t bytes_;  // taken from the memory budget
};

class Scratch {
 public:
  // The memory that must be free under a root that is in memory, that is, under every root but the last. With half of
  // it, a case of today's models would fit only if it ran alone.
  static constexpr int64_t kLeastMemory = 512 << 20;

  // Uses `roots` in order of preference; default: /dev/shm, then $TMPDIR or /tmp. `least` bytes must be free under
  // every root but the last.
  static Expected<std::unique_ptr<Scratch>> Open(std::vector<std::filesystem::path> roots = {},
                                                 int64_t least = kLeastMemory);
  ~Scratch();  // removes everything

  // Makes an empty folder for about `bytes` of files, inside that of `slot` unless that is empty. Restores the slot.
  // Thread-safe.
  Expected<ScratchDir> Make(std::string_view name, int64_t bytes, std::string_view slot = "");

  // Makes the empty folders of a slot, one under each root in order of preference, and removes them. Thread-safe.
  std::vector<std::filesystem::path> MakeSlot(std::string_view slot);
  void RemoveSlot(std::string_view slot);

  // Makes a folder inside that of `slot` that stays as long as the slot does. Empty if it cannot be made. Thread-safe.
  std::filesystem::path MakeTemporary(std::string_view name, std::string_view slot);

  // Restores what a slot's workers may have changed about its folders, and removes files that are not ours.
  // Thread-safe. The slot's workers must be idle.
  void RestoreSlot(std::string_view slot);

  // The folders' paths, for the last lines of an interrupted run.
  std::vector<std::filesystem::path> folders() const;

 private:
  friend class ScratchDir;
  struct Root {
    std::filesystem::path folder;
    int lock_fd = -1;    // held while this process lives, to show other runs that the folder is in use
    int64_t budget = 0;  // bytes that may still be taken
  };

  Scratch() = default;
  static Expected<Root> OpenRoot(const std::filesystem::path& parent);
  // Returns the root for a folder of this size. The last root takes what fits nowhere; its disk then reports an error.
  size_t Choose(int64_t bytes) const;
  void Release(const ScratchDir& dir);

  std::mutex mutex_;
  std::vector<Root> roots_;
  std::set<std::filesystem::path> kept_;  // folders inside those of slots that RestoreSlot leaves alone
  int64_t made_ = 0;
};

// Returns the bytes that a case's folder will hold: inputs, outputs, and as much again for the expected values.
int64_t ScratchBytes(const Case& c);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_WORKER_SCRATCH_H_
