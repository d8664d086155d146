// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "chained/compiled_instructions.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "chained/hlo_text.h"
#include "chained/process_pieces.h"
#include "chained/wire_bytes.h"
#include "generator/shard/gspmd_form.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Location.h"
#include "reports/optrace/operator_table.h"
#include "support/xspace/instructions.h"

namespace opbyop::chained {
namespace {

// Ops by their names in the trace.
std::map<std::string, int64_t> IdsOf(const ProgramPlan& plan) {
  std::map<std::string, int64_t> ids;
  for (const optrace::Op& op : plan.ops()) ids.emplace(optrace::HloName(op), op.id);
  return ids;
}

// The name of a location in what a compiler made of it: "call/dot_general.3", "dot_general.3:dot".
std::string NameIn(std::string_view op_name) {
  const size_t slash = op_name.rfind('/');
  if (slash != std::string_view::npos) op_name.remove_prefix(slash + 1);
  return std::string(op_name.substr(0, op_name.find(':')));
}

// Facts of an instruction in the compiled program's text.
struct CompiledFacts {
  std::string category;
  std::string op_name;  // its own
  std::set<std::string> op_names;
  double bytes = 0;
  double live_bytes = 0;
  double wire_bytes = 0;
};

std::map<std::string, CompiledFacts> FactsOf(const HloText& program) {
  std::map<std::string, CompiledFacts> facts;
  for (const auto& [_, instructions] : program.computations) {
    std::map<std::string_view, double> bytes;
    for (const HloInstruction& each : instructions) bytes[each.name] = each.bytes;
    for (const HloInstruction& each : instructions) {
      CompiledFacts& fact = facts[each.name];
      fact.category = each.opcode;
      fact.op_name = each.op_name;
      fact.op_names = OpNamesOf(program, each);
      fact.bytes = each.bytes;
      for (const std::string& operand : each.operands) fact.bytes += bytes[operand];
      // The result of a start has the operands too, except that of a sum.
      const bool has_operands = each.opcode.ends_with("-start") && each.opcode != "all-reduce-start";
      const double result = has_operands ? std::max(2 * each.bytes - fact.bytes, 0.0) : each.bytes;
      fact.wire_bytes = WireBytes(each.opcode, result, each.group);
    }
  }
  for (const auto& [name, live] : LiveBytes(program)) facts[name].live_bytes = live;
  return facts;
}

}  // namespace

std::string TextWithOpNames(mlir::ModuleOp module, const ProgramPlan& plan, Form form) {
  mlir::IRMapping mapping;
  const mlir::OwningOpRef<mlir::ModuleOp> copy = llvm::cast<mlir::ModuleOp>(module->clone(mapping));
  mlir::MLIRContext* context = module.getContext();
  std::map<mlir::Operation*, mlir::Location> named;
  for (const ProgramPlan::Place& place : plan.places()) {
    const std::string name = optrace::HloName(plan.ops()[static_cast<size_t>(place.id)]);
    named.emplace(mapping.lookup(place.op), mlir::NameLoc::get(mlir::StringAttr::get(context, name)));
  }
  const mlir::Location unknown = mlir::UnknownLoc::get(context);
  (*copy)->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation* op) {
    const auto found = named.find(op);
    // An op that the trace does not list is part of the one around it, unless that is a function.
    mlir::Operation* outer = op->getParentOp();
    const bool is_inner = outer != nullptr && named.contains(outer);
    const mlir::Location location = found != named.end() ? found->second : is_inner ? outer->getLoc() : unknown;
    if (found == named.end() && is_inner) named.emplace(op, location);
    op->setLoc(location);
  });
  if (form == Form::kGspmd) generator::ToGspmdForm(*copy);
  if (form == Form::kDropped) generator::DropShardings(*copy);
  std::string text;
  llvm::raw_string_ostream out(text);
  (*copy)->print(out, mlir::OpPrintingFlags().enableDebugInfo(true, false));
  return text;
}

Expected<std::vector<optrace::Instruction>> InstructionsOf(const ProgramPlan& plan, const DeviceProfile& profile) {
  Expected<std::vector<xspace::InstructionEvent>> events = xspace::ReadInstructions(profile.xspace);
  if (!events) return Unexpected(events.error());
  const std::map<std::string, int64_t> ids = IdsOf(plan);
  const std::map<std::string, CompiledFacts> facts = FactsOf(ReadHloText(profile.program));
  std::vector<optrace::Instruction> instructions;
  instructions.reserve(events->size());
  for (xspace::InstructionEvent& event : *events) {
    optrace::Instruction instruction{.device = event.device,
                                     .track = std::move(event.track),
                                     .name = std::move(event.name),
                                     .category = std::move(event.category),
                                     .start_ps = event.start_ps,
                                     .dur_ps = event.duration_ps,
                                     .bytes = event.bytes};
    std::set<std::string> names;
    std::string own;
    if (const auto fact = facts.find(instruction.name); fact != facts.end()) {
      names = fact->second.op_names;
      own = fact->second.op_name;
      if (instruction.category.empty()) instruction.category = fact->second.category;
      if (instruction.bytes == 0) instruction.bytes = fact->second.bytes;
      instruction.live_bytes = fact->second.live_bytes;
      instruction.wire_bytes = fact->second.wire_bytes;
    }
    if (names.empty() && !event.framework.empty()) names.insert(event.framework);
    for (const std::string& name : names) {
      const auto id = ids.find(NameIn(name));
      if (id == ids.end()) continue;
      instruction.ops.push_back(id->second);
      if (name == own) std::rotate(instruction.ops.begin(), instruction.ops.end() - 1, instruction.ops.end());
    }
    instructions.push_back(std::move(instruction));
  }
  return instructions;
}

std::vector<optrace::Instruction> InstructionsOf(const std::vector<protocol::Span>& spans) {
  constexpr int64_t kPsPerNs = 1000;
  const std::vector<protocol::Span> pieces = ProcessPieces(spans);
  if (pieces.empty()) return {};
  const int64_t begin_ns = std::ranges::min(pieces, {}, &protocol::Span::start_ns).start_ns;
  std::vector<optrace::Instruction> instructions;
  instructions.reserve(pieces.size());
  for (const protocol::Span& piece : pieces) {
    instructions.push_back({.device = piece.process,
                            .track = "process",
                            .name = piece.kind,
                            .category = piece.kind,
                            .start_ps = (piece.start_ns - begin_ns) * kPsPerNs,
                            .dur_ps = piece.dur_ns * kPsPerNs,
                            .wire_bytes = static_cast<double>(piece.bytes)});
  }
  std::ranges::sort(instructions, {}, &optrace::Instruction::start_ps);
  return instructions;
}

}  // namespace opbyop::chained
