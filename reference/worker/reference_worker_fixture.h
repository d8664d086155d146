// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// For tests: a folder with a program, its inputs and a device's outputs, and requests to a reference worker about them.
//
//   TEST_F(ReferenceWorkerTest, ...) {
//     Program("func.func @main(...) ...");
//     ReferenceWorker worker;
//     Ask(worker, "inputs");
//     Write("output_0.npy", of_the_device);
//     Reply reply = Ask(worker, "compare");
//   }
#ifndef OPBYOP_REFERENCE_WORKER_REFERENCE_WORKER_FIXTURE_H_
#define OPBYOP_REFERENCE_WORKER_REFERENCE_WORKER_FIXTURE_H_

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "protocol/request.h"
#include "protocol/worker_server.h"
#include "reference/tensor/tensor.h"
#include "reference/worker/reference_worker.h"
#include "support/files/file.h"
#include "support/files/npy.h"

namespace opbyop::reference {

class ReferenceWorkerTest : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = std::filesystem::temp_directory_path() / ("opbyop-reference-" + std::to_string(getpid()));
    std::filesystem::create_directories(dir_);
    sink_ = open("/dev/null", O_WRONLY | O_CLOEXEC);
  }
  void TearDown() override {
    close(sink_);
    std::filesystem::remove_all(dir_);
  }

  protocol::Reply Ask(ReferenceWorker& worker, const std::string& verb, const std::string& policy = "domain",
                      std::vector<std::string> digests = {}) {
    protocol::Request request;
    request.id = 1;
    if (verb == "inputs") {
      protocol::InputsVerb inputs;
      for (const char* policy : earlier_) inputs.earlier.push_back({policy, ""});
      request.verb = std::move(inputs);
    } else if (verb == "compare") {
      request.verb = protocol::CompareVerb{.input_digests = std::move(digests)};
    } else {
      request.verb = protocol::UnknownVerb{verb};
    }
    request.arithmetic = arithmetic_;
    request.grid = grid_;
    request.shardings = shardings_;
    request.op = op_;
    request.case_id = "case";
    request.file = dir_ / "case.mlir";
    request.dir = dir_;
    request.policy.name = policy;
    request.seed = 7;
    request.save_intermediates = save_intermediates_;
    protocol::StageEvents events(sink_, 1);
    return worker.Handle(request, events);
  }

  void Program(const std::string& text) { ASSERT_TRUE(WriteFile(dir_ / "case.mlir", text).has_value()); }

  Tensor Read(const std::string& name, ElementType type) {
    const Expected<NpyFile> file = ReadNpy(dir_ / name);
    EXPECT_TRUE(file.has_value()) << (file ? "" : file.error().message);
    return *TensorFromBytes(type, file->shape(), file->bytes());
  }
  void Write(const std::string& name, const Tensor& t) {
    ASSERT_TRUE(WriteNpy(dir_ / name, t.tensor_type(), TensorToBytes(t)).has_value());
  }

  std::filesystem::path dir_;
  int sink_ = -1;
  Arithmetic arithmetic_;  // arithmetic that the target declares
  std::vector<const char*> earlier_;
  std::string op_;  // that the case is of
  Grid grid_;
  protocol::Shardings shardings_;
  bool save_intermediates_ = true;  // the reference then evaluates every program as a whole
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_WORKER_REFERENCE_WORKER_FIXTURE_H_
