// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/target_worker.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop::device {
namespace {

namespace fs = std::filesystem;
using protocol::Reply;
using protocol::Request;
using testing::HasSubstr;

// A compiler whose artifact is the text of the case's file.
class Copier : public TargetCompiler {
 public:
  std::string Version() const override { return "copier 1"; }
  StageResult Compile(const CompileRequest& request, StageListener& listener, std::string& artifact) override {
    listener.Begin("parse");
    artifact = ReadFile(request.file).value_or("");
    listener.End("parse", {});
    return {};
  }
};

// A device whose output is the artifact that it loaded.
class Writer : public TargetDevice {
 public:
  explicit Writer(bool from_bytes) : from_bytes_(from_bytes) {}
  bool LoadsFromBytes() const override { return from_bytes_; }
  StageResult Load(std::string_view artifact) override {
    loaded_ = artifact;
    return {};
  }
  StageResult Execute(const ExecuteRequest& request, Timing&) override {
    (void)WriteFile(request.dir / "output_0.txt", loaded_);
    return {};
  }

 private:
  bool from_bytes_;
  std::string loaded_;
};

class TargetWorkerTest : public testing::Test {
 protected:
  static TargetWorker MakeWorker(bool from_bytes = true) {
    return TargetWorker({std::make_unique<Copier>(), std::make_unique<Writer>(from_bytes)});
  }

  Reply Compile(TargetWorker& worker, const std::string& name, const std::string& text, bool save) {
    (void)WriteFile(dir_ / name, text);
    protocol::CompileVerb compile;
    if (save) compile.artifact = Artifact(name);
    return Handle(worker, {.verb = compile, .case_id = name, .file = dir_ / name, .dir = dir_});
  }

  Reply Execute(TargetWorker& worker, const std::string& name, const fs::path& artifact) {
    return Handle(worker, {.verb = protocol::ExecuteVerb{.artifact = artifact}, .case_id = name, .dir = dir_});
  }

  Reply Handle(TargetWorker& worker, const Request& request) {
    const int log = ::open("/dev/null", O_WRONLY);
    protocol::StageEvents events(log, 1);
    Reply reply = worker.Handle(request, events);
    ::close(log);
    return reply;
  }

  fs::path Artifact(const std::string& name) const { return dir_ / (name + ".bin"); }
  std::string Output() const { return ReadFile(dir_ / "output_0.txt").value_or(""); }

  TestFolder folder_;
  const fs::path dir_ = folder_.path();
};

// A device that copies its only input and records its calls.
class Noting : public TargetDevice {
 public:
  explicit Noting(std::vector<std::string>& notes) : notes_(notes) {}
  bool LoadsFromBytes() const override { return true; }
  StageResult Load(std::string_view artifact) override {
    loaded_ = artifact;
    return {};
  }
  bool Upload(const ExecuteRequest& request, const std::vector<int64_t>& inputs) override {
    notes_.push_back("upload " + loaded_);
    uploaded_ = request.dir;
    return inputs == std::vector<int64_t>{0};
  }
  StageResult Execute(const ExecuteRequest& request, Timing& timing) override {
    notes_.push_back((uploaded_ == request.dir ? "run uploaded " : "run ") + loaded_);
    timing = {.n = 1, .min_us = 2, .median_us = 2, .p95_us = 2};
    const auto written = WriteFile(request.output_folder() / "output_0.txt",
                                   loaded_ + ReadFile(request.dir / "input_0.txt").value_or(" of nothing"));
    return written ? StageResult() : ResultOf(written.error());
  }

 private:
  std::vector<std::string>& notes_;
  std::string loaded_;
  fs::path uploaded_;
};

class AheadTest : public TargetWorkerTest {
 protected:
  AheadTest() {
    for (const char* name : {"a", "b"}) {
      (void)WriteFile(dir_ / name, name);
      Handle(worker_, {.verb = protocol::CompileVerb{.keep = true}, .case_id = name, .file = dir_ / name, .dir = dir_});
      fs::create_directory(DirOf(name));
      (void)WriteFile(DirOf(name) / "input_0.txt", " of x");
    }
  }

