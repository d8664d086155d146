// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A range of versions of a toolchain, for what holds with some versions only.
//
//   Expected<VersionRange> range = VersionRange::Parse(">=0.12,<0.14");
//   range->Contains(VersionIn("jaxlib 0.12.0.1, cpu"));   // true
//
// Versions are numbers with dots, compared part by part; a missing part is 0. What follows the numbers is not compared:
// 0.12.0rc1 is 0.12.0.
#ifndef OPBYOP_MANIFESTS_BASELINES_VERSION_RANGE_H_
#define OPBYOP_MANIFESTS_BASELINES_VERSION_RANGE_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "support/expected.h"

namespace opbyop {

using Version = std::vector<int64_t>;

// Returns the first version in a text: the first number with a dot, at the start of a word or after "v". Empty if there
// is none.
Version VersionIn(std::string_view text);

class VersionRange {
 public:
  // Comparisons separated by commas, all of which must hold: `>=`, `>`, `<=`, `<` or `==` and a version. kBadInput if
  // the text is none.
  static Expected<VersionRange> Parse(std::string_view text);

  // False for no version.
  bool Contains(const Version& version) const;

 private:
  struct Bound {
    bool less, equal, greater;  // than the bound: which of these are in the range
    Version version;
  };
  std::vector<Bound> bounds_;
};

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_BASELINES_VERSION_RANGE_H_
