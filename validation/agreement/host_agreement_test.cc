// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiles and runs every program of programs/ on the host target, and compares with the reference's values and bounds
// on seeded inputs, and so drawn programs of loops and branches. A program is a section of a file and starts with a
// comment that names it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "device/host/run_program.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "reference/bounds/compare.h"
#include "reference/eval/evaluate_text.h"
#include "reference/inputs/inputs.h"
#include "support/test_folder.h"
#include "validation/agreement/control_flow_program.h"

namespace opbyop {
namespace {

namespace fs = std::filesystem;

struct Program {
  std::string name;
  std::string text;
};

void PrintTo(const Program& program, std::ostream* os) { *os << program.name; }

// A line "// name" starts a section, "// -----" ends it.
std::vector<Program> Programs() {
  std::vector<Program> programs;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(TestSource("validation/agreement/programs")))
    files.push_back(entry.path());
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    const std::string text = ReadFile(file).value_or("");
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find("\n// -----", at), text.size());
      const std::string section = text.substr(text.find("// ", at), end - text.find("// ", at));
      programs.push_back({file.stem().string() + "_" + section.substr(3, section.find('\n') - 3), section + "\n"});
      at = std::min(text.find("// ", end + 9), text.size());
    }
  }
  return programs;
}

host::ProgramRunner& Runner() {
  static host::ProgramRunner runner;
  return runner;
}

class HostAgreement : public testing::TestWithParam<Program> {};

void ExpectAgreement(const Program& program, InputKind kind) {
  const auto& [name, text] = program;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = ReadModuleFromBytes(text, name + ".mlir", context);
  ASSERT_TRUE(module) << module.error().message;
  const auto inputs = reference::MakeInputs(**module, kind, reference::SeedOf(name, 1));
  ASSERT_TRUE(inputs) << inputs.error().message;
  reference::Values arguments;
  std::vector<std::vector<std::byte>> bytes;
  for (const reference::InputData& input : *inputs) {
    arguments.emplace_back(*TensorFromBytes(input.type, input.shape, input.bytes));
    bytes.push_back(input.bytes);
  }
  const auto expected = reference::EvaluateText(text, std::move(arguments), {.bounds = true});
  ASSERT_TRUE(expected) << expected.error().message;

  const host::ProgramResult result = Runner().Run(text, bytes);
  ASSERT_TRUE(result.stage.passed()) << result.last_stage << ": " << result.stage.diagnostic;
  ASSERT_EQ(result.outputs.size(), expected->size());
  for (size_t i = 0; i < expected->size(); ++i) {
    const auto comparison =
        reference::CompareOutput(static_cast<int64_t>(i), (*expected)[i].tensor(), result.outputs[i]);
    ASSERT_TRUE(comparison) << comparison.error().message;
    EXPECT_TRUE(comparison->accepted) << "output " << i << ": bound ratio " << comparison->bound_ratio;
  }
}

TEST_P(HostAgreement, OnSeededInputs) { ExpectAgreement(GetParam(), InputKind::kDomain); }

// Tests the programs that compute sums. The inputs of other programs would be the same as in HostAgreement.
class HostAgreementOfSums : public testing::TestWithParam<Program> {};

std::vector<Program> ProgramsThatAddUp() {
  std::vector<Program> programs;
  for (Program& program : Programs()) {
    const auto has = [&](const char* op) { return program.text.find(op) != std::string::npos; };
    if (has("dot") || has("convolution") || has("reduce") || has("scatter") || has("batch_norm")) {
      programs.push_back(std::move(program));
    }
  }
  return programs;
}

TEST_P(HostAgreementOfSums, OnFewTerms) { ExpectAgreement(GetParam(), InputKind::kSparse); }

// Integers have one right result, so a copy that bufferization leaves out shows wherever it changes a value.
TEST(HostAgreementOfControlFlow, OnDrawnPrograms) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    const Program program{fmt::format("control_flow_{}", seed), ControlFlowProgram(seed)};
    SCOPED_TRACE(program.text);
    ExpectAgreement(program, InputKind::kDomain);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, HostAgreement, testing::ValuesIn(Programs()),
                         [](const auto& program) { return program.param.name; });
INSTANTIATE_TEST_SUITE_P(Programs, HostAgreementOfSums, testing::ValuesIn(ProgramsThatAddUp()),
                         [](const auto& program) { return program.param.name; });

}  // namespace
}  // namespace opbyop
