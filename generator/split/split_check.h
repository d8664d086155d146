// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What every split must satisfy, for tests over many files.
//
//   SplitCheck check = CheckSplit({{.name = "bert.mlirbc", .bytes = bytes}});
//   EXPECT_THAT(check.problems, IsEmpty());
//
// The counts of origins add up to the ops reached; every case file reads back, verifies and splits into itself and
// nothing else; no two cases share an id; no file names a folder of the machine that exported the model.
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
  bool any_entry = false;  // where there is no function @main, the first with a body is the program
};

struct SplitCheck {
  SplitResult result;
  std::map<std::string, std::string> texts;  // of the cases, by id
  std::vector<std::string> problems;
  std::vector<std::string> unreadable;  // sources that are no program, each with its reason

  int64_t Ops() const;
};

SplitCheck CheckSplit(const std::vector<SplitSource>& sources, const SplitOptions& options = {});

// The same for files; one that cannot be read is unreadable.
SplitCheck CheckSplitOfFiles(const std::vector<std::filesystem::path>& files, const SplitOptions& options = {});

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SPLIT_SPLIT_CHECK_H_
