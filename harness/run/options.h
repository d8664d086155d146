// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The command line of `conformance`: its own flags. Flags of GoogleTest are left in place.
//
//   Expected<Options> options = ParseOptions(&argc, argv);
//   testing::InitGoogleTest(&argc, argv);
//   if (argc > 1) ... an argument that is unknown to both
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
  std::string target = "host";  // name or file; empty if `from` is set and no target was given
  std::filesystem::path out = "out/conformance";
  // Names or files, separated by commas. Empty: the default ones (harness/inputs/input_set.h).
  std::string policy;
  uint64_t seed = 0;
  // Seed of the further draw: a number or "none". Empty: as harness/run/fresh_seed.h chooses.
  std::string fresh_seed;
  int jobs = 0;  // 0: one slot per core
  bool resume = false;
  // Does what `resume` does, if the existing results are of a run that did not finish.
  bool resume_interrupted = false;
  bool fresh = false;  // existing results are discarded
  // "failed", "missing" or "changed": such cases are run again, the other results are kept. Empty: see `resume`.
  std::string rerun;
  std::filesystem::path cache;  // results of earlier runs, shared (harness/cache/result_cache.h); empty: none
  std::string baseline;         // file, "none", or empty: manifests/baselines/TARGET.yaml if it exists
  // Each entry is a list of terms, "op=*dot*,dtype=bf16". A row is selected if all terms of any entry match.
  std::vector<std::string> select;
  std::filesystem::path keep;
  int retries = 1;
  // Seconds for finding which case makes another fail. 0: no case is run again for that.
  int replay_s = 120;
  int64_t batch = 0;  // cases compiled as one module; 0: the target's number
  // "compile" or the target's last compile stage: `out` becomes a bundle. Empty: all stages.
  std::string until;
  bool allow_other_version = false;  // of the toolchain that compiled the bundle
  std::string from;                  // "load": the manifest's folder is a bundle; empty: all stages
  std::string differential;          // target that also runs cases that fail on the device; empty: none
  protocol::Repeat repeat = {1, 10, 20};
  int executions = 8;                 // of a program of several devices, each judged
  std::vector<std::string> meanings;  // files that define custom calls for the reference
  std::string reference_worker;       // program, started with --reference
  std::string progress = "auto";      // auto, tty, plain, gtest, quiet
  // Reports are written next to the results, as rows end and in full at the end.
  bool reports = true;
  std::filesystem::path report;  // results to report on; nothing is run
  bool plan = false;             // what the run would need is printed; nothing is run
  double hello_timeout_s = 30;
  Demands demands;  // from --min-pass and --fail-on

  bool help = false;              // --help was given: print our help, GoogleTest prints its own
  std::vector<std::string> argv;  // as given

  // The command that resumes this run after an interruption, to be pasted into a shell.
  std::string resume_command;

  // From --shard=K/N, or from GTEST_TOTAL_SHARDS and GTEST_SHARD_INDEX. These are removed from the environment, because
  // shards are assigned cases here, not rows (harness/run/shard_assignment.h).
  uint64_t shards = 1;
  uint64_t shard = 0;   // from 0
  std::string balance;  // "cost", "hash", or an earlier run; empty: by cost
};

// kUsage for an unknown flag or a bad value. Removes the flags that it understood from argv.
Expected<Options> ParseOptions(int* argc, char** argv);

// Returns the message for an argument that neither this nor GoogleTest knows: "unknown argument '--manifset=x'; did you
// mean --manifest? ...".
std::string UnknownArgument(std::string_view argument);

// Returns the text for --help.
std::string OptionsHelp();

// Adds the same flags to the command line of a program that starts `conformance`, and passes them on.
//
//   const PassedFlags flags(*app, {{"manifest", "out"}});    // all except these, which the program sets itself
//   ... app->parse(argc, argv) ...
//   std::vector<std::string> argv = flags.Given();           // {"--jobs=3", "--select=op=add"}
class PassedFlags {
 public:
  PassedFlags(CLI::App& app, std::span<const std::string_view> left_out);
  ~PassedFlags();

  // The parsed options. The target is empty if none was given.
  const Options& options() const;
  // Returns the flags that were given on the command line or in the environment.
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
