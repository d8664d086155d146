// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shardings as texts of Shardy's attribute, whose axes have names, on one mesh for all.
//
//   // {{4, 2}}, {{1, 4}} and a whole tensor, on 8 devices
//   Expected<std::vector<std::string>> texts = ToSdyTexts(divisions, 8);
//   // #sdy.sharding<mesh<["a0"=2, "a1"=4]>, [{"a0"}, {"a1"}]>, #sdy.sharding<mesh<["a0"=2, "a1"=4]>, [{}]>
#ifndef OPBYOP_SUPPORT_SHARDING_SDY_TEXT_H_
#define OPBYOP_SUPPORT_SHARDING_SDY_TEXT_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "support/expected.h"
#include "support/sharding/axes.h"

namespace opbyop {

// Returns kUnsupported if the axes are not digits of one number system, so that no mesh has them all.
Expected<std::vector<std::string>> ToSdyTexts(std::span<const Division> divisions, int64_t devices);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_SHARDING_SDY_TEXT_H_
