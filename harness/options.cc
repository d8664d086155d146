#include "harness/options.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <functional>
#include <optional>
#include <string_view>

#include "harness/input_set.h"
#include "manifests/glob.h"
#include "manifests/target.h"
#include "support/shell_quote.h"

namespace opbyop::harness {
namespace {

namespace fs = std::filesystem;

template <typename T>
bool ParseNumber(const std::string& text, T* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size();
}

// Of what a run waits for, none of which is endless.
constexpr double kMostMs = kLongestTimeoutS * 1000;

struct Flag {
  const char* name;
  const char* value;     // how --help calls it; nullptr for a switch
  const char* variable;  // environment variable that stands in for it; nullptr for none
  std::string help;
  std::function<bool(Options&, const std::string&)> set;  // false for a bad value
};

const std::vector<Flag>& Flags() {
  static const std::vector<Flag> flags = {
      {"manifest", "FILE", "OPBYOP_MANIFEST", "manifest.yaml of the cases (made by `opbyop split MODEL... -o DIR`)",
       [](Options& o, const std::string& v) {
         o.manifest = v;
         return !v.empty();
       }},
      {"target", "NAME|FILE", "OPBYOP_TARGET", "what is tested: manifests/targets/NAME.yaml or a file (default: host)",
       [](Options& o, const std::string& v) {
         o.target = v;
         return !v.empty();
       }},
      {"out", "DIR", "OPBYOP_OUT", "where results.jsonl goes (default: out/conformance)",
       [](Options& o, const std::string& v) {
         o.out = v;
         return !v.empty();
       }},
      {"policy", "NAME,...", "OPBYOP_POLICY",
       "how inputs are drawn and bounds relaxed: names or files, a case is judged under each (default: " +
           std::string(kDefaultPolicies) + "; of whole models: " + std::string(kWholeModelPolicies) + ")",
       [](Options& o, const std::string& v) {
         o.policy = v;
         return !v.empty();
       }},
      {"seed", "N", "OPBYOP_SEED", "mixed into the seed that each case id gives (default: 0)",
       [](Options& o, const std::string& v) { return ParseNumber(v, &o.seed); }},
      {"jobs", "N", "OPBYOP_JOBS", "target workers that work at once (default: one per core)",
       [](Options& o, const std::string& v) { return ParseNumber(v, &o.jobs) && o.jobs > 0; }},
      {"resume", nullptr, nullptr, "keep the results in --out and run only what is missing there",
       [](Options& o, const std::string&) { return o.resume = true; }},
      {"resume_interrupted", nullptr, nullptr, "--resume where the run in --out was interrupted, else a new run",
       [](Options& o, const std::string&) { return o.resume_interrupted = true; }},
      {"fresh", nullptr, nullptr, "discard the results in --out, whatever they are of",
       [](Options& o, const std::string&) { return o.fresh = true; }},
      {"resume_command", "TEXT", nullptr, "what to print after an interruption (default: this command with --resume)",
       [](Options& o, const std::string& v) {
         o.resume_command = v;
         return !v.empty();
       }},
      {"baseline", "FILE|none", nullptr, "rows known to fail (default: manifests/baselines/TARGET.yaml if it exists)",
       [](Options& o, const std::string& v) {
         o.baseline = v;
         return !v.empty();
       }},
      {"select", "KEY=GLOB,...", nullptr, "only rows where all match; keys id, op, dtype, model; repeated: any of them",
       [](Options& o, const std::string& v) {
         o.select.push_back(v);
         return !v.empty();
       }},
      {"keep", "DIR", nullptr, "keep each case's IR, artifact and tensors in DIR/<case id>",
       [](Options& o, const std::string& v) {
         o.keep = v;
         return !v.empty();
       }},
      {"retries", "N", nullptr,
       "further attempts, alone in fresh workers, of a case that died or failed on the device (default: 1)",
       [](Options& o, const std::string& v) { return ParseNumber(v, &o.retries) && o.retries >= 0; }},
      {"batch", "N", nullptr, "compile at most N cases as one module, 1: each alone (default: as the target says)",
       [](Options& o, const std::string& v) { return ParseNumber(v, &o.batch) && o.batch > 0; }},
      {"second_opinion", "NAME|FILE", nullptr, "target that runs what fails in execute or compare on the same inputs",
       [](Options& o, const std::string& v) {
         o.second_opinion = v;
         return !v.empty();
       }},
      {"repeat", "N", nullptr, "runs of an artifact for its timing, at most (default: 10)",
       [](Options& o, const std::string& v) { return ParseNumber(v, &o.repeat.max) && o.repeat.max > 0; }},
      {"repeat_budget_ms", "MS", nullptr, "time for these runs (default: 20)",
       [](Options& o, const std::string& v) {
         return ParseNumber(v, &o.repeat.budget_ms) && o.repeat.budget_ms >= 0 && o.repeat.budget_ms <= kMostMs;
       }},
      {"reference_worker", "PROGRAM", nullptr, "makes inputs and judges outputs (default: opbyop-worker beside this)",
       [](Options& o, const std::string& v) {
         o.reference_worker = v;
         return !v.empty();
       }},
      {"min_pass", "N|N%", nullptr, "red unless so many of the rows that are run pass",
       [](Options& o, const std::string& v) {
         const Expected<Demands> parsed = ParseDemands(v, "");
         if (parsed) o.demands.min_pass = v;
         return parsed && !v.empty();
       }},
      {"fail_on", "STATUS,...", nullptr, "statuses that are red too: unsupported, inconclusive, skipped",
       [](Options& o, const std::string& v) {
         Expected<Demands> parsed = ParseDemands("", v);
         if (parsed) o.demands.fail_on = std::move(parsed->fail_on);
         return parsed && !v.empty();
       }},
      {"reports", "on|off", nullptr, "OpTest JSON, JUnit, summary and page beside the results (default: on)",
       [](Options& o, const std::string& v) {
         o.reports = v == "on";
         return v == "on" || v == "off";
       }},
      {"report", "FILE", nullptr, "write the reports of these results beside them, and run nothing",
       [](Options& o, const std::string& v) {
         o.report = v;
         return !v.empty();
       }},
      {"hello_timeout_s", "S", nullptr, "how long a worker may take to start (default: 30)",
       [](Options& o, const std::string& v) {
         return ParseNumber(v, &o.hello_timeout_s) && o.hello_timeout_s > 0 && o.hello_timeout_s <= kLongestTimeoutS;
       }},
      {"progress", "HOW", nullptr, "auto, tty, plain, gtest (GoogleTest's own output) or quiet (default: auto)",
       [](Options& o, const std::string& v) {
         o.progress = v;
         constexpr std::array kKnown = {"auto", "tty", "plain", "gtest", "quiet"};
         return std::ranges::find(kKnown, v) != kKnown.end();
       }},
  };
  return flags;
}

tl::unexpected<Error> BadValue(std::string_view where, const Flag& flag, const std::string& value) {
  return MakeError(ExitCode::kUsage, fmt::format("'{}' is no value for {}: {}", value, where, flag.help));
}

// GoogleTest writes --flag_name, most others --flag-name: both are taken.
std::string Normalise(std::string_view name) {
  std::string normal(name);
  std::ranges::replace(normal, '-', '_');
  return normal;
}

// "GTEST_SHARD_INDEX=1 ": what a command needs of this process's environment to do the same.
std::string EnvironmentPrefix() {
  std::vector<const char*> names = {"GTEST_FILTER", "GTEST_SHARD_INDEX", "GTEST_TOTAL_SHARDS"};
  for (const Flag& flag : Flags()) {
    if (flag.variable != nullptr) names.push_back(flag.variable);
  }
  std::string prefix;
  for (const char* name : names) {
    const char* value = ::getenv(name);
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

Expected<void> ReadEnvironment(Options& options) {
  for (const Flag& flag : Flags()) {
    const char* value = flag.variable == nullptr ? nullptr : ::getenv(flag.variable);
    if (value != nullptr && *value != '\0' && !flag.set(options, value)) return BadValue(flag.variable, flag, value);
  }
  const char* total = ::getenv("GTEST_TOTAL_SHARDS");
  const char* index = ::getenv("GTEST_SHARD_INDEX");
  if (total != nullptr && index != nullptr) {
    if (!ParseNumber(total, &options.shards) || !ParseNumber(index, &options.shard) || options.shards == 0 ||
        options.shard >= options.shards) {
      return MakeError(ExitCode::kUsage,
                       fmt::format("GTEST_SHARD_INDEX={} of GTEST_TOTAL_SHARDS={} is no shard", index, total));
    }
    // Taken over here, or GoogleTest would shard what is left a second time, by index.
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
  const std::string environment = EnvironmentPrefix();
  if (const Expected<void> read = ReadEnvironment(options); !read) return Unexpected(read.error());
  int kept = 1;
  for (int i = 1; i < *argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--help" || argument == "-h") options.help = true;
    if (!argument.starts_with("--") || argument.starts_with("--gtest_") || argument.starts_with("--gtest-") ||
        options.help) {
      argv[kept++] = argv[i];
      continue;
    }
    const size_t equals = argument.find('=');
    const std::string name = Normalise(argument.substr(2, equals == argument.npos ? equals : equals - 2));
    const auto flag = std::ranges::find_if(Flags(), [&](const Flag& known) { return name == known.name; });
    if (flag == Flags().end()) {
      argv[kept++] = argv[i];  // perhaps GoogleTest's; what is left after it is refused
      continue;
    }
    std::string value;
    if (equals != argument.npos) {
      value = argument.substr(equals + 1);
    } else if (flag->value != nullptr) {
      if (i + 1 >= *argc)
        return MakeError(ExitCode::kUsage, fmt::format("{} needs a value: {}", argument, flag->value));
      value = argv[++i];
    }
    if (!flag->set(options, value)) return BadValue(argument.substr(0, equals), *flag, value);
  }
  argv[kept] = nullptr;
  *argc = kept;
  if (options.fresh && options.resume) {
    return MakeError(ExitCode::kUsage, "--fresh discards what --resume would go on from: give one of them");
  }
  options.resume_command = environment + ResumeCommand(options);
  return options;
}

std::string OptionsHelp() {
  std::string help =
      "conformance: every row of a manifest (an op of a model) through a target, as one GoogleTest each.\n\n"
      "  conformance --manifest=out/nightly/manifest.yaml --target=host --gtest_filter='*conv*'\n\n";
  for (const Flag& flag : Flags()) {
    std::string left = fmt::format("--{}", flag.name);
    std::ranges::replace(left, '_', '-');
    if (flag.value != nullptr) left += fmt::format("={}", flag.value);
    help += fmt::format("  {:<28} {}\n", left, flag.help);
    if (flag.variable != nullptr) help.insert(help.size() - 1, fmt::format(" [${}]", flag.variable));
  }
  help += "\nExit codes:\n";
  for (const ExitCode code :
       {ExitCode::kOk, ExitCode::kUnexpectedResult, ExitCode::kUsage, ExitCode::kNoInput, ExitCode::kBadInput,
        ExitCode::kUnsupported, ExitCode::kPartial, ExitCode::kNothingToDo, ExitCode::kNothingJudged}) {
    help += fmt::format("  {:<3} {}\n", static_cast<int>(code), Describe(code));
  }
  return help;
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
    // "dot_general" means stablehlo.dot_general; composites and custom calls also go by their target.
    const std::string short_op = c.op.substr(c.op.find('.') + 1);
    return GlobMatches(term.glob, c.op) || GlobMatches(term.glob, short_op) ||
           (!c.target.empty() && GlobMatches(term.glob, c.target));
  };
  return alternatives_.empty() || std::ranges::any_of(alternatives_, [&](const std::vector<Term>& terms) {
           return std::ranges::all_of(terms, holds);
         });
}

}  // namespace opbyop::harness
