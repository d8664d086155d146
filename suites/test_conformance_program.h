// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A test fixture that runs the conformance program on mock cases, as its users do.
//
//   class MyTest : public ConformanceTest {};
//   TEST_F(MyTest, Passes) {
//     Write({{}, {"fail", "lower"}});
//     EXPECT_EQ(Run(Command({})).code, 1);
//     EXPECT_EQ(Results().cases.size(), 2u);
//   }
#ifndef OPBYOP_SUITES_CONFORMANCE_PROGRAM_H_
#define OPBYOP_SUITES_CONFORMANCE_PROGRAM_H_

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fixtures/mock/behaviour.h"
#include "manifests/results/result.h"
#include "manifests/results/results_file.h"
#include "support/files/file.h"
#include "support/process/process.h"
#include "support/test_folder.h"

namespace opbyop::suites {

struct Outcome {
  int code = -1;
  std::string output;
};

inline size_t CountOf(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

class ConformanceTest : public testing::Test {
 protected:
  void Write(const std::vector<mock::Behaviour>& behaviours, const std::vector<std::string>& models = {"mock"}) {
    const auto path = mock::WriteMockManifest(folder_.path() / "manifest", behaviours, models);
    ASSERT_TRUE(path) << path.error().message;
  }

  std::vector<std::string> Command(const std::vector<std::string>& more) const {
    std::vector<std::string> argv = {TestProgram("conformance"),
                                     "--manifest=" + (folder_.path() / "manifest/manifest.yaml").string(),
                                     "--target=" + TestSource("fixtures/mock/mock.yaml"),
                                     "--reference-worker=" + TestProgram("mock_worker"),
                                     "--baseline=none",
                                     "--fresh-seed=none",  // without it the inputs depend on the date
                                     "--progress=plain",
                                     "--out=" + (folder_.path() / "out").string()};
    argv.insert(argv.end(), more.begin(), more.end());
    return argv;
  }

  std::unique_ptr<Process> Start(const std::vector<std::string>& argv,
                                 const std::map<std::string, std::string>& environment = {}) const {
    ProcessOptions options{.argv = argv, .environment = environment, .log_bytes = 4 << 20};
    options.environment["TMPDIR"] = folder_.path().string();
    auto process = Process::Spawn(options);
    EXPECT_TRUE(process) << process.error().message;
    return std::move(*process);
  }

  Outcome Run(const std::vector<std::string>& argv, const std::map<std::string, std::string>& environment = {}) const {
    const auto process = Start(argv, environment);
    const std::optional<Exit> exit = process->WaitFor(kTestPatience);
    process->DrainLog();
    return {exit && exit->signal == 0 ? exit->code : -1, std::string(process->log().text())};
  }

  // Runs `script` in bash; its arguments are the command.
  Outcome RunIn(const std::string& script, const std::vector<std::string>& argv) const {
    std::vector<std::string> whole = {"bash", "-c", script, "bash"};
    whole.insert(whole.end(), argv.begin(), argv.end());
    return Run(whole);
  }

  opbyop::Run Results(const std::string& name = "results.jsonl") const {
    const Expected<opbyop::Run> run = LoadRun(folder_.path() / "out" / name);
    EXPECT_TRUE(run) << run.error().message;
    return run ? *run : opbyop::Run();
  }

  std::string WriteText(const std::string& name, const std::string& text) const {
    EXPECT_TRUE(WriteFile(folder_.path() / name, text));
    return folder_.path() / name;
  }

  TestFolder folder_;
};

}  // namespace opbyop::suites

#endif  // OPBYOP_SUITES_CONFORMANCE_PROGRAM_H_
