// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "chained/program_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "generator/program/constants.h"
#include "generator/program/signature.h"
#include "ir/op_info.h"
#include "mlir/IR/AsmState.h"

namespace opbyop::chained {
namespace {

using generator::NameStack;

constexpr size_t kMaxOps = 500'000;
constexpr int kMaxDepth = 400;

// XProf's hlo_category; if XProf has none, a category of our own.
std::string_view CategoryOf(OpKind kind) {
  switch (kind) {
    case OpKind::kElementwiseUnary:
    case OpKind::kElementwiseBinary:
    case OpKind::kElementwiseTernary:
      return "non-fusion elementwise";
    case OpKind::kDataMovement:
    case OpKind::kTensorCreation:
      return "data formatting";
    case OpKind::kBroadcast:
      return "broadcast";
    case OpKind::kMatmul:
    case OpKind::kConvolution:
      return "convolution";
    case OpKind::kReduction:
      return "reduce";
    case OpKind::kRandom:
      return "rng";
    case OpKind::kCollective:
      return "collective";
    case OpKind::kComposite:
    case OpKind::kCustomCall:
      return "custom-call";
    case OpKind::kNormalization:
      return "Normalization";
    case OpKind::kLinearAlgebra:
      return "Linear algebra";
    case OpKind::kControlFlow:
      return "Control flow";
    case OpKind::kSharding:
    case OpKind::kCheck:
    case OpKind::kOther:
      return "Other";
  }
  return "Other";
}

std::string Mnemonic(mlir::Operation* op) {
  llvm::StringRef name = op->getName().getStringRef();
  name.consume_front("stablehlo.");
  return name.str();
}

// XProf allows no ':' in names of scopes: aten::addmm becomes aten__addmm.
std::string ScopeName(std::string name) {
  std::ranges::replace(name, ':', '_');
  return name;
}

mlir::OpPrintingFlags ShortForm() {
  constexpr int64_t kShownElements = 8;
  mlir::OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(kShownElements).skipRegions().useLocalScope();
  return flags;
}

std::string TextOf(mlir::Operation* op, mlir::AsmState& printer) {
  constexpr size_t kMaxText = 1000;
  std::string text;
  llvm::raw_string_ostream out(text);
  op->print(out, printer);
  std::ranges::replace(text, '\n', ' ');
  if (text.size() > kMaxText) text = text.substr(0, kMaxText) + "...";
  return text;
}

}  // namespace

bool IsBranching(mlir::Operation* op) {
  const llvm::StringRef name = op->getName().getStringRef();
  return name == "stablehlo.while" || name == "stablehlo.if" || name == "stablehlo.case";
}

Expected<ProgramPlan> ProgramPlan::Make(const generator::CaseMap& map) {
  ProgramPlan plan(map);
  const Expected<void> added = plan.AddFunction(map.entry(), kEntry, 0, false);
  if (!added) return Unexpected(added.error());
  return plan;
}

int64_t ProgramPlan::OpAt(int32_t place, mlir::Operation* op) const {
  const auto found = ids_.find({place, op});
  return found == ids_.end() ? -1 : found->second;
}

const ProgramPlan::Callee* ProgramPlan::CalleeOf(int32_t place, mlir::Operation* call) const {
  const auto found = callees_.find({place, call});
  return found == callees_.end() ? nullptr : &found->second;
}

Expected<void> ProgramPlan::AddFunction(mlir::Operation* function, int32_t place, int depth, bool in_loop) {
  if (depth > kMaxDepth) {
    return MakeError(ExitCode::kUnsupported, "unsupported: calls nested deeper than 400; the program calls itself");
  }
  mlir::AsmState printer(function, ShortForm());
  return AddRegion(llvm::cast<mlir::FunctionOpInterface>(function).getFunctionBody(), place, depth, in_loop, printer);
}

// The function whose ops replace `op`; null if the op is run itself.
mlir::FunctionOpInterface ProgramPlan::FunctionOf(mlir::Operation& op) const {
  const llvm::StringRef name = op.getName().getStringRef();
  llvm::StringRef key;
  if (name == "func.call") key = "callee";
  if (name == "stablehlo.composite" && map_.inlines_composites()) key = "decomposition";
  const auto symbol = key.empty() ? nullptr : op.getAttrOfType<mlir::FlatSymbolRefAttr>(key);
  auto function = symbol ? symbols_.lookup<mlir::FunctionOpInterface>(symbol.getAttr()) : nullptr;
  return function && !function.isExternal() ? function : nullptr;
}

Expected<void> ProgramPlan::AddRegion(mlir::Region& region, int32_t place, int depth, bool in_loop,
                                      mlir::AsmState& printer) {
  for (mlir::Operation& op : region.getOps()) {
    if (op.hasTrait<mlir::OpTrait::IsTerminator>() || generator::IsConstant(&op)) continue;
    if (ops_.size() + outer_.size() >= kMaxOps) {
      return MakeError(ExitCode::kUnsupported,
                       fmt::format("unsupported: the program expands to more than {} ops and calls at every call site; "
                                   "record a part of it",
                                   kMaxOps));
    }
    if (IsBranching(&op)) {
      const bool loops = in_loop || op.getName().getStringRef() == "stablehlo.while";
      for (mlir::Region& inner : op.getRegions()) {
        if (auto done = AddRegion(inner, place, depth, loops, printer); !done) return done;
      }
      continue;
    }
    mlir::FunctionOpInterface callee = FunctionOf(op);
    if (!callee) {
      AddOp(&op, place, in_loop, printer);
      continue;
    }
    const auto inner = static_cast<int32_t>(outer_.size());
    const NameStack site = generator::ParseLocation(op.getLoc());
    outer_.push_back(outer_[static_cast<size_t>(place)] ? generator::Inside(*outer_[static_cast<size_t>(place)], site)
                                                        : site);
    callees_[{place, &op}] = {inner, callee};
    if (auto done = AddFunction(callee, inner, depth + 1, in_loop); !done) return done;
  }
  return {};
}

void ProgramPlan::AddOp(mlir::Operation* op, int32_t place, bool in_loop, mlir::AsmState& printer) {
  const std::optional<NameStack>& outer = outer_[static_cast<size_t>(place)];
  NameStack names = generator::ParseLocation(op->getLoc());
  if (outer) names = generator::Inside(*outer, names);
  optrace::Op planned;
  planned.id = static_cast<int64_t>(ops_.size());
  planned.hlo = Mnemonic(op);
  planned.framework = ScopeName(std::move(names.op));
  planned.path = std::move(names.path);
  planned.location = names.place.empty() ? std::move(names.name) : std::move(names.place);
  planned.text = TextOf(op, printer);
  planned.results = generator::ToTensorTypes(op->getResultTypes());
  planned.category = CategoryOf(KindOf(op->getName().getStringRef()));
  if (const generator::CaseMap::Entry* entry = map_.Find(op)) {
    planned.case_id = entry->c.id;
    planned.operands = entry->c.inputs;
    planned.flops = static_cast<double>(entry->c.flops);
    planned.bytes = static_cast<double>(entry->c.bytes);
  } else {
    planned.operands = generator::ToTensorTypes(op->getOperandTypes());
  }
  ids_[{place, op}] = planned.id;
  places_.push_back({planned.id, op});
  ops_.push_back(std::move(planned));
  in_loop_.push_back(in_loop);
}

}  // namespace opbyop::chained
