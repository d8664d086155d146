// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/exhaust/functions.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/op_info.h"
#include "ir/read_module.h"
#include "manifests/formats/glob.h"
#include "mlir/IR/MLIRContext.h"
#include "reference/eval/evaluator.h"

namespace opbyop::exhaustive {
namespace {

using reference::ElementKind;
using reference::ElementType;
using reference::Info;
using reference::NameOf;

constexpr std::string_view kConvert = "stablehlo.convert";
constexpr std::string_view kBitcast = "stablehlo.bitcast_convert";
constexpr std::string_view kReducePrecision = "stablehlo.reduce_precision";

// The precisions of other well-known formats.
struct Precision {
  int exponent_bits;
  int mantissa_bits;
};
constexpr Precision kPrecisions[] = {{8, 10}, {8, 7}, {5, 10}, {5, 2}, {4, 3}};

std::string WithoutDialect(const std::string& op) { return op.substr(op.find('.') + 1); }

// The types that a conversion may have as its result.
std::vector<std::string> RealTypes() {
  std::vector<std::string> names;
  for (auto t = static_cast<int>(ElementType::kI1); t < static_cast<int>(ElementType::kC64); ++t) {
    names.emplace_back(NameOf(static_cast<ElementType>(t)));
  }
  return names;
}

std::vector<Function> VariantsOf(const std::string& op, ElementType type) {
  const std::string own(NameOf(type));
  std::vector<Function> functions;
  if (op == kConvert || op == kBitcast) {
    for (const std::string& result : RealTypes()) functions.push_back({op, result, type, result, ""});
  } else if (op == kReducePrecision) {
    for (const Precision& p : kPrecisions) {
      functions.push_back(
          {op, fmt::format("e{}m{}", p.exponent_bits, p.mantissa_bits), type, own,
           fmt::format("{{exponent_bits = {} : i32, mantissa_bits = {} : i32}}", p.exponent_bits, p.mantissa_bits)});
    }
  } else {
    functions.push_back({op, "", type, own, ""});
    if (own != "i1") functions.push_back({op, "", type, "i1", ""});
  }
  return functions;
}

bool IsValid(const Function& function, mlir::MLIRContext& context) {
  return bool(ReadModuleFromBytes(ProgramOf(function, 2), function.op, context));
}

// Whether the op is only a part of the lowering of CHLO, and not an op of programs: its name starts with "_".
bool IsInternal(const std::string& op) { return WithoutDialect(op).starts_with("_"); }

bool Matches(std::string_view pattern, const Function& function) {
  const size_t colon = pattern.find(':');
  if (colon != std::string_view::npos && !GlobMatches(pattern.substr(colon + 1), function.variant)) return false;
  const std::string_view op = pattern.substr(0, colon);
  return GlobMatches(op, function.op) ||
         (op.find('.') == std::string_view::npos && GlobMatches(op, WithoutDialect(function.op)));
}

}  // namespace

std::string Function::Name() const {
  const std::string base = op.starts_with("stablehlo.") ? WithoutDialect(op) : "chlo_" + WithoutDialect(op);
  std::string name = fmt::format("{}_{}", base, NameOf(type));
  if (!variant.empty()) name += (variant == result ? "_to_" : "_") + variant;
  return name;
}

std::string Function::Spelling() const { return variant.empty() ? op : op + ":" + variant; }

uint64_t Function::Values() const {
  const reference::ElementTypeInfo& info = Info(type);
  return uint64_t{1} << (info.format != nullptr ? info.format->bits : info.width);
}

std::vector<Function> AllFunctions(ElementType type) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::vector<Function> functions;
  for (const OpInfo& info : AllOps()) {
    const std::string op = info.name.str();
    if ((!reference::IsElementwise(op) && op != kBitcast) || IsInternal(op)) continue;
    for (Function& function : VariantsOf(op, type)) {
      const bool known = function.variant.empty() && !functions.empty() && functions.back().op == op;
      if (!known && IsValid(function, context)) functions.push_back(std::move(function));
    }
  }
  std::ranges::sort(functions, {}, [](const Function& f) { return std::pair(f.op, f.variant); });
  return functions;
}

Expected<std::vector<Function>> FindFunctions(const std::vector<std::string>& patterns, ElementType type) {
  const std::vector<Function> all = AllFunctions(type);
  for (const std::string& pattern : patterns) {
    if (std::ranges::any_of(all, [&](const Function& f) { return Matches(pattern, f); })) continue;
    return MakeError(ExitCode::kUsage,
                     fmt::format("`{}` is no function of one {}: `opbyop exhaust --list --type {}` names them", pattern,
                                 NameOf(type), NameOf(type)));
  }
  std::vector<Function> functions;
  for (const Function& f : all) {
    if (std::ranges::any_of(patterns, [&](const std::string& p) { return Matches(p, f); })) functions.push_back(f);
  }
  return functions;
}

std::string ProgramOf(const Function& function, int64_t elements) {
  const std::string from = fmt::format("tensor<{}x{}>", elements, NameOf(function.type));
  const std::string to = fmt::format("tensor<{}x{}>", elements, function.result);
  return fmt::format(
      "func.func @main(%x: {0}) -> {1} {{\n"
      "  %0 = \"{2}\"(%x) {3} : ({0}) -> {1}\n"
      "  return %0 : {1}\n"
      "}}\n",
      from, to, function.op, function.attributes);
}

}  // namespace opbyop::exhaustive
