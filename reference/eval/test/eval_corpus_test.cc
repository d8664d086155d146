// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Evaluates the corpora of test programs. Every section must pass or be listed with a reason.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "ir/read_module.h"
#include "reference/eval/check.h"
#include "reference/eval/print_form.h"
#include "reference/worker/eval_command.h"
#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop::reference {
namespace {

namespace fs = std::filesystem;

const fs::path kSets = TestCorpora("corpora/stablehlo");

struct Tally {
  int64_t passed = 0, failed = 0, unsupported = 0, excepted = 0;
  std::map<std::string, int64_t> reasons;  // why sections are unsupported, and how many for each reason
};

// Returns "unsupported: name" without the location before it.
std::string ReasonOf(const std::string& message) {
  const size_t at = message.find("unsupported: ");
  return at == std::string::npos ? message : message.substr(at);
}

// Files of testdata whose expected values are wrong. validation/corpus/corpus_exceptions.py proves this for each in
// exact arithmetic (test eval_corpus_exceptions).
const std::map<std::string, std::string>& Exceptions() {
  static const std::map<std::string, std::string> exceptions = [] {
    const Expected<std::string> text = ReadFile(TestSource("reference/eval/corpus_exceptions.json"));
    EXPECT_TRUE(text.has_value()) << (text ? "" : text.error().message);
    return nlohmann::json::parse(text ? *text : "{}").get<std::map<std::string, std::string>>();
  }();
  return exceptions;
}

Tally RunSet(const std::string& set, bool split) {
  Tally tally;
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(kSets / set)) {
    if (entry.path().extension() == ".mlir") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  const char* only = std::getenv("OPBYOP_CORPUS_FILTER");
  for (const fs::path& file : files) {
    if (only && file.filename().string().find(only) == std::string::npos) continue;
    std::ostringstream out;
    const Expected<EvalReport> report = RunEval({.file = file, .split_input_file = split, .quiet = true}, out);
    if (!report) {
      std::cout << "failed: " << report.error().message << "\n";
      ++tally.failed;
      continue;
    }
    for (const EvalSection& section : report->sections) {
      switch (section.outcome) {
        case EvalSection::Outcome::kPassed:
          ++tally.passed;
          break;
        case EvalSection::Outcome::kUnsupported:
          ++tally.unsupported;
          ++tally.reasons[ReasonOf(section.messages.front())];
          break;
        case EvalSection::Outcome::kFailed:
          if (set == "testdata" && Exceptions().contains(file.filename().string())) {
            ++tally.excepted;
            std::cout << "exception: " << file.filename().string() << ": " << Exceptions().at(file.filename().string())
                      << "\n";
            break;
          }
          ++tally.failed;
          std::cout << "failed: " << file.filename().string() << ":" << section.line << ": "
                    << section.messages.front().substr(0, 300) << "\n";
      }
    }
  }
  for (const auto& [reason, count] : tally.reasons) std::cout << count << " x " << reason << "\n";
  std::cout << set << ": " << tally.passed << " passed, " << tally.failed << " failed";
  if (tally.unsupported > 0) std::cout << ", " << tally.unsupported << " unsupported";
  if (tally.excepted > 0) std::cout << ", " << tally.excepted << " wrong expected values (listed and proven)";
  std::cout << "\n";
  return tally;
}

void ExpectAllPass(const std::string& set, bool split, int64_t excepted = 0) {
  if (!fs::exists(kSets / set)) GTEST_SKIP() << NoCorpora(kSets / set);
  const Tally tally = RunSet(set, split);
  EXPECT_EQ(tally.failed, 0);
  EXPECT_EQ(tally.unsupported, 0);
  if (std::getenv("OPBYOP_CORPUS_FILTER") == nullptr) {
    EXPECT_EQ(tally.excepted, excepted) << "an exception that passes must leave the list";
  }
}

TEST(Corpus, TestdataPasses) { ExpectAllPass("testdata", false, static_cast<int64_t>(Exceptions().size())); }
TEST(Corpus, MathPasses) { ExpectAllPass("math", true); }
TEST(Corpus, InterpretPasses) { ExpectAllPass("interpret", true); }
TEST(Corpus, QuantizedPasses) { ExpectAllPass("quantized", true); }

// Returns the text with every run of blanks replaced by one, as FileCheck does before it compares.
std::string Squeezed(const std::string& line) {
  std::istringstream words(line);
  std::string out;
  for (std::string word; words >> word;) out += (out.empty() ? "" : " ") + word;
  return out;
}

// Compares the output of a section (prints, then results) with its CHECK and CHECK-NEXT lines. Returns the first line
// that does not match.
std::string FirstMiss(const std::string& section, const std::string& printed) {
  std::vector<std::string> lines;
  std::istringstream stream(printed);
  for (std::string line; std::getline(stream, line);) lines.push_back(Squeezed(line));
  static const std::regex check(R"(// CHECK(-NEXT)?(\{LITERAL\})?:(.*))");
  size_t next = 0;
  std::istringstream source(section);
  for (std::string line; std::getline(source, line);) {
    std::smatch match;
    if (!std::regex_search(line, match, check)) continue;
    const std::string wanted = Squeezed(match[3].str());
    const auto holds = [&](size_t at) { return at < lines.size() && lines[at].find(wanted) != std::string::npos; };
    if (!match[1].matched) {
      while (next < lines.size() && !holds(next)) ++next;
    }
    if (!holds(next)) return line;
    ++next;
  }
  return "";
}

// Two files state their expected results as the output of upstream's interpreter.
TEST(Corpus, PrintsMatchTheCheckLines) {
  for (const char* name : {"printing.mlir", "api_input_arguments.mlir"}) {
    const Expected<std::string> text = ReadFile(kSets / "interpret" / name);
    ASSERT_TRUE(text.has_value()) << text.error().message;
    size_t from = 0;
    while (from != std::string::npos) {
      const size_t mark = text->find("// -----", from);
      const std::string section = text->substr(from, mark == std::string::npos ? mark : mark - from);
      from = mark == std::string::npos ? mark : text->find('\n', mark);
      mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
      Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadModuleFromBytes(section, name, context);
      ASSERT_TRUE(module.has_value()) << module.error().message;
      const Expected<mlir::Operation*> entry = EntryOf(module->get());
      ASSERT_TRUE(entry.has_value()) << entry.error().message;
      Values arguments;
      if ((*entry)->getRegion(0).getNumArguments() == 2) {  // the file whose RUN line has --args
        for (const int64_t v : {1, 2}) arguments.emplace_back(Tensor::Splat<int64_t>(ElementType::kI32, {2}, v));
      }
      CheckLog log;
      Evaluator evaluator(module->get(), {.hook = CheckHook(log)});
      const Expected<Values> results = evaluator.CallFunction(*entry, std::move(arguments));
      ASSERT_TRUE(results.has_value()) << results.error().message;
      std::string printed = log.printed;
      for (const Value& value : *results) printed += PrintForm(value.tensor()) + "\n";
      EXPECT_EQ(FirstMiss(section, printed), "") << name << " printed:\n" << printed;
    }
  }
}

}  // namespace
}  // namespace opbyop::reference
