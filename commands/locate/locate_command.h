// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// `opbyop locate`: finds the smallest failing part of a model on a target, and reduces it.
//
//   Expected<LocatedModel> done = LocateInModel({.model = "llama.mlirbc", .target = "iree", .output = "out/locate"});
//   std::cout << Text(done->tree, Style::kPlain);
//
// The output has locate.jsonl (a record for each program that was judged), locate.json and locate.html (the tree),
// located.mlir (the reduced program) and reduced/, a folder with it that `opbyop run` and `opbyop repro` take. A search
// that is started again in the same folder judges no program twice.
#ifndef OPBYOP_COMMANDS_LOCATE_LOCATE_COMMAND_H_
#define OPBYOP_COMMANDS_LOCATE_LOCATE_COMMAND_H_

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "commands/locate/search.h"

namespace opbyop::locate {

inline constexpr std::string_view kTreeSchema = "opbyop-located/1";

struct LocateOptions {
  std::string model;  // its file
  std::string entry = "main";
  std::vector<std::string> shapes;
  std::string target = "host";
  std::string policy = "domain";
  uint64_t seed = 0;
  std::filesystem::path output;  // empty: out/locate/<model>
  bool fresh = false;
  std::chrono::seconds time_limit{600};
  std::function<bool()> stop = [] { return false; };
  std::function<void(const std::string&)> say = [](const std::string&) {};
};

struct LocatedModel {
  Node tree;
  Cause cause = Cause::kOp;
  size_t judged = 0;  // programs, those of earlier runs included
  std::string size;   // of the reduced program: "1 op, 4 elements, 4 lines"
  std::filesystem::path page;
  std::filesystem::path program;
  std::string repro;  // a command
};

// Returns kNothingToDo if the model does not fail, and kPartial if the search was stopped or time is up.
Expected<LocatedModel> LocateInModel(const LocateOptions& options);

}  // namespace opbyop::locate

#endif  // OPBYOP_COMMANDS_LOCATE_LOCATE_COMMAND_H_
