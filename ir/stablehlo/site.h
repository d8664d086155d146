// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The place at which verification and type inference report errors: an existing op, or the location at which an op is
// to be built. Without a location, they fail without a message.
//
//   llvm::LogicalResult VerifyRank(const Site& site, int64_t rank) {
//     if (rank < 2) return site.emitOpError() << "expects a rank of at least 2, but got " << rank;
//     return mlir::success();
//   }
#ifndef OPBYOP_IR_STABLEHLO_SITE_H_
#define OPBYOP_IR_STABLEHLO_SITE_H_

#include <optional>
#include <utility>

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Operation.h"

namespace opbyop::stablehlo {

// A failure, with a message if there is a place to report it.
class Report {
 public:
  Report() = default;
  explicit Report(mlir::InFlightDiagnostic diagnostic) : diagnostic_(std::move(diagnostic)) {}

  template <typename T>
  Report&& operator<<(T&& part) && {
    if (diagnostic_) *diagnostic_ << std::forward<T>(part);
    return std::move(*this);
  }
  operator llvm::LogicalResult() const { return llvm::failure(); }
  template <typename T>
  operator mlir::FailureOr<T>() const {
    return llvm::failure();
  }

 private:
  std::optional<mlir::InFlightDiagnostic> diagnostic_;
};

class Site {
 public:
  Site(mlir::Operation* op) : op_(op) {}
  Site(mlir::OpState op) : op_(op.getOperation()) {}
  Site(std::optional<mlir::Location> location, llvm::StringRef name) : location_(location), name_(name) {}

  // Starts a message as MLIR does for ops: `'stablehlo.add' op `.
  Report emitOpError() const {
    if (op_) return Report(op_->emitOpError());
    if (location_) return Report(mlir::emitError(*location_) << '\'' << name_ << "' op ");
    return Report();
  }

 private:
  mlir::Operation* op_ = nullptr;
  std::optional<mlir::Location> location_;
  llvm::StringRef name_;
};

}  // namespace opbyop::stablehlo

#endif  // OPBYOP_IR_STABLEHLO_SITE_H_
