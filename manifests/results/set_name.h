// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The name of a set of inputs in results: its policy's name; "domain#2" for the second draw of `domain`;
// "edge#seed20261126" for the further draw of `edge`, whose seed is the run's own (RunHeader::fresh_seed).
//
//   FreshSetName("edge", 7)          // "edge#seed7"
//   PolicyOfSet("edge#seed7")        // "edge"
//   FreshSeedOf("edge#seed7")        // 7
#ifndef OPBYOP_MANIFESTS_RESULTS_SET_NAME_H_
#define OPBYOP_MANIFESTS_RESULTS_SET_NAME_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace opbyop {

// The largest seed that no reader of JSON rounds.
inline constexpr uint64_t kMostFreshSeed = (uint64_t{1} << 53) - 1;

std::string FreshSetName(std::string_view policy, uint64_t seed);

// nullopt if the set is of the fixed seed.
std::optional<uint64_t> FreshSeedOf(std::string_view set);

std::string PolicyOfSet(std::string_view set);

// Suffix of the policy's name for its second draw.
inline constexpr std::string_view kSecondDraw = "#2";

// Returns the date in UTC as a number, 20261126: the seed of runs without a given one.
uint64_t FreshSeedOfDay(int64_t microseconds);

// Reads "none" (nullopt), or a seed from 1 to kMostFreshSeed. False if it is neither.
bool ParseFreshSeed(std::string_view text, std::optional<uint64_t>& seed);

// Returns "20261126", or "none".
std::string FreshSeedText(const std::optional<uint64_t>& seed);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_RESULTS_SET_NAME_H_
