// What must hold of every split, for tests: counts add up, and the files split again into themselves.
//
//   SplitCheck check = CheckSplit({"fixtures/models/ffnn.mlirbc"});
//   EXPECT_THAT(check.problems, IsEmpty());
#ifndef OPBYOP_GENERATOR_SPLIT_CHECK_H_
#define OPBYOP_GENERATOR_SPLIT_CHECK_H_

#include <filesystem>
#include <string>
#include <vector>

#include "generator/splitter.h"

namespace opbyop {

struct SplitCheck {
  SplitResult result;
  std::vector<std::string> unreadable;  // file and why
  std::vector<std::string> problems;
};

SplitCheck CheckSplit(const std::vector<std::filesystem::path>& files, const SplitOptions& options = {});

}  // namespace opbyop

#endif  // OPBYOP_GENERATOR_SPLIT_CHECK_H_
