// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>

#include "ir/call_target.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "reference/eval/constant.h"
#include "reference/eval/print_form.h"

namespace opbyop::reference {
namespace {

constexpr uint64_t kFar = std::numeric_limits<uint64_t>::max();

bool AlmostEqual(double a, double b, double tolerance) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return true;
  if (!std::isfinite(a) || !std::isfinite(b)) return false;
  return std::fabs(a - b) <= tolerance;
}

template <typename T>
bool Holds(const Check& check, ElementType type, const T& a, const T& b, uint64_t& distance) {
  if constexpr (std::is_same_v<T, double>) {
    distance = UlpDistance(FormatOf(type), a, b);
    if (check.kind == CheckKind::kEqual) return a == b;
    if (check.kind == CheckKind::kAlmostEqual) return AlmostEqual(a, b, check.tolerance);
    return distance >= check.min_ulps && distance <= check.max_ulps;
  } else if constexpr (std::is_same_v<T, Complex>) {
    distance =
        std::max(UlpDistance(FormatOf(type), a.real(), b.real()), UlpDistance(FormatOf(type), a.imag(), b.imag()));
    if (check.kind == CheckKind::kEqual) return a == b;
    if (check.kind == CheckKind::kAlmostEqual) {
      return AlmostEqual(a.real(), b.real(), check.tolerance) && AlmostEqual(a.imag(), b.imag(), check.tolerance);
    }
    return distance >= check.min_ulps && distance <= check.max_ulps;
  } else {
    return a == b;
  }
}

double RealAttribute(mlir::Operation* op, llvm::StringRef name, double otherwise) {
  auto value = op->getAttrOfType<mlir::FloatAttr>(name);
  return value ? value.getValueAsDouble() : otherwise;
}

std::string ProbeId(mlir::Operation* op) {
  auto id = op->getAttrOfType<mlir::StringAttr>("probe_id");
  return id ? id.getValue().str() : "";
}

// The kind of check that an op makes, and where its expected value comes from.
struct CheckOp {
  Check check;
  bool constant = false;  // expected is the attribute `value`
  bool answers = false;   // @check.eq has a boolean result
};

std::optional<CheckOp> CheckOf(const OpContext& context) {
  llvm::StringRef name(context.name.data(), context.name.size());
  CheckOp found;
  if (name == "stablehlo.custom_call") {
    name = CallTargetOf(context.op);
    if (!name.starts_with("check.")) return std::nullopt;
    if (name == "check.expect_eq") return found;
    if (name == "check.expect_almost_eq") {
      found.check = {CheckKind::kAlmostEqual, 1e-3};
      return found;
    }
    if (name == "check.expect_close") {
      found.check = {CheckKind::kClose, 0, 0, 3};
      return found;
    }
    if (name != "check.eq") return std::nullopt;
    found.check = {CheckKind::kAlmostEqual, 1e-4};
    found.answers = true;
    return found;
  }
  if (!name.consume_front("check.expect_")) return std::nullopt;
  found.constant = name.consume_back("_const");
  if (name == "eq") return found;
  if (name == "almost_eq") {
    found.check = {CheckKind::kAlmostEqual, RealAttribute(context.op, "tolerance", 1e-4)};
    return found;
  }
  if (name == "close") {
    found.check = {CheckKind::kClose, 0, static_cast<uint64_t>(context.Int("min_ulp_difference", 0)),
                   static_cast<uint64_t>(context.Int("max_ulp_difference", 1))};
    return found;
  }
  return std::nullopt;
}

}  // namespace

uint64_t UlpDistance(const FloatFormat& format, double a, double b) {
  if (std::isnan(a) && std::isnan(b)) return 0;
  const uint64_t x = EncodeFloat(format, std::fabs(a));
  const uint64_t y = EncodeFloat(format, std::fabs(b));
  if (x == y && std::signbit(a) == std::signbit(b)) return 0;
  if (!std::isfinite(a) || !std::isfinite(b)) return kFar;
  if (std::signbit(a) != std::signbit(b)) return x + y;
  return x > y ? x - y : y - x;
}

std::optional<std::string> Violation(const Check& check, const Tensor& actual, const Tensor& expected) {
  if (actual.type() != expected.type() || actual.shape() != expected.shape()) {
    return fmt::format("got {} [{}], expected {} [{}]", NameOf(actual.type()), fmt::join(actual.shape(), ","),
                       NameOf(expected.type()), fmt::join(expected.shape(), ","));
  }
  std::optional<std::string> first;
  int64_t violations = 0;
  WithStorage(actual.kind(), [&]<typename T>() {
    const auto a = actual.data<T>();
    const auto b = expected.data<T>();
    for (size_t i = 0; i < a.size(); ++i) {
      uint64_t distance = 0;
      if (Holds<T>(check, actual.type(), a[i], b[i], distance)) continue;
      if (violations++ > 0) continue;
      const auto at = static_cast<int64_t>(i);
      first = fmt::format("[{}]: got {}, expected {}", fmt::join(IndexOf(at, actual.shape()), ","),
                          ElementText(actual, at), ElementText(expected, at));
      if (distance != 0) *first += distance == kFar ? " (not comparable)" : fmt::format(" ({} ULP)", distance);
    }
  });
  if (violations > 1) *first += fmt::format(", and {} more of {}", violations - 1, actual.size());
  return first;
}

std::function<Expected<bool>(OpContext&, Values&)> CheckHook(CheckLog& log) {
  return [&log](OpContext& context, Values& results) -> Expected<bool> {
    if (context.name == "interpreter.print") {
      std::string name;
      llvm::raw_string_ostream stream(name);
      context.op->getOperand(0).printAsOperand(stream, mlir::OpPrintingFlags().useLocalScope());
      log.printed += fmt::format("{} = {}\n", name, PrintForm(context.in(0)));
      return true;
    }
    if (context.name == "interpreter.probe") {
      log.probes[ProbeId(context.op)].push_back(context.in(0));
      results = context.operands;
      return true;
    }
    if (context.name == "check.expect_serialized_eq") {
      const std::vector<Tensor>& seen = log.probes[ProbeId(context.op)];
      const int64_t nth = context.Int("iter", 0);
      std::optional<std::string> violation = "the probe has not run so often";
      if (nth >= 0 && nth < static_cast<int64_t>(seen.size())) {
        violation = Violation({}, context.in(0), seen[static_cast<size_t>(nth)]);
      }
      if (violation) {
        log.failures.push_back(context.Fail(ExitCode::kUnexpectedResult, *violation).value().message);
      } else {
        ++log.held;
      }
      return true;
    }
    const std::optional<CheckOp> check = CheckOf(context);
    if (!check) return false;
    Tensor expected;
    if (check->constant) {
      const auto value = context.op->getAttrOfType<mlir::ElementsAttr>("value");
      if (!value) return context.Fail(ExitCode::kBadInput, "has no expected value");
      Expected<Tensor> tensor = TensorFromAttribute(value);
      if (!tensor) return context.Fail(tensor.error().code, tensor.error().message);
      expected = std::move(*tensor);
    } else {
      if (context.size() != 2) return context.Fail(ExitCode::kBadInput, "takes two operands");
      expected = context.in(1);
    }
    const std::optional<std::string> violation = Violation(check->check, context.in(0), expected);
    if (violation) {
      log.failures.push_back(context.Fail(ExitCode::kUnexpectedResult, *violation).value().message);
    } else {
      ++log.held;
    }
    if (check->answers) {
      results.emplace_back(Tensor::Splat<uint8_t>(ElementType::kI1, {}, !violation));
    }
    return true;
  };
}

}  // namespace opbyop::reference
