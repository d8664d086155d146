// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/run/options.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "harness/inputs/input_set.h"
#include "manifests/formats/glob.h"
#include "manifests/results/set_name.h"
#include "manifests/runs/shard_files.h"
#include "manifests/targets/target.h"
#include "support/text/nearest.h"
#include "support/text/shell_quote.h"

namespace opbyop::harness {
namespace {

namespace fs = std::filesystem;

template <typename T>
bool ParseNumber(const std::string& text, T* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size();
}

// Upper limits for timeouts and shards on the command line.
constexpr double kMostMs = kLongestTimeoutS * 1000;
constexpr uint64_t kMostShards = std::numeric_limits<uint32_t>::max();
constexpr double kShortestTimeoutS = std::numeric_limits<double>::min();

// The values that a number may have, both ends included.
template <typename T>
struct Range {
  T least = std::numeric_limits<T>::lowest();
  T most = std::numeric_limits<T>::max();
};

// GoogleTest writes --flag_name, most other programs --flag-name: accept both.
std::string Spellings(const std::string& name) {
  std::string underscores = name;
  std::ranges::replace(underscores, '-', '_');
  return underscores == name ? "--" + name : fmt::format("--{},--{}", name, underscores);
}

// The flags of `conformance`, bound to the options that they set. A bad value is a CLI::ParseError.
class Flags {
 public:
  Flags(CLI::App& app, Options& o) : app_(app) {
    Text("manifest", o.manifest, "FILE", "manifest.yaml of the cases (made by `opbyop split MODEL... -o DIR`)")
        ->envname("OPBYOP_MANIFEST");
    Text("target", o.target, "NAME|FILE", "what is tested: manifests/targets/NAME.yaml or a file (default: host)")
        ->envname("OPBYOP_TARGET");
    Text("out", o.out, "DIR", "where results.jsonl goes (default: out/conformance)")->envname("OPBYOP_OUT");
    Text("policy", o.policy, "NAME,...",
         "how inputs are generated and bounds relaxed: names or files, a case is judged under each (default: " +
             std::string(kDefaultPolicies) + ")")
        ->envname("OPBYOP_POLICY");
    Number("seed", o.seed, {}, "N", "mixed into the seed that each case id gives (default: 0)")->envname("OPBYOP_SEED");
    Value(
        "fresh-seed", "N|none",
        "seed of one further draw of `edge`, whose failures are red whatever the baseline says, 1 to 2^53 - 1; "
        "`none`: there is no such draw (default: that of the results that are resumed, else the date, YYYYMMDD in UTC)",
        [&o](const std::string& value) {
          std::optional<uint64_t> seed;
          o.fresh_seed = value;
          return ParseFreshSeed(value, seed);
        })
        ->envname("OPBYOP_FRESH_SEED");
    Number("jobs", o.jobs, {.least = 1}, "N", "target workers that work at once (default: one per core)")
        ->envname("OPBYOP_JOBS");
    Value("shard", "K/N", "part K of N, with results of its own that `opbyop merge` joins; by whole cases",
          [&o](const std::string& value) {
            const auto parts = ParseShard(value);
            if (!parts || parts->second > kMostShards) return false;
            std::tie(o.shard, o.shards) = std::pair(parts->first - 1, parts->second);
            return true;
          });
    Text("balance", o.balance, "RUN|cost|hash",
         "how --shard assigns cases to shards: by their durations in an earlier run, by what they compute, or by id "
         "(default: cost)")
        ->envname("OPBYOP_BALANCE");
    Switch("resume", o.resume, "keep the results in --out and run only what is missing there");
    Switch("resume-interrupted", o.resume_interrupted,
           "like --resume if the run in --out was interrupted, else a new run");
    Value("rerun", "failed|missing|changed",
          "keep the results in --out, but run again what is red or missing there or has changed since",
          [&o](const std::string& value) {
            o.rerun = value;
            return value == "failed" || value == "missing" || value == "changed";
          });
    Text("cache", o.cache, "DIR|none",
         "take the results of unchanged cases from DIR, and keep those of other cases there")
        ->envname("OPBYOP_CACHE");
    Switch("fresh", o.fresh, "discard the results in --out, whatever run they are from");
    Text("resume-command", o.resume_command, "TEXT",
         "what to print after an interruption (default: this command with --resume)");
    Text("baseline", o.baseline, "FILE|none",
         "rows known to fail (default: manifests/baselines/TARGET.yaml if it exists)");
    app_.add_option("--select", o.select, "only rows where all match; keys id, op, dtype, model; repeated: any of them")
        ->type_name("KEY=GLOB,...")
        ->allow_extra_args(false);
    Text("keep", o.keep, "DIR", "keep each case's IR, artifact and tensors in DIR/<case id>");
    Number("retries", o.retries, {.least = 0}, "N",
           "further attempts, alone in fresh workers, of a case that died or failed on the device (default: 1)");
    Number("replay-s", o.replay_s, {.least = 0, .most = 1'000'000}, "S",
           "seconds, of all slots together, for running cases again to find the one that makes another fail, 0: none "
           "(default: 120)");
    Number("batch", o.batch, {.least = 1}, "N",
           "compile at most N cases as one module, 1: each alone (default: as the target says)");
    Text(
        "until", o.until, "STAGE",
        "compile, and leave a bundle in --out that another machine executes: `compile`, or the last stage before load");
    Text("from", o.from, "STAGE",
         "execute the bundle that --manifest is in, with the target it was compiled for: `load`");
    Switch("allow-other-version", o.allow_other_version,
           "execute a bundle that another version of the toolchain compiled; its results may be wrong, and say so");
    Text("differential", o.differential, "NAME|FILE",
         "target that also runs cases that fail in execute or compare, on the same inputs");
    Text("second-opinion", o.differential, "NAME|FILE", "--differential")->group("");  // old name
    Number("repeat", o.repeat.max, {.least = 1}, "N",
           "runs of an artifact, at most (default: 10); the first is judged and not timed");
    Number("repeat-budget-ms", o.repeat.budget_ms, {.least = 0, .most = kMostMs}, "MS",
           "time for these runs (default: 20)");
    Number(
        "executions", o.executions, {.least = 1}, "N",
        "executions of a program of several devices, up to 16 MiB, on its first inputs; all are judged (default: 8)");
    app_.add_option("--meaning", o.meanings,
                    "what custom calls and composites compute, as functions of StableHLO or (NAME.py) of Python: the "
                    "reference then "
                    "judges them")
        ->type_name("FILE")
        ->allow_extra_args(false);
    Text("reference-worker", o.reference_worker, "PROGRAM",
         "makes inputs and judges outputs (default: opbyop-worker next to this program)");
    Value("min-pass", "N|N%", "the run is red unless at least this many of its rows pass",
          [&o](const std::string& value) {
            o.demands.min_pass = value;
            return ParseDemands(value, "").has_value();
          });
    Value("fail-on", "STATUS,...", "further statuses that make the run red: unsupported, inconclusive, skipped",
          [&o](const std::string& value) {
            Expected<Demands> parsed = ParseDemands("", value);
            if (parsed) o.demands.fail_on = std::move(parsed->fail_on);
            return parsed.has_value();
          });
    Value("reports", "on|off", "OpTest JSON, JUnit, summary and page next to the results (default: on)",
          [&o](const std::string& value) {
            o.reports = value == "on";
            return o.reports || value == "off";
          });
    Text("report", o.report, "FILE", "write the reports of these results next to them, and run nothing");
    Switch("plan", o.plan, "print what the run will need: cases, data, memory, time; nothing is run");
    Number("hello-timeout-s", o.hello_timeout_s, {.least = kShortestTimeoutS, .most = kLongestTimeoutS}, "S",
           "how long a worker may take to start (default: 30)");
    Value("progress", "HOW", "auto, tty, plain, gtest (GoogleTest's own output) or quiet (default: auto)",
          [&o](const std::string& value) {
            o.progress = value;
            constexpr std::array kKnown = {"auto", "tty", "plain", "gtest", "quiet"};
            return std::ranges::find(kKnown, value) != kKnown.end();
          });
  }

