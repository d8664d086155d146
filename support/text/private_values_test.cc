// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/text/private_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/test_folder.h"
#include "support/text/safe_text.h"

namespace opbyop {
namespace {

using testing::HasSubstr;
using testing::Not;

PrivateValues Of(const std::map<std::string, std::string>& environment, const std::set<std::string>& shown = {}) {
  return {environment, shown};
}

TEST(PrivateValuesTest, TheVariablesNameReplacesItsValue) {
  const PrivateValues values = Of({{"GH_PAT", "ghp_0123456789"}});
  EXPECT_EQ(values.Hide("login as ghp_0123456789 failed, ghp_0123456789"), "login as <GH_PAT> failed, <GH_PAT>");
}

TEST(PrivateValuesTest, AnyNameMayHoldASecret) {
  for (const char* name :
       {"DATABASE_URL", "MYSQL_PWD", "SENTRY_DSN", "PIP_INDEX_URL", "TF_VAR_db", "JAX_X", "OPBYOP_X", "lower"}) {
    EXPECT_EQ(Of({{name, "hunter2hunter2"}}).Hide("hunter2hunter2"), std::string("<") + name + ">");
  }
}

TEST(PrivateValuesTest, ShortValuesStay) {
  EXPECT_EQ(Of({{"A", "1234567"}}).Hide("1234567"), "1234567");
  EXPECT_EQ(Of({{"A", "x234567\n"}}).Hide("x234567"), "x234567");
  EXPECT_EQ(Of({{"A", "12345678"}}).Hide("12345678"), "<A>");
}

TEST(PrivateValuesTest, VariablesOfCompilersAndOfTheCallerAreShown) {
  const PrivateValues values = Of({{"XLA_FLAGS", "--xla_dump"}, {"CHIP", "chip-of-2026"}}, {"CHIP"});
  EXPECT_EQ(values.Hide("--xla_dump chip-of-2026"), "--xla_dump chip-of-2026");
}

TEST(PrivateValuesTest, NamesOfTheMachineAndTheUserAreKept) {
  EXPECT_EQ(Of({{"HOME", "/nowhere/someone"}, {"USER", "someone-else"}}).Hide("/nowhere/someone someone-else"),
            "/nowhere/someone someone-else");
}

TEST(PrivateValuesTest, TheValueOfAVariableThatIsShownIsShownForAllOthers) {
  EXPECT_EQ(Of({{"A", "the same value"}, {"XLA_FLAGS", "the same value"}}).Hide("the same value"), "the same value");
}

TEST(PrivateValuesTest, NamesOfFilesStay) {
  TestFolder folder;
  std::filesystem::create_directory(folder.path() / "sub");
  const std::string path = folder.path().string();
  EXPECT_EQ(Of({{"A", path}}).Hide(path), path);
  EXPECT_EQ(Of({{"A", path + "/sub:/absent:" + path}}).Hide(path + "/sub:/absent:" + path),
            path + "/sub:/absent:" + path);
  EXPECT_EQ(Of({{"A", "/no/such/file"}}).Hide("/no/such/file"), "<A>");
}

TEST(PrivateValuesTest, NamesInTheReportsSubjectAreKept) {
  PrivateValues values = Of({{"MODEL", "resnet50"}, {"PART", "stablehlo"}, {"TOKEN", "resnet50-secret"}});
  values.AllowNamesIn("resnet50 stablehlo.add");
  EXPECT_EQ(values.Hide("resnet50__stablehlo.add resnet50-secret"), "resnet50__stablehlo.add <TOKEN>");
}

TEST(PrivateValuesTest, TheLongerOfTwoValuesIsReplaced) {
  const PrivateValues values = Of({{"A", "password"}, {"B", "password-of-b"}});
  EXPECT_EQ(values.Hide("password-of-b password-of-a"), "<B> <A>-of-a");
}

TEST(PrivateValuesTest, EachLineOfAValueIsAValue) {
  const PrivateValues values = Of({{"KEY", "-----BEGIN KEY-----\n  MIIEvQIBADANBg \nend\n"}});
  EXPECT_EQ(values.Hide("it says MIIEvQIBADANBg."), "it says <KEY>.");
  EXPECT_EQ(values.Hide("-----BEGIN KEY----- and end"), "<KEY> and end");
}

TEST(PrivateValuesTest, ThePasswordOfAUrlIsAValue) {
  EXPECT_EQ(Of({{"URL", "postgres://u:p4ssw0rd!@db:5432/x"}}).Hide("u, p4ssw0rd!, db"), "u, <URL>, db");
}

TEST(PrivateValuesTest, ValuesAreFoundInOtherSpellings) {
  const PrivateValues values = Of({{"S", "a\"b\\c&d<e'f\x01g h"}});
  EXPECT_EQ(values.Hide(R"({"x": "a\"b\\c&d<e'f\u0001g h"})"), R"({"x": "<S>"})");
  EXPECT_EQ(values.Hide(SafeText("say a\"b\\c&d<e'f\x01g h")), "say <S>");
  EXPECT_EQ(values.Hide("a%22b%5Cc%26d%3Ce%27f%01g%20h"), "<S>");
  EXPECT_EQ(Of({{"S", "пароль-𝄞"}}).Hide(R"("\u043f\u0430\u0440\u043e\u043b\u044c-\ud834\udd1e")"), "\"<S>\"");
  EXPECT_EQ(Of({{"S", "bell\x07 and 'quote'"}}).Hide(R"('bell\x07 and \'quote\'' "bell\x07 and 'quote'")"),
            "'<S>' \"<S>\"");
  EXPECT_EQ(Of({{"S", "it's a secret"}}).Hide(R"('it'\''s a secret')"), "'<S>'");
  EXPECT_EQ(Of({{"S", "a<b>c&d\"ef"}}).Hide("<p>a&lt;b&gt;c&amp;d&quot;ef</p>"), "<p><S></p>");
}

TEST(PrivateValuesTest, NumbersAreReplacedOnlyAsWholeWords) {
  const PrivateValues values = Of({{"BUILD", "20261126"}});
  EXPECT_EQ(values.Hide("build 20261126, 120261126, 0x20261126"), "build <BUILD>, 120261126, 0x20261126");
}

TEST(PrivateValuesTest, AValueThatWasCutOffIsHidden) {
  const PrivateValues values = Of({{"TOKEN", "abcdefghijklmnopqrstuvwxyz"}});
  EXPECT_EQ(values.Hide(Shorten("the token is abcdefghijklmnopqrstuvwxyz", 26)), "the token is <TOKEN>…");
  EXPECT_THAT(values.Hide(SafeLine("the token is abcdefghijklmnopqrstuvwxyz", 30)), HasSubstr("is <TOKEN>… [cut"));
  EXPECT_EQ(values.Hide("only abcde…"), "only abcde…");
}

TEST(PrivateValuesTest, TheEndOfAValueAtTheBeginningIsHidden) {
  const PrivateValues values = Of({{"TOKEN", "abcdefghijklmnopqrstuvwxyz"}});
  std::string text = "klmnopqrstuvwxyz is the end of it";
  values.HideEndAtTheBeginningOf(text);
  EXPECT_EQ(text, "<TOKEN> is the end of it");
  text = "tuvwxyz is too short";
  values.HideEndAtTheBeginningOf(text);
  EXPECT_EQ(text, "tuvwxyz is too short");
}

TEST(PrivateValuesTest, AMarkContainsOnlyTheCharactersOfAWord) {
  EXPECT_EQ(Of({{"a`b\n(c", "hunter2hunter2"}}).Hide("hunter2hunter2"), "<a_b__c>");
}

TEST(PrivateValuesTest, ReplacedValuesAreCounted) {
  const PrivateValues values = Of({{"B", "value of b"}, {"A", "value of a"}});
  EXPECT_EQ(values.Sentence(), "");
  values.Hide("value of b, value of a, value of b");
  EXPECT_EQ(values.Sentence(), "replaced 3 values of 2 environment variables: A, B");
  std::string again = "value of a";
  values.HideUncountedIn(again);
  EXPECT_EQ(again, "<A>");
  EXPECT_EQ(values.counts().at("A"), 1);
}

TEST(PrivateValuesTest, MarksAreCounted) {
  const PrivateValues values = Of({{"A", "value of a"}});
  values.CountMarksIn("<A> <A> <B>");
  EXPECT_EQ(values.Sentence(), "replaced 2 values of 1 environment variable: A");
}

TEST(PrivateValuesTest, ManyLongValuesAreAllFound) {
  std::map<std::string, std::string> environment;
  std::string text;
  for (int i = 0; i < 60; ++i) {
    environment["V" + std::to_string(i)] = std::string(2000, 'x') + std::to_string(i) + "!";
    text += environment["V" + std::to_string(i)] + "\n";
  }
  EXPECT_THAT(Of(environment).Hide(text), Not(HasSubstr("xxx")));
}

}  // namespace
}  // namespace opbyop
