// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shardings as texts of `mhlo.sharding`, which name devices and no axes.
//
//   ParseSharding("{devices=[2,4]<=[8]}", 2);                                  // {{4, 2}}, {{1, 4}}
//   ToText(Division{{}, {{.stride = 1, .size = 4}}}, 8);   // "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}"
//
// A division has one text for all programs that mean the same.
#ifndef OPBYOP_SUPPORT_SHARDING_SHARDING_TEXT_H_
#define OPBYOP_SUPPORT_SHARDING_SHARDING_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "support/expected.h"
#include "support/sharding/axes.h"

namespace opbyop {

// Reads the sharding of a tensor of `rank` dimensions. Empty if the text says nothing: "{manual}". Returns kUnsupported
// if the text is not understood.
Expected<Sharding> ParseSharding(std::string_view text, size_t rank);

// Reads a sharding of all dimensions on `devices` devices, as ToText writes it. Returns kBadInput for any other text.
Expected<Division> ParseDivision(std::string_view text, size_t rank, int64_t devices);

// Lists the devices if the axes are not digits of one number system.
std::string ToText(const Division& division, int64_t devices);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_SHARDING_SHARDING_TEXT_H_
