// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/worker/loop_cutter.h"

#include <fmt/format.h>

#include <variant>

#include "generator/program/program_text.h"
#include "generator/program/signature.h"
#include "ir/cut_loop.h"
#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "reference/eval/evaluator.h"

namespace opbyop {
namespace {

using protocol::Reply;
using protocol::Request;

// If kFewTrips are too much.
constexpr int64_t kFewestTrips = 2;

// A program that has large constants is no smaller with fewer trips.
constexpr size_t kMostText = 4 << 20;

nlohmann::json TypesToJson(mlir::TypeRange types) {
  nlohmann::json list = nlohmann::json::array();
  for (const TensorType& type : generator::ToTensorTypes(types))
    list.push_back({{"shape", type.shape}, {"dtype", type.dtype}});
  return list;
}

}  // namespace

Reply LoopCutter::Handle(const Request& request, protocol::StageEvents& events) {
  Reply reply = worker_.Handle(request, events);
  const bool is_loop =
      request.op == "stablehlo.while" && request.grid == Grid() && request.shardings == protocol::Shardings();
  if (!is_loop || reply.status != Status::kSkipped || !std::holds_alternative<protocol::InputsVerb>(request.verb)) {
    return reply;
  }
  if (const std::string why = Offer(request, reply); !why.empty()) reply.diagnostic += "; " + why;
  return reply;
}

std::string LoopCutter::Offer(const Request& request, Reply& reply) const {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto module = ReadModule(request.file, context);
  if (!module) return module.error().message;
  if (!TooLarge(reference::EstimateWork(module->get()), limits_)) return "";  // it is skipped for another reason
  int64_t trips = kFewTrips;
  Expected<CutLoop> cut = CutLoopTo(module->get(), trips);
  const auto reason = [&] { return TooLarge(reference::EstimateWork(cut->module.get()), limits_); };
  while (cut && trips > kFewestTrips && reason()) cut = CutLoopTo(module->get(), --trips);
  if (!cut) return fmt::format("its trips cannot be cut to {}: {}", trips, cut.error().message);
  const std::string what = fmt::format("{} of {} trips", trips, cut->was);
  if (const auto why = reason()) return fmt::format("with {}: {}", what, *why);
  const Expected<mlir::Operation*> entry = reference::EntryOf(cut->module.get());
  if (!entry) return entry.error().message;
  auto function = llvm::cast<mlir::FunctionOpInterface>(*entry);
  std::string text = generator::ProgramText(cut->module.get(), generator::Locations::kDrop);
  if (text.size() > kMostText) return fmt::format("its program has {} bytes, limit {}", text.size(), kMostText);
  reply.payload["smaller"] = {{"program", std::move(text)},
                              {"what", what},
                              {"inputs", TypesToJson(function.getArgumentTypes())},
                              {"outputs", TypesToJson(function.getResultTypes())}};
  return "";
}

}  // namespace opbyop