  fs::path DirOf(const std::string& name) const { return dir_ / ("of_" + name); }
  Reply Run(const std::string& name, protocol::NextExecution next = {}) {
    return Handle(worker_,
                  {.verb = protocol::ExecuteVerb{.next = std::move(next)}, .case_id = name, .dir = DirOf(name)});
  }
  std::string OutputOf(const std::string& name) const { return ReadFile(DirOf(name) / "output_0.txt").value_or(""); }

  // Each device has its own record, because both are at work at the same time.
  std::vector<std::string> first_, second_;
  TargetWorker worker_{
      {std::make_unique<Copier>(), std::make_unique<Noting>(first_), nullptr, std::make_unique<Noting>(second_)}};
};

TEST_F(AheadTest, AnExecutionWithAllInputsRunsBeforeItsRequest) {
  EXPECT_TRUE(worker_.Ahead());
  Run("a", {"b", DirOf("b"), {0}});
  EXPECT_EQ(OutputOf("b"), "") << "its outputs come when it is asked for";
  const Reply reply = Run("b");
  EXPECT_EQ(reply.status, Status::kPass) << reply.diagnostic;
  EXPECT_TRUE(reply.payload.contains("timing"));
  EXPECT_EQ(OutputOf("b"), "b of x");
  EXPECT_THAT(first_, testing::ElementsAre("run a"));
  EXPECT_THAT(second_, testing::ElementsAre("upload b", "run uploaded b"));
}

TEST_F(AheadTest, PresentInputsAreTransferredIfOthersAreMissing) {
  Run("a", {"b", DirOf("b"), {}});
  EXPECT_EQ(Run("b").status, Status::kPass);
  EXPECT_EQ(OutputOf("b"), "b of x");
  EXPECT_THAT(second_, testing::ElementsAre("upload b", "run uploaded b"));
}

TEST_F(AheadTest, AStartedExecutionIsDroppedIfAnotherIsRequested) {
  Run("a", {"b", DirOf("b"), {0}});
  EXPECT_EQ(Run("a").status, Status::kPass);
  EXPECT_EQ(OutputOf("a"), "a of x");
  EXPECT_EQ(Run("b").status, Status::kPass);
  EXPECT_EQ(OutputOf("b"), "b of x");
  EXPECT_THAT(first_, testing::ElementsAre("run a", "run a", "run b"));
}

TEST_F(AheadTest, AnExecutionStartedInAnotherFolderIsNotUsed) {
  Run("a", {"b", DirOf("a"), {0}});
  EXPECT_EQ(Run("b").status, Status::kPass);
  EXPECT_THAT(first_, testing::ElementsAre("run a", "run b"));
}

TEST_F(AheadTest, ACaseThatIsNotKeptIsNotStarted) {
  Run("a", {"c", DirOf("b"), {0}});
  Run("b");
  EXPECT_THAT(second_, testing::IsEmpty());
}

// Records the artifact that it was given.
class Elsewhere : public Executor {
 public:
  explicit Elsewhere(std::string& given) : given_(given) {}
  std::string CompileOnly() const override { return "no board"; }
  Reply Execute(const Request& request, protocol::StageEvents&) override {
    given_ = ReadFile(std::get<protocol::ExecuteVerb>(request.verb).artifact).value_or("");
    return {};
  }