  const std::vector<const CLI::Option*> all() const { return std::as_const(app_).get_options(); }
  // Returns the flags without old names.
  std::vector<const CLI::Option*> listed() const {
    return std::as_const(app_).get_options([](const CLI::Option* flag) { return !flag->get_group().empty(); });
  }

  // Returns the arguments that are not flags of this program, in order.
  std::vector<std::string> Parse(std::vector<std::string> arguments) {
    std::ranges::reverse(arguments);  // CLI11 expects this order
    app_.parse(arguments);
    return app_.remaining();
  }

 private:
  // `set` returns false for a bad value. An empty value is always bad. The last of several values counts.
  CLI::Option* Value(const std::string& name, const char* type, const std::string& help,
                     std::function<bool(const std::string&)> set) {
    const auto check = [name, help, set = std::move(set)](const std::string& value) {
      if (!value.empty() && set(value)) return;
      throw CLI::ValidationError(fmt::format("'{}' is no value for --{}: {}", value, name, help));
    };
    return app_.add_option_function<std::string>(Spellings(name), check, help)->type_name(type)->take_last();
  }

  template <typename T>
  CLI::Option* Text(const std::string& name, T& into, const char* type, const std::string& help) {
    return Value(name, type, help, [&into](const std::string& value) {
      into = value;
      return true;
    });
  }

