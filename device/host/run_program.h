// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiles a program with the committed target file, runs it and returns its outputs. For tests.
//
//   auto out = Runner().Run(kProgram, {Tensor<float>({2}, {1, 2})});
//   EXPECT_THAT(ValuesOf<float>(out, 0), ElementsAre(2, 4));
#ifndef OPBYOP_DEVICE_HOST_RUN_PROGRAM_H_
#define OPBYOP_DEVICE_HOST_RUN_PROGRAM_H_

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "device/host/artifact.h"
#include "device/host/host_target.h"
#include "support/files/file.h"
#include "support/files/npy.h"
#include "support/test_folder.h"

namespace opbyop::host {

template <typename T>
std::vector<std::byte> BytesOf(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <typename T>
std::vector<std::byte> Bytes(std::initializer_list<T> values) {
  return BytesOf(std::vector<T>(values));
}

// The program `@main(arguments) -> result { body }`.
inline std::string Main(const std::string& arguments, const std::string& result, const std::string& body) {
  return "func.func @main(" + arguments + ") -> " + result + " {\n" + body + "\n}\n";
}

struct ProgramResult {
  device::StageResult stage;
  std::string last_stage;
  Timing timing;
  std::string artifact;
  std::vector<std::vector<std::byte>> outputs;

  template <typename T>
  std::vector<T> Values(size_t index = 0) const {
    std::vector<T> values(outputs.at(index).size() / sizeof(T));
    std::memcpy(values.data(), outputs[index].data(), outputs[index].size());
    return values;
  }
};

class ProgramRunner : public device::StageListener {
 public:
  ProgramRunner() {
    auto target = LoadTarget(TestSource("manifests/targets/host.yaml"));
    if (!target) {
      ADD_FAILURE() << target.error().message;
      return;
    }
    device::TargetCreation created = CreateHostTarget(*target);
    if (auto* error = std::get_if<Error>(&created)) ADD_FAILURE() << error->message;
    if (auto* parts = std::get_if<device::TargetParts>(&created)) parts_ = std::move(*parts);
  }

  void Begin(std::string_view stage) override { stages.emplace_back(stage); }
  void End(std::string_view, const device::StageResult&) override {}

  // `inputs` are the raw bytes of each argument.
  ProgramResult Run(const std::string& program, const std::vector<std::vector<std::byte>>& inputs, int64_t runs = 1) {
    ProgramResult result;
    stages.clear();
    const auto file = dir() / "program.mlir";
    EXPECT_TRUE(WriteFile(file, program));
    result.stage = parts_.compiler->Compile({.case_id = "test", .file = file, .dir = dir()}, *this, result.artifact);
    result.last_stage = stages.back();
    if (!result.stage.passed()) return result;
    const auto artifact = ReadArtifact(result.artifact);
    EXPECT_TRUE(artifact) << artifact.error().message;
    const Signature& signature = artifact->signature;
    EXPECT_EQ(signature.inputs.size(), inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      const auto written = WriteNpy(dir() / fmt::format("input_{}.npy", i), signature.inputs[i], inputs[i]);
      EXPECT_TRUE(written) << written.error().message;
    }
    result.stage = parts_.device->Load(result.artifact);
    if (result.stage.passed()) {
      result.stage =
          parts_.device->Execute({.dir = dir(), .repeat = {.min_runs = runs, .max_runs = runs}}, result.timing);
    }
    for (size_t i = 0; result.stage.passed() && i < signature.outputs.size(); ++i) {
      const auto output = ReadNpy(dir() / fmt::format("output_{}.npy", i));
      EXPECT_TRUE(output) << output.error().message;
      result.outputs.emplace_back(output->bytes().begin(), output->bytes().end());
    }
    return result;
  }

  device::TargetParts& parts() { return parts_; }
  const std::filesystem::path& dir() const { return folder_.path(); }
  std::vector<std::string> stages;

 private:
  TestFolder folder_;
  device::TargetParts parts_;
};

// Returns the runner that all tests of a test program share.
inline ProgramRunner& Runner() {
  static ProgramRunner runner;
  return runner;
}

}  // namespace opbyop::host

#endif  // OPBYOP_DEVICE_HOST_RUN_PROGRAM_H_
