// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A case's folder that stays after the run (--keep, opbyop repro), empty whenever the case begins: nothing of an
// earlier run may pass for what this one made.
//
//   if (Expected<void> empty = EmptyKeptFolder("out/repro/resnet__add/add_2_f32_1a2b3c4d"); !empty) ...
#ifndef OPBYOP_HARNESS_SLOT_KEPT_FOLDER_H_
#define OPBYOP_HARNESS_SLOT_KEPT_FOLDER_H_

#include <filesystem>

#include "support/expected.h"

namespace opbyop::harness {

// Makes the folder, or removes what a run left in it: it is marked by the file `.opbyop-kept`. kUsage where it holds
// files without that mark, or is no folder; kNoInput where it cannot be made.
Expected<void> EmptyKeptFolder(const std::filesystem::path& folder);

// All tensors in `from` lie in `to` afterwards, which is made where there are any.
void MoveTensors(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_SLOT_KEPT_FOLDER_H_
