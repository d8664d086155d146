// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A case's folder that stays after the run (--keep, opbyop repro). It is emptied whenever the case starts, so that no
// file of an earlier run is mistaken for one of this run.
//
//   if (Expected<void> empty = EmptyKeptFolder("out/repro/resnet__add/add_2_f32_1a2b3c4d"); !empty) ...
#ifndef OPBYOP_HARNESS_SLOT_KEPT_FOLDER_H_
#define OPBYOP_HARNESS_SLOT_KEPT_FOLDER_H_

#include <filesystem>

#include "support/expected.h"

namespace opbyop::harness {

// Creates the folder, or removes what a run left in it. Such a folder is marked by the file `.opbyop-kept`. kUsage if
// it holds files without that mark, or is no folder; kNoInput if it cannot be created.
Expected<void> EmptyKeptFolder(const std::filesystem::path& folder);

// Moves all tensors in `from` to `to`, which is created if there are any.
void MoveTensors(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_SLOT_KEPT_FOLDER_H_
