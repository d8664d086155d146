// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tells whether a red row of several ops is red because of one of its ops, or although each of them passes by itself.
//
//   const Blame blame(view);
//   for (const RowResult* row : blame.RedTogether()) fmt::print("{}: only together\n", row->name);
//
// The ops of such a row are cases of the same run (Case::members).
#ifndef OPBYOP_REPORTS_SUMMARY_BLAME_H_
#define OPBYOP_REPORTS_SUMMARY_BLAME_H_

#include <string>
#include <unordered_map>
#include <vector>

#include "reports/view/rows.h"

namespace opbyop::reports {

class Blame {
 public:
  // `view` must outlive the object.
  explicit Blame(const View& view);

  // The red rows of several ops whose ops all pass, in the order of the view.
  const std::vector<const RowResult*>& RedTogether() const { return red_together_; }

  // Whether the row is red and one of its ops is red too: its cause is that op.
  bool IsExplained(const RowResult& row) const;

  // The number of rows that IsExplained.
  int64_t explained() const { return explained_; }

 private:
  struct Ends {
    bool all_pass = true;
    bool any_red = false;
  };
  Ends EndsOf(const Case& c) const;

  std::unordered_map<std::string_view, Ends> of_case_;
  std::vector<const RowResult*> red_together_;
  int64_t explained_ = 0;
};

// "2 windows and 1 layer are red though each of their ops passes"; empty if there are none.
std::string RedTogetherText(const Blame& blame);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_SUMMARY_BLAME_H_
