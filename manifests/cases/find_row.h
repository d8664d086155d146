// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds the row that a user names on a command line.
//
//   Expected<Row> row = FindRow(manifest, "resnet18__add_1x64x56x56_f32_1a2b3c4d");
#ifndef OPBYOP_MANIFESTS_CASES_FIND_ROW_H_
#define OPBYOP_MANIFESTS_CASES_FIND_ROW_H_

#include <string>

#include "manifests/cases/manifest.h"
#include "support/expected.h"

namespace opbyop {

// Finds a row by its own name, or by the id of its case: then it is the first of the case's rows. kNothingToDo, with
// similar names, if there is none.
Expected<Row> FindRow(const Manifest& manifest, const std::string& name);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_CASES_FIND_ROW_H_