  template <typename T>
  CLI::Option* Number(const std::string& name, T& into, std::type_identity_t<Range<T>> range, const char* type,
                      const std::string& help) {
    return Value(name, type, help, [&into, range](const std::string& value) {
      return ParseNumber(value, &into) && into >= range.least && into <= range.most;
    });
  }

  void Switch(const std::string& name, bool& into, const std::string& help) {
    app_.add_flag(Spellings(name), into, help);
  }

  CLI::App& app_;
};

// The command line of `conformance` itself.
struct OwnFlags {
  explicit OwnFlags(Options& options) : flags(app, options) {
    app.allow_extras();
    app.set_help_flag();
  }

  CLI::App app{"", "conformance"};
  Flags flags;
};

// Returns the environment variables that a command needs to do the same, such as "GTEST_SHARD_INDEX=1 ".
std::string EnvironmentPrefix(const Flags& flags) {
  std::vector<std::string> names = {"GTEST_FILTER", "GTEST_SHARD_INDEX", "GTEST_TOTAL_SHARDS"};
  for (const CLI::Option* flag : flags.all()) {
    if (!flag->get_envname().empty()) names.push_back(flag->get_envname());
  }
  std::string prefix;
  for (const std::string& name : names) {
    const char* value = ::getenv(name.c_str());
    if (value != nullptr && *value != '\0') prefix += fmt::format("{}={} ", name, ShellQuote(value));
  }
  return prefix;
}

std::string ResumeCommand(const Options& options) {
  if (!options.resume_command.empty()) return options.resume_command;
  std::vector<std::string> argv;
  for (const std::string& argument : options.argv) {
    if (argument != "--fresh" && argument != "--resume") argv.push_back(argument);
  }
  argv.push_back("--resume");
  return ShellCommand(argv);
}

Expected<void> TakeShard(Options& options) {
  const char* total = ::getenv("GTEST_TOTAL_SHARDS");
  const char* index = ::getenv("GTEST_SHARD_INDEX");
  if (total != nullptr && index != nullptr) {
    uint64_t shards = 1, shard = 0;
    if (!ParseNumber(total, &shards) || !ParseNumber(index, &shard) || shards == 0 || shards > kMostShards ||
        shard >= shards) {
      return MakeError(ExitCode::kUsage,
                       fmt::format("GTEST_SHARD_INDEX={} of GTEST_TOTAL_SHARDS={} is no shard", index, total));
    }
    // The flag overrides the environment.
    if (options.shards == 1) std::tie(options.shard, options.shards) = std::pair(shard, shards);
    // Unset these: GoogleTest would otherwise shard the remaining rows a second time, by index.
    ::unsetenv("GTEST_TOTAL_SHARDS");
    ::unsetenv("GTEST_SHARD_INDEX");
    if (const char* status = ::getenv("GTEST_SHARD_STATUS_FILE")) {
      if (FILE* file = std::fopen(status, "w")) std::fclose(file);
    }
  }
  return {};
}

}  // namespace

Expected<Options> ParseOptions(int* argc, char** argv) {
  Options options;
  options.argv.assign(argv, argv + *argc);
  const std::string usual_target = std::exchange(options.target, "");
  OwnFlags own_flags(options);
  Flags& flags = own_flags.flags;
  const std::string environment = EnvironmentPrefix(flags);
  std::vector<std::string> own, left;
  for (const std::string& argument : std::span(options.argv).subspan(1)) {
    options.help = options.help || argument == "--help" || argument == "-h";
    const bool is_gtests = argument.starts_with("--gtest_") || argument.starts_with("--gtest-");
    if (argument.starts_with("--") && argument.ends_with('=') && !is_gtests) {
      return MakeError(ExitCode::kUsage, fmt::format("{} has no value", argument));
    }
    (is_gtests || options.help ? left : own).push_back(argument);
  }
  try {
    std::ranges::copy(flags.Parse(own), std::back_inserter(left));  // the caller refuses unknown arguments
  } catch (const CLI::ParseError& error) {
    return MakeError(ExitCode::kUsage, error.what());
  }
  if (const Expected<void> taken = TakeShard(options); !taken) return Unexpected(taken.error());
  // Keep the remaining arguments in argv, where GoogleTest looks for them.
  int kept = 1;
  for (int i = 1; i < *argc; ++i) {
    const auto found = std::ranges::find(left, std::string_view(argv[i]));
    if (found == left.end()) continue;
    left.erase(found);
    argv[kept++] = argv[i];
  }
  argv[kept] = nullptr;
  *argc = kept;
  if (!options.until.empty() && !options.from.empty()) {
    return MakeError(ExitCode::kUsage, "--until compiles a bundle and --from executes one: give one of them");
  }
  if (options.allow_other_version && options.from.empty()) {
    return MakeError(ExitCode::kUsage,
                     "--allow-other-version is about a bundle that is executed: it needs --from=load");
  }
  if (options.from.empty() && options.target.empty()) options.target = usual_target;
  if (!options.rerun.empty() && (options.fresh || options.resume)) {
    return MakeError(ExitCode::kUsage, fmt::format("--rerun={} keeps results, and --fresh and --resume say otherwise: "
                                                   "give one of them",
                                                   options.rerun));
  }
  if (options.rerun == "missing") options.resume = true;
  if (options.fresh && options.resume) {
    return MakeError(ExitCode::kUsage, "--fresh discards what --resume would continue from: give one of them");
  }
  options.resume_command = environment + ResumeCommand(options);
  return options;
}

std::string UnknownArgument(std::string_view argument) {
  const std::string_view name = argument.substr(0, argument.find('='));
  Options unused;
  const OwnFlags own(unused);
  std::vector<std::string> names;
  for (const CLI::Option* flag : own.flags.listed()) names.push_back(flag->get_name());
  return fmt::format("unknown argument '{}'; {}--help lists all", argument, DidYouMean(name, names));
}

std::string OptionsHelp() {
  std::string help =
      "conformance: every row of a manifest (an op of a model) through a target, as one GoogleTest each.\n\n"
      "  conformance --manifest=out/nightly/manifest.yaml --target=host --gtest_filter='*conv*'\n\n";
  Options unused;
  const OwnFlags own(unused);
  for (const CLI::Option* flag : own.flags.listed()) {
    std::string left = flag->get_name();
    if (flag->get_expected_max() > 0) left += "=" + flag->get_type_name();
    help += fmt::format("  {:<28} {}\n", left, flag->get_description());
    if (!flag->get_envname().empty()) help.insert(help.size() - 1, fmt::format(" [${}]", flag->get_envname()));
  }
  help += "\nExit codes:\n";
  for (const ExitCode code :
       {ExitCode::kOk, ExitCode::kUnexpectedResult, ExitCode::kUsage, ExitCode::kNoInput, ExitCode::kBadInput,
        ExitCode::kUnsupported, ExitCode::kPartial, ExitCode::kNothingToDo, ExitCode::kNothingJudged}) {
    help += fmt::format("  {:<3} {}\n", static_cast<int>(code), Describe(code));
  }
  return help;
}

struct PassedFlags::Parts {
  explicit Parts(CLI::App& app) : flags(app, options) { options.target.clear(); }

