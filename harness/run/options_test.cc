// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/run/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <CLI/CLI.hpp>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace opbyop::harness {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Parsed {
  Expected<Options> options;
  std::vector<std::string> left;
};

Parsed Parse(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "conformance");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  int argc = static_cast<int>(arguments.size());
  Parsed parsed{ParseOptions(&argc, argv.data()), {}};
  parsed.left.assign(argv.begin() + 1, argv.begin() + argc);
  return parsed;
}

TEST(OptionsTest, TakesItsOwnFlagsAndLeavesGoogleTests) {
  const Parsed parsed = Parse({"--gtest_filter=*conv*", "--manifest=a.yaml", "--target", "iree", "--resume", "--jobs=3",
                               "--select=op=add", "--select=op=dot", "--gtest_list_tests", "--hello-timeout-s=2.5"});
  ASSERT_TRUE(parsed.options) << parsed.options.error().message;
  EXPECT_EQ(parsed.options->manifest, "a.yaml");
  EXPECT_EQ(parsed.options->target, "iree");
  EXPECT_EQ(parsed.options->jobs, 3);
  EXPECT_EQ(parsed.options->hello_timeout_s, 2.5);
  EXPECT_TRUE(parsed.options->resume);
  EXPECT_THAT(parsed.options->select, ElementsAre("op=add", "op=dot"));
  EXPECT_THAT(parsed.left, ElementsAre("--gtest_filter=*conv*", "--gtest_list_tests"));
}

TEST(OptionsTest, ABundleSetsItsTarget) {
  EXPECT_EQ(Parse({}).options->target, "host");
  EXPECT_EQ(Parse({"--until=compile"}).options->target, "host");
  EXPECT_EQ(Parse({"--from=load"}).options->target, "");
  EXPECT_EQ(Parse({"--from=load", "--target=host"}).options->target, "host");
}

TEST(OptionsTest, ABundleIsMadeOrExecuted) {
  const Parsed both = Parse({"--until=compile", "--from=load"});
  ASSERT_FALSE(both.options);
  EXPECT_THAT(both.options.error().message, HasSubstr("give one of them"));
}

TEST(OptionsTest, TheCommandThatResumesIsTheOneThatWasGiven) {
  const Parsed parsed = Parse({"--gtest_filter=*conv*", "--out=my results", "--fresh"});
  ASSERT_TRUE(parsed.options) << parsed.options.error().message;
  EXPECT_EQ(parsed.options->resume_command, "conformance '--gtest_filter=*conv*' '--out=my results' --resume");
  EXPECT_EQ(Parse({"--resume-command=opbyop run x"}).options->resume_command, "opbyop run x");
}

TEST(OptionsTest, TheCommandThatResumesNamesItsShard) {
  ::setenv("GTEST_TOTAL_SHARDS", "3", 1);
  ::setenv("GTEST_SHARD_INDEX", "1", 1);
  EXPECT_EQ(Parse({}).options->resume_command, "GTEST_SHARD_INDEX=1 GTEST_TOTAL_SHARDS=3 conformance --resume");
  ::unsetenv("GTEST_TOTAL_SHARDS");
  ::unsetenv("GTEST_SHARD_INDEX");
}

TEST(OptionsTest, ResumeAndFreshExcludeEachOther) {
  EXPECT_EQ(Parse({"--resume", "--fresh"}).options.error().code, ExitCode::kUsage);
  EXPECT_TRUE(Parse({"--resume-interrupted", "--fresh"}).options) << "what `opbyop run DIR -- --fresh` gives";
}

TEST(OptionsTest, UnknownArgumentsAreLeftForTheCaller) {
  EXPECT_THAT(Parse({"--manifset=a"}).left, ElementsAre("--manifset=a"));
}

TEST(OptionsTest, AMisspeltFlagGetsASuggestion) {
  EXPECT_EQ(UnknownArgument("--manifset=a"),
            "unknown argument '--manifset=a'; did you mean --manifest? --help lists all");
  EXPECT_THAT(UnknownArgument("--diferential"), HasSubstr("did you mean --differential?"));
  EXPECT_EQ(UnknownArgument("--colour"), "unknown argument '--colour'; --help lists all");
}

TEST(OptionsTest, AnOldFlagNameIsAcceptedButNotListed) {
  EXPECT_EQ(Parse({"--manifest=m.yaml", "--second-opinion=xla"}).options->differential, "xla");
  EXPECT_THAT(OptionsHelp(), testing::Not(HasSubstr("second-opinion")));
}

TEST(OptionsTest, TheLastOfTwoEqualFlagsCounts) {
  const Parsed parsed = Parse({"--target=a", "--target=b", "--resume", "--resume"});
  ASSERT_TRUE(parsed.options) << parsed.options.error().message;
  EXPECT_EQ(parsed.options->target, "b");
  EXPECT_TRUE(parsed.options->resume);
}

TEST(OptionsTest, AFlagDoesNotTakeTheNextFlagAsItsValue) {
  const Parsed parsed = Parse({"--manifest=", "--target=a"});
  ASSERT_FALSE(parsed.options);
  EXPECT_EQ(parsed.options.error().code, ExitCode::kUsage);
  EXPECT_THAT(parsed.options.error().message, HasSubstr("--manifest="));
}

TEST(OptionsTest, NumbersAreDecimalAndInRange) {
  EXPECT_EQ(Parse({"--seed=18446744073709551615"}).options->seed, 18446744073709551615u);
  EXPECT_EQ(Parse({"--repeat=010"}).options->repeat.max, 10);
  for (const char* bad : {"--seed=-1", "--seed=0x10", "--jobs=0", "--retries=-1", "--repeat-budget-ms=-1"}) {
    EXPECT_FALSE(Parse({bad}).options) << bad;
  }
}

