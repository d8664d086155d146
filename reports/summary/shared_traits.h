// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds what red rows have in common and passing rows do not: an element type, or a class of shapes. "All 34 have
// f8E5M2, as have none of 210 rows of these ops that pass."
//
//   SharedTraits traits(view);
//   for (const SharedTrait& shared : traits.Of(red_rows)) fmt::print("{}\n", SharedText(shared));
//
// A trait is reported only if at least three red rows, of at least two cases, all have it, while rows of the same ops
// pass without it. A class of shapes must also be absent in most passing rows: there are many classes, and a few rows
// share one or the other by chance.
#ifndef OPBYOP_REPORTS_SUMMARY_SHARED_TRAITS_H_
#define OPBYOP_REPORTS_SUMMARY_SHARED_TRAITS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "reports/view/rows.h"

namespace opbyop::reports {

struct SharedTrait {
  std::string what;          // "f8E5M2", "an empty tensor"
  bool is_type = false;      // false: a class of shapes
  int64_t red = 0;           // rows, all of which have it
  int64_t passing = 0;       // rows of the same ops that pass
  int64_t passing_with = 0;  // those of `passing` that have it too
};

// "all 34 have f8E5M2, as have 2 of 210 rows of the op that pass"; `ops` is the number of ops of these rows.
std::string SharedText(const SharedTrait& shared, size_t ops = 1);

// The element types of a case, and the classes of its shapes, in no particular order.
struct CaseTraits {
  std::vector<std::string> types;
  std::vector<std::string> shapes;
};
CaseTraits TraitsOf(const Case& c);

class SharedTraits {
 public:
  explicit SharedTraits(const View& view);

  // At most one type and one class of shapes: in each group, the one that fewest passing rows have.
  std::vector<SharedTrait> Of(const std::vector<const RowResult*>& red) const;

  // A sentence for each op whose red rows share something, the op with most red rows first, then one for all red rows
  // of the run if they are of several ops.
  std::vector<std::string> Sentences() const;

 private:
  using Numbers = std::vector<uint32_t>;  // sorted

  Numbers NumbersOf(const Case& c);
  const Numbers& Of(const RowResult& row) const { return of_case_.at(row.case_index); }

  struct Passing {
    int64_t rows = 0;
    std::map<uint32_t, int64_t> with;  // by trait
  };

  const View& view_;
  std::vector<std::string> names_;  // of traits, by number
  std::vector<bool> is_type_;
  std::map<std::pair<bool, std::string>, uint32_t> numbers_;
  std::map<size_t, Numbers> of_case_;       // by case index
  std::map<std::string, Passing> passing_;  // by op
};

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_SUMMARY_SHARED_TRAITS_H_
