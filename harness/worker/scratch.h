// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Folders for the tensors of one case each, in memory where the machine allows, gone after the case.
//
//   Expected<std::unique_ptr<Scratch>> scratch = Scratch::Open();
//   Expected<ScratchDir> dir = (*scratch)->Make("add_2x3_f32_1a2b3c4d", bytes);
//   Use(dir->path());       // removed when `dir` goes
//
// A slot's folders lie in a folder of the slot, which is all that its workers may write to:
//
//   std::vector<fs::path> writable = (*scratch)->MakeSlot("slot-0");
//   fs::path temporary = (*scratch)->MakeTemporary("tmp-target", "slot-0");  // stays from case to case
//   Expected<ScratchDir> dir = (*scratch)->Make("add_2x3_f32_1a2b3c4d", bytes, "slot-0");
//
// Whatever workers did to a slot's folders, before each case they are as they were made, and empty.
//
// A /dev/shm with less than 512 MB free at the start is not used: what one worker writes there would be missing to all
// others. Elsewhere the folders stay below half of what was free at the start, and half of what is free when a case
// begins; what does not fit goes to $TMPDIR. Folders that a killed run left behind are removed by the next Open of the
// same user.
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
  int64_t bytes_;  // taken of the memory budget
};

class Scratch {
 public:
  // What must be free under a root that lies in memory, that is, under every root but the last. With half of it a case
  // of today's models would fit only if it were alone.
  static constexpr int64_t kLeastMemory = 512 << 20;

  // Under `roots` in order of preference; default: /dev/shm, then $TMPDIR or /tmp. `least`: what must be free under a
  // root that is not the last one.
  static Expected<std::unique_ptr<Scratch>> Open(std::vector<std::filesystem::path> roots = {},
                                                 int64_t least = kLeastMemory);
  ~Scratch();  // removes everything

  // An empty folder for about `bytes` of files, in that of `slot` where it is not empty; restores the slot.
  // Thread-safe.
  Expected<ScratchDir> Make(std::string_view name, int64_t bytes, std::string_view slot = "");

  // Empty folders for a slot, one under each root in order of preference; and their end. Thread-safe.
  std::vector<std::filesystem::path> MakeSlot(std::string_view slot);
  void RemoveSlot(std::string_view slot);

  // A folder in that of `slot` that stays as long as the slot does. Empty where it cannot be made. Thread-safe.
  std::filesystem::path MakeTemporary(std::string_view name, std::string_view slot);

  // Gives a slot's folders what its workers may have taken from them, and removes what is in them that is not ours.
  // Thread-safe; for a slot whose workers have nothing to do at this moment.
  void RestoreSlot(std::string_view slot);

  // Where the folders lie: for the log tail of an interrupted run.
  std::vector<std::filesystem::path> folders() const;

 private:
  friend class ScratchDir;
  struct Root {
    std::filesystem::path folder;
    int lock_fd = -1;    // held while this process lives: tells the next run that the folder is in use
    int64_t budget = 0;  // bytes that may still be taken
  };

  Scratch() = default;
  static Expected<Root> OpenRoot(const std::filesystem::path& parent);
  // Under which a folder for so much is to be made. The last one takes what fits nowhere, and its disk tells.
  size_t Choose(int64_t bytes) const;
  void Release(const ScratchDir& dir);

  std::mutex mutex_;
  std::vector<Root> roots_;
  std::set<std::filesystem::path> kept_;  // folders in those of slots that RestoreSlot leaves as they are
  int64_t made_ = 0;
};

// Bytes that a case's folder will hold: inputs, outputs, and as much again for what is expected.
int64_t ScratchBytes(const Case& c);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_WORKER_SCRATCH_H_
