// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures what `compare` costs for a program, for the benchmarks of the reference.
//
//   CompareBench bench("elementwise_benchmark", "domain");
//   if (const auto cost = bench.Measure("tanh f32", "func.func @main(...) ...")) print(cost->nanoseconds);
//   return bench.exit_code();
#ifndef OPBYOP_REFERENCE_WORKER_COMPARE_COST_H_
#define OPBYOP_REFERENCE_WORKER_COMPARE_COST_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace opbyop::reference {

// The processor time of this process so far.
double ProcessorNanoseconds();

struct CompareCost {
  double nanoseconds = 0;  // processor time, with the files read and their digests checked
  int64_t bytes = 0;       // of inputs and outputs
};

class CompareBench {
 public:
  // `program` is named in messages and in that of the folder for files, which is removed at the end. The process keeps
  // freed memory from now on, as a worker does.
  CompareBench(std::string program, std::string policy);
  ~CompareBench();
  CompareBench(const CompareBench&) = delete;
  CompareBench& operator=(const CompareBench&) = delete;

  // Draws inputs of the policy for @main and judges outputs of which about one element in eight is moved to a neighbour
  // where its bound allows it. Prints an error with the name of the line and returns nullopt if that fails.
  std::optional<CompareCost> Measure(const std::string& line, const std::string& text);

  // 1 if a line failed.
  int exit_code() const { return failed_ ? 1 : 0; }

 private:
  std::string program_, policy_;
  std::filesystem::path dir_;
  bool failed_ = false;
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_WORKER_COMPARE_COST_H_