 private:
  std::string& given_;
};

TEST_F(TargetWorkerTest, AnExecutorGetsTheArtifactAsAFile) {
  std::string given;
  TargetWorker worker({std::make_unique<Copier>(), nullptr, std::make_unique<Elsewhere>(given)});
  EXPECT_EQ(worker.CompileOnly(), "no board");
  Compile(worker, "a", "first", true);
  EXPECT_FALSE(Execute(worker, "a", {}).payload.contains("loaded"));
  EXPECT_EQ(given, "first");
  Compile(worker, "b", "second", false);
  EXPECT_TRUE(Execute(worker, "a", Artifact("a")).payload.value("loaded", false));
  EXPECT_EQ(given, "first");
  EXPECT_THAT(Execute(worker, "c", {}).diagnostic, HasSubstr("without its artifact"));
}

TEST_F(TargetWorkerTest, AnExecutorRunsKeptCasesInAnyOrder) {
  std::string given;
  TargetWorker worker({std::make_unique<Copier>(), nullptr, std::make_unique<Elsewhere>(given)});
  for (const char* name : {"a", "b"}) {
    (void)WriteFile(dir_ / name, name);
    const Reply reply = Handle(
        worker, {.verb = protocol::CompileVerb{.keep = true}, .case_id = name, .file = dir_ / name, .dir = dir_});
    EXPECT_TRUE(reply.payload.value("kept", false));
  }
  Execute(worker, "a", {});
  EXPECT_EQ(given, "a");
}

TEST_F(TargetWorkerTest, SavesTheArtifactWhereTheRequestSays) {
  TargetWorker worker = MakeWorker();
  EXPECT_FALSE(Compile(worker, "a", "first", false).payload.contains("saved"));
  EXPECT_TRUE(Compile(worker, "a", "first", true).payload.value("saved", false));
  EXPECT_EQ(ReadFile(Artifact("a")).value_or(""), "first");
}

TEST_F(TargetWorkerTest, AnArtifactThatCannotBeSavedFails) {
  TargetWorker worker = MakeWorker();
  (void)WriteFile(dir_ / "a", "first");
  const Reply reply = Handle(
      worker,
      {.verb = protocol::CompileVerb{.artifact = dir_ / "a/a.bin"}, .case_id = "a", .file = dir_ / "a", .dir = dir_});
  EXPECT_EQ(reply.status, Status::kFail);
  EXPECT_THAT(reply.diagnostic, HasSubstr("the artifact cannot be saved: "));
}

TEST_F(TargetWorkerTest, AnotherWorkerExecutesTheFile) {
  TargetWorker compiler = MakeWorker();
  Compile(compiler, "a", "first", true);
  TargetWorker device = MakeWorker();
  const Reply reply = Execute(device, "a", Artifact("a"));
  EXPECT_EQ(reply.status, Status::kPass) << reply.diagnostic;
  EXPECT_TRUE(reply.payload.value("loaded", false));
  EXPECT_EQ(Output(), "first");
}

TEST_F(TargetWorkerTest, TheFileIsUsedWhateverWasCompiledSince) {
  TargetWorker worker = MakeWorker();
  Compile(worker, "a", "first", true);
  Compile(worker, "b", "second", false);
  Execute(worker, "b", Artifact("a"));
  EXPECT_EQ(Output(), "first");
}

TEST_F(TargetWorkerTest, AFileThatIsAbsentFailsInLoadAndNothingIsExecuted) {
  TargetWorker worker = MakeWorker();
  Compile(worker, "a", "first", false);
  const Reply reply = Execute(worker, "a", Artifact("a"));
  EXPECT_EQ(reply.status, Status::kFail);
  EXPECT_THAT(reply.diagnostic, HasSubstr("a.bin"));
  EXPECT_FALSE(reply.payload.contains("loaded"));
  EXPECT_EQ(Output(), "");
}

TEST_F(TargetWorkerTest, ADeviceThatLoadsNoFilesSaysSo) {
  TargetWorker worker = MakeWorker(false);
  Compile(worker, "a", "first", true);
  const Reply reply = Execute(worker, "a", Artifact("a"));
  EXPECT_EQ(reply.status, Status::kUnsupported);
  EXPECT_EQ(reply.diagnostic, "the device of this target loads no artifact from a file");
}

}  // namespace
}  // namespace opbyop::device
