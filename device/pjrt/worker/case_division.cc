// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/worker/case_division.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <utility>
#include <vector>

#include "device/command/ttnn_placements.h"
#include "device/request_sharding.h"
#include "support/sharding/sharding_text.h"

namespace opbyop::pjrt {
namespace {

using protocol::Request;

// The division of a tensor that the plugin states; nullopt if its text is not understood. Without a text it is `asked`.
std::optional<Division> StatedDivision(const DividedTensor& made, const TensorType& type, const Division& asked) {
  if (made.sharding.empty()) return asked;
  const Expected<Sharding> sharding = ParseSharding(made.sharding, type.shape.size());
  if (!sharding) return std::nullopt;
  return WholeWhereOpen(*sharding);
}

// Whether it is a division of the tensor among so many devices, with parts as the plugin has them.
bool Fits(const Division& division, const DividedTensor& made, const TensorType& type, int64_t devices) {
  return CanDivide(type.shape, division) && made.shape == ShardShape(type.shape, division) &&
         ParseDivision(ToText(division, devices), type.shape.size(), devices);
}

tl::unexpected<Error> OtherParts(std::string_view what, size_t number, const DividedTensor& made,
                                 const TensorType& type, const Division& division, const std::string& asked) {
  return MakeError(ExitCode::kUnexpectedResult,
                   fmt::format("the plugin gives {} {} parts of [{}]{}{}, the program has parts of [{}] by {}", what,
                               number, fmt::join(made.shape, ", "), made.sharding.empty() ? "" : " by ", made.sharding,
                               fmt::join(ShardShape(type.shape, division), ", "), asked));
}

Expected<void> CheckCount(std::string_view what, size_t made, size_t asked) {
  if (made == asked) return {};
  return MakeError(ExitCode::kUnsupported,
                   fmt::format("the plugin's executable has {} {}s of one device, the case {}", made, what, asked));
}

// The parts of tensors of these types by a TTNN text, in which a complex number, or one of 64 bits, may be two in a last
// dimension.
std::vector<DividedTensor> PartsOf(const std::vector<std::vector<int64_t>>& shapes,
                                   const std::vector<TensorType>& types) {
  std::vector<DividedTensor> parts;
  parts.reserve(shapes.size());
  for (size_t i = 0; i < shapes.size(); ++i) {
    const bool has_pairs = i < types.size() && shapes[i].size() == types[i].shape.size() + 1 && shapes[i].back() == 2;
    parts.push_back({.shape = {shapes[i].begin(), shapes[i].end() - (has_pairs ? 1 : 0)}, .sharding = {}});
  }
  return parts;
}

// By the TTNN text of the compiler if it left one: the optimized program of such a plugin is a stand-in for JAX. Else by
// the optimized program.
Expected<DividedProgram> ReadProgram(const Executable& facts, const Request& request, const std::string& ttnn) {
  if (!ttnn.empty()) {
    if (const auto shapes = command::ReadTtnnShapes(ttnn)) {
      return DividedProgram{PartsOf(shapes->inputs, request.inputs), PartsOf(shapes->outputs, request.outputs)};
    }
    return MakeError(ExitCode::kUnsupported, "the TTNN text does not say how the program is divided");
  }
  const Result<Program> program = facts.OptimizedProgram();
  if (!program) {
    return MakeError(ExitCode::kUnsupported,
                     fmt::format("the plugin does not say how its executable divides the arguments: {}",
                                 ToError(program.error()).message));
  }
  return ReadDividedProgram(*program);
}

}  // namespace

Expected<CaseDivision> ReconcileDivision(const DividedProgram& divided, const Request& request) {
  const Expected<std::shared_ptr<const CaseSharding>> asked = device::ShardingOf(request);
  if (!asked) return Unexpected(asked.error());
  if (*asked == nullptr) return CaseDivision();
  for (const auto& done : {CheckCount("argument", divided.arguments.size(), request.inputs.size()),
                           CheckCount("result", divided.results.size(), request.outputs.size())}) {
    if (!done) return Unexpected(done.error());
  }
  CaseSharding own = **asked;
  std::string changed;
  for (size_t i = 0; i < divided.arguments.size(); ++i) {
    const DividedTensor& made = divided.arguments[i];
    const TensorType& type = request.inputs[i];
    std::optional<Division> stated = StatedDivision(made, type, own.inputs[i]);
    if (!stated || !Fits(*stated, made, type, own.partitions)) {
      return OtherParts("argument", i, made, type, own.inputs[i], request.shardings.inputs[i]);
    }
    if (*stated != own.inputs[i]) changed += fmt::format(", argument {} by {}", i, made.sharding);
    own.inputs[i] = std::move(*stated);
  }
  for (size_t i = 0; i < divided.results.size(); ++i) {
    const DividedTensor& made = divided.results[i];
    const TensorType& type = request.outputs[i];
    const std::optional<Division> stated = StatedDivision(made, type, own.outputs[i]);
    if (stated == own.outputs[i] && made.shape == ShardShape(type.shape, own.outputs[i])) continue;
    return OtherParts("result", i, made, type, own.outputs[i], request.shardings.outputs[i]);
  }
  return CaseDivision{.sharding = std::make_shared<const CaseSharding>(std::move(own)), .changed = std::move(changed)};
}

Expected<CaseDivision> DivisionOf(const Executable& facts, const Request& request, const std::string& ttnn) {
  if (request.shardings == protocol::Shardings()) return CaseDivision();
  const Expected<DividedProgram> divided = ReadProgram(facts, request, ttnn);
  if (!divided) return Unexpected(divided.error());
  return ReconcileDivision(*divided, request);
}

}  // namespace opbyop::pjrt
