// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// locate.jsonl: a line for each program that was judged, written when its verdict is known, so that an interrupted
// search goes on where it was.
//
//   Expected<std::unique_ptr<Records>> records = Records::Open(folder / "locate.jsonl", facts, fresh);
//   (*records)->Find(digest);       // the verdict, or nullptr
//   (*records)->Add(digest, "model > 2 ops, ...", verdict, 2, 31.5);
//   (*records)->FindWays(digest);   // its distance from the exact results, or nullptr
//
// The first line has the facts that decide a verdict: model, target, toolchain, policy, seed. A line that was cut off
// counts as not written.
#ifndef OPBYOP_COMMANDS_LOCATE_RECORDS_H_
#define OPBYOP_COMMANDS_LOCATE_RECORDS_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "commands/locate/tree.h"
#include "support/expected.h"
#include "support/files/line_log.h"

namespace opbyop::locate {

class Records {
 public:
  // `fresh`: existing records are removed. Returns kUsage if they have other facts.
  static Expected<std::unique_ptr<Records>> Open(const std::filesystem::path& path,
                                                 const std::map<std::string, std::string>& facts, bool fresh);

  const Verdict* Find(const std::string& digest) const;
  Expected<void> Add(const std::string& digest, const std::string& where, const Verdict& verdict, int64_t ops,
                     double ms);
  size_t size() const { return verdicts_.size(); }

  const ThreeWays* FindWays(const std::string& digest) const;
  Expected<void> AddWays(const std::string& digest, const std::string& where, const ThreeWays& ways, double ms);

 private:
  std::unique_ptr<LineLog> log_;
  std::map<std::string, Verdict> verdicts_;
  std::map<std::string, ThreeWays> ways_;
};

}  // namespace opbyop::locate

#endif  // OPBYOP_COMMANDS_LOCATE_RECORDS_H_
