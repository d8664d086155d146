// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The command line of `conformance`: its own flags; whatever is GoogleTest's is left in place.
//
//   Expected<Options> options = ParseOptions(&argc, argv);
//   testing::InitGoogleTest(&argc, argv);
//   if (argc > 1) ... an argument that is nobody's
#ifndef OPBYOP_HARNESS_RUN_OPTIONS_H_
#define OPBYOP_HARNESS_RUN_OPTIONS_H_

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/cases/case.h"
#include "manifests/status/demands.h"
#include "protocol/request.h"
#include "support/expected.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace opbyop::harness {

struct Options {
  std::filesystem::path manifest;
  std::string target = "host";  // name or file; with `from` empty unless it was given
  std::filesystem::path out = "out/conformance";
  std::string policy;  // names or files, by commas; empty: the usual ones (harness/inputs/input_set.h)
  uint64_t seed = 0;
  std::string fresh_seed;  // of the further draw: a number or "none"; empty: as harness/run/fresh_seed.h chooses
  int jobs = 0;            // 0: one slot per core
  bool resume = false;
  bool resume_interrupted = false;  // as `resume`, where what is there is of a run that did not end
  bool fresh = false;               // whatever is there goes
  std::string rerun;                // "failed", "changed": of what is there the rest is kept; empty: nothing is
  std::filesystem::path cache;      // results of earlier runs, shared (harness/cache/result_cache.h); empty: none
  std::string baseline;             // file, "none", or empty: manifests/baselines/TARGET.yaml where it exists
  std::vector<std::string> select;  // "op=*dot*,dtype=bf16": all of one, any of several
  std::filesystem::path keep;
  int retries = 1;
  int replay_s = 120;        // for finding which case spoils another; 0: none is run again for that
  int64_t batch = 0;         // cases compiled as one module; 0: as the target says
  std::string until;         // "compile" or the target's last compile stage: `out` becomes a bundle; empty: all stages
  std::string from;          // "load": the manifest's folder is a bundle; empty: all stages
  std::string differential;  // target asked about failures on the device; empty: none
  protocol::Repeat repeat = {1, 10, 20};
  std::string reference_worker;   // program; started with --reference
  std::string progress = "auto";  // auto, tty, plain, gtest, quiet
  bool reports = true;            // beside the results, as rows end and in full at the end
  std::filesystem::path report;   // results to report on; nothing is run
  double hello_timeout_s = 30;
  Demands demands;  // of --min-pass and --fail-on

  bool help = false;              // --help was given: ours is printed, GoogleTest prints its own
  std::vector<std::string> argv;  // as given

  // What goes on with this run after it was interrupted, to be pasted into a shell.
  std::string resume_command;

  // From --shard=K/N, or from GTEST_TOTAL_SHARDS and GTEST_SHARD_INDEX, which are taken out of the environment: here
  // cases are dealt out, not rows (harness/run/shard_assignment.h).
  uint64_t shards = 1;
  uint64_t shard = 0;   // from 0
  std::string balance;  // "cost", "hash", or an earlier run; empty: by cost
};

// kUsage for an unknown flag or a bad value. Removes from argv what it understood.
Expected<Options> ParseOptions(int* argc, char** argv);

// The message for an argument that neither this nor GoogleTest knows: "unknown argument '--manifset=x'; did you mean
// --manifest? ...".
std::string UnknownArgument(std::string_view argument);

// The text for --help.
std::string OptionsHelp();

// The same flags, on the command line of a program that starts `conformance` and passes them on.
//
//   const PassedFlags flags(*app, {{"manifest", "out"}});    // but for those that the program sets itself
//   ... app->parse(argc, argv) ...
//   std::vector<std::string> argv = flags.Given();           // {"--jobs=3", "--select=op=add"}
class PassedFlags {
 public:
  PassedFlags(CLI::App& app, std::span<const std::string_view> left_out);
  ~PassedFlags();

  // As they were parsed. The target is empty where none was given.
  const Options& options() const;
  // From the command line or from the environment.
  std::vector<std::string> Given() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
  std::vector<const CLI::Option*> flags_;
};

// A parsed --select. Keys: id, op, dtype (of any input or output), model.
class Selector {
 public:
  static Expected<Selector> Parse(const std::vector<std::string>& texts);
  bool Matches(const Case& c, const std::string& model) const;

 private:
  struct Term {
    std::string key;
    std::string glob;
  };
  std::vector<std::vector<Term>> alternatives_;
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_RUN_OPTIONS_H_