  Options options;
  Flags flags;
};

PassedFlags::PassedFlags(CLI::App& app, std::span<const std::string_view> left_out) {
  const std::vector<CLI::Option*> before = app.get_options();
  parts_ = std::make_unique<Parts>(app);
  for (const std::string_view name : left_out) app.remove_option(app.get_option("--" + std::string(name)));
  for (CLI::Option* flag : app.get_options()) {
    if (std::ranges::find(before, flag) == before.end()) flags_.push_back(flag);
  }
}

PassedFlags::~PassedFlags() = default;

const Options& PassedFlags::options() const { return parts_->options; }

std::vector<std::string> PassedFlags::Given() const {
  std::vector<std::string> given;
  for (const CLI::Option* flag : flags_) {
    if (flag->count() == 0) continue;
    if (flag->get_expected_max() == 0) {
      given.push_back(flag->get_name());
      continue;
    }
    for (const std::string& value : flag->results()) given.push_back(fmt::format("{}={}", flag->get_name(), value));
  }
  return given;
}

Expected<Selector> Selector::Parse(const std::vector<std::string>& texts) {
  Selector selector;
  for (const std::string& text : texts) {
    std::vector<Term>& terms = selector.alternatives_.emplace_back();
    for (size_t begin = 0; begin <= text.size();) {
      const size_t end = std::min(text.find(',', begin), text.size());
      const std::string part = text.substr(begin, end - begin);
      const size_t equals = part.find('=');
      Term term{part.substr(0, equals), equals == std::string::npos ? "" : part.substr(equals + 1)};
      constexpr std::array kKeys = {"id", "op", "dtype", "model"};
      if (std::ranges::find(kKeys, term.key) == kKeys.end() || term.glob.empty()) {
        return MakeError(
            ExitCode::kUsage,
            fmt::format("--select={}: '{}' is not KEY=GLOB with KEY one of id, op, dtype, model", text, part));
      }
      terms.push_back(std::move(term));
      begin = end + 1;
    }
  }
  return selector;
}

bool Selector::Matches(const Case& c, const std::string& model) const {
  const auto has_dtype = [&](const std::string& glob) {
    const auto matches = [&](const TensorType& type) { return GlobMatches(glob, type.dtype); };
    return std::ranges::any_of(c.inputs, matches) || std::ranges::any_of(c.outputs, matches);
  };
  const auto holds = [&](const Term& term) {
    if (term.key == "id") return GlobMatches(term.glob, c.id);
    if (term.key == "model") return GlobMatches(term.glob, model);
    if (term.key == "dtype") return has_dtype(term.glob);
    // "dot_general" means stablehlo.dot_general. Composites and custom calls also match by their target.
    const std::string short_op = c.op.substr(c.op.find('.') + 1);
    return GlobMatches(term.glob, c.op) || GlobMatches(term.glob, short_op) ||
           (!c.target.empty() && GlobMatches(term.glob, c.target));
  };
  return alternatives_.empty() || std::ranges::any_of(alternatives_, [&](const std::vector<Term>& terms) {
           return std::ranges::all_of(terms, holds);
         });
}

}  // namespace opbyop::harness