TEST(OptionsTest, TheSeedOfTheFurtherDrawIsANumberOrNone) {
  EXPECT_EQ(Parse({}).options->fresh_seed, "");
  EXPECT_EQ(Parse({"--fresh-seed=20261126"}).options->fresh_seed, "20261126");
  EXPECT_EQ(Parse({"--fresh-seed=7", "--fresh-seed=none"}).options->fresh_seed, "none");
  for (const char* bad : {"--fresh-seed=0", "--fresh-seed=today", "--fresh-seed=9007199254740992", "--fresh-seed"}) {
    EXPECT_FALSE(Parse({bad}).options) << bad;
  }
}

TEST(OptionsTest, BadValuesAreNamed) {
  const Parsed parsed = Parse({"--jobs=many"});
  ASSERT_FALSE(parsed.options);
  EXPECT_EQ(parsed.options.error().code, ExitCode::kUsage);
  EXPECT_THAT(parsed.options.error().message, HasSubstr("'many' is no value for --jobs"));
  EXPECT_FALSE(Parse({"--progress=loud"}).options);
  EXPECT_FALSE(Parse({"--seed"}).options);
  for (const char* endless : {"inf", "nan", "1e12"}) {
    EXPECT_FALSE(Parse({std::string("--hello-timeout-s=") + endless}).options) << endless;
    EXPECT_FALSE(Parse({std::string("--repeat-budget-ms=") + endless}).options) << endless;
  }
}

TEST(OptionsTest, TheCommandLineOverridesTheEnvironment) {
  ::setenv("OPBYOP_TARGET", "xla", 1);
  EXPECT_EQ(Parse({}).options->target, "xla");
  EXPECT_EQ(Parse({"--target=host"}).options->target, "host");
  ::unsetenv("OPBYOP_TARGET");
}

TEST(OptionsTest, ShardsAreTakenOverFromGoogleTest) {
  ::setenv("GTEST_TOTAL_SHARDS", "4", 1);
  ::setenv("GTEST_SHARD_INDEX", "3", 1);
  const Parsed parsed = Parse({});
  EXPECT_EQ(parsed.options->shards, 4u);
  EXPECT_EQ(parsed.options->shard, 3u);
  EXPECT_EQ(::getenv("GTEST_TOTAL_SHARDS"), nullptr);
  ::setenv("GTEST_TOTAL_SHARDS", "4", 1);
  ::setenv("GTEST_SHARD_INDEX", "4", 1);
  EXPECT_FALSE(Parse({}).options);
  ::unsetenv("GTEST_TOTAL_SHARDS");
  ::unsetenv("GTEST_SHARD_INDEX");
}

TEST(OptionsTest, HelpNamesEveryFlagAndLetsGoogleTestPrintItsOwn) {
  const Parsed parsed = Parse({"--help"});
  EXPECT_TRUE(parsed.options->help);
  EXPECT_THAT(parsed.left, ElementsAre("--help"));
  for (const char* flag : {"--manifest=", "--target=", "--out=", "--resume", "--baseline=", "--select=", "--keep="}) {
    EXPECT_THAT(OptionsHelp(), HasSubstr(flag));
  }
}

TEST(SelectorTest, AllTermsOfOneSelectorOrAnyOfSeveralSelectors) {
  Case c;
  c.id = "dot_general_4x4_bf16_00000000";
  c.op = "stablehlo.dot_general";
  c.inputs = {{{4, 4}, "bf16"}};
  const auto matches = [&](const std::vector<std::string>& select) {
    const Expected<Selector> selector = Selector::Parse(select);
    return selector && selector->Matches(c, "bert");
  };
  EXPECT_TRUE(matches({}));
  EXPECT_TRUE(matches({"op=dot_general,dtype=bf16"}));
  EXPECT_TRUE(matches({"op=stablehlo.dot*"}));
  EXPECT_FALSE(matches({"op=dot_general,dtype=f32"}));
  EXPECT_TRUE(matches({"op=dot_general,dtype=f32", "model=b?rt"}));
  EXPECT_FALSE(matches({"id=add*"}));
}

TEST(SelectorTest, AnUnknownKeyIsNamed) {
  EXPECT_THAT(Selector::Parse({"shape=2"}).error().message, HasSubstr("'shape=2'"));
  EXPECT_FALSE(Selector::Parse({"op"}));
}

TEST(PassedFlagsTest, OnlyGivenFlagsArePassedOn) {
  CLI::App app;
  constexpr std::array<std::string_view, 2> kLeftOut = {"out", "balance"};
  const PassedFlags flags(app, kLeftOut);
  app.parse("--select=op=add --select=op=dot --jobs 3 --fresh", false);
  EXPECT_EQ(flags.options().jobs, 3);
  EXPECT_EQ(flags.options().target, "");
  EXPECT_THAT(flags.Given(), ElementsAre("--jobs=3", "--fresh", "--select=op=add", "--select=op=dot"));
  EXPECT_THROW(app.parse("--out=elsewhere", false), CLI::ParseError);
}

TEST(PassedFlagsTest, ABadValueIsAnError) {
  CLI::App app;
  const PassedFlags flags(app, {});
  EXPECT_THROW(app.parse("--jobs=0", false), CLI::ParseError);
}

}  // namespace
}  // namespace opbyop::harness
