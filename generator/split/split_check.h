// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Checks the properties that every split must have, for tests over many files.
//
//   SplitCheck check = CheckSplit({{.name = "bert.mlirbc", .bytes = bytes}});
//   EXPECT_THAT(check.problems, IsEmpty());
//
// The counts of the origins must add up to the number of ops reached. Every case file must be readable and valid, and
// must split into itself and nothing else. No two cases may share an id, and no file may name a folder of the machine
// that exported the model.
#ifndef OPBYOP_GENERATOR_SPLIT_SPLIT_CHECK_H_
#define OPBYOP_GENERATOR_SPLIT_SPLIT_CHECK_H_

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "generator/split/splitter.h"

namespace opbyop::generator {

struct SplitSource {
  std::string name;  // shown in problems
  std::string bytes;
  bool any_entry = false;  // if there is no function @main, the first function with a body is the program
};

struct SplitCheck {
  SplitResult result;
  std::map<std::string, std::string> texts;  // texts of the cases, by id
  std::vector<std::string> problems;
  std::vector<std::string> unreadable;  // sources that are no program, each with its reason

  int64_t Ops() const;
};

SplitCheck CheckSplit(const std::vector<SplitSource>& sources, const SplitOptions& options = {});

// The same for files; a file that cannot be read is in `unreadable`.
SplitCheck CheckSplitOfFiles(const std::vector<std::filesystem::path>& files, const SplitOptions& options = {});

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SPLIT_SPLIT_CHECK_H_
