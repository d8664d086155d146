// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The base classes of all patterns of stablehlo-to-linalg: they have the type converter and record why an op is
// refused.
#ifndef OPBYOP_DEVICE_HOST_LOWERING_PATTERN_H_
#define OPBYOP_DEVICE_HOST_LOWERING_PATTERN_H_

#include <llvm/ADT/DenseMap.h>
#include <mlir/IR/ImplicitLocOpBuilder.h>
#include <mlir/Transforms/DialectConversion.h>

#include <string>

#include "device/host/lowering/types.h"

namespace opbyop::host {

// The reasons of one run of the pass, by op. MLIR drops the reasons of failed matches in release builds, but a user who
// reads "unsupported" needs them.
using Refusals = llvm::DenseMap<mlir::Operation*, std::string>;

// Returned in place of a result.
struct Refusal {
  operator mlir::LogicalResult() const { return mlir::failure(); }
  operator mlir::Value() const { return {}; }
};

template <typename OpT>
class HostPattern : public mlir::OpConversionPattern<OpT> {
 public:
  HostPattern(const HostTypes& types, mlir::MLIRContext* context, Refusals* refusals)
      : mlir::OpConversionPattern<OpT>(types, context), refusals_(refusals) {}

 protected:
  // Records that the op has no lowering because of `why` (the end of a sentence, shown to the user).
  Refusal Refuse(mlir::Operation* op, const llvm::Twine& why) const {
    (*refusals_)[op] = why.str();
    return {};
  }

  // Returns null, and records a refusal, if the type cannot be lowered.
  mlir::RankedTensorType ResultType(mlir::Operation* op, unsigned index = 0) const {
    mlir::Type type = op->getResult(index).getType();
    auto converted = mlir::dyn_cast_or_null<mlir::RankedTensorType>(this->getTypeConverter()->convertType(type));
    if (!converted) Refuse(op, WhyNotLowerable(type));
    return converted;
  }

  // The types of all results. Returns an empty list, and records a refusal, if one of them cannot be lowered.
  llvm::SmallVector<mlir::RankedTensorType> ResultTypes(mlir::Operation* op) const {
    llvm::SmallVector<mlir::RankedTensorType> types;
    for (unsigned i = 0; i < op->getNumResults(); ++i) {
      types.push_back(ResultType(op, i));
      if (!types.back()) return {};
    }
    return types;
  }

  // Records a refusal that names `culprit`, the op inside the region that is no scalar op.
  Refusal RefuseRegion(mlir::Operation* op, mlir::Operation* culprit) const {
    if (!culprit) return Refuse(op, "its region is empty or has several blocks");
    return Refuse(op, "its region computes '" + culprit->getName().getStringRef() +
                          "', which is no operation on single elements or has types that it is undefined for");
  }

 private:
  Refusals* refusals_;
};

// A pattern for ops with one result: Lower returns the value that replaces the op.
template <typename OpT>
class ValuePattern : public HostPattern<OpT> {
 public:
  using HostPattern<OpT>::HostPattern;
  using OpAdaptor = typename OpT::Adaptor;

  // Returns a value of the op's lowered `type`, or null if the op is refused.
  virtual mlir::Value Lower(OpT op, OpAdaptor adaptor, mlir::ImplicitLocOpBuilder& b,
                            mlir::RankedTensorType type) const = 0;

  mlir::LogicalResult matchAndRewrite(OpT op, OpAdaptor adaptor,
                                      mlir::ConversionPatternRewriter& rewriter) const final {
    mlir::RankedTensorType type = this->ResultType(op);
    if (!type) return mlir::failure();
    mlir::ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    mlir::Value value = Lower(op, adaptor, b, type);
    if (!value) return mlir::failure();
    rewriter.replaceOp(op, value);
    return mlir::success();
  }
};

void PopulateElementwise(const HostTypes& types, mlir::RewritePatternSet& patterns, Refusals* refusals);
void PopulateDataMovement(const HostTypes& types, mlir::RewritePatternSet& patterns, Refusals* refusals);
void PopulateIndexing(const HostTypes& types, mlir::RewritePatternSet& patterns, Refusals* refusals);
void PopulateReductions(const HostTypes& types, mlir::RewritePatternSet& patterns, Refusals* refusals);
void PopulateContractions(const HostTypes& types, mlir::RewritePatternSet& patterns, Refusals* refusals);
void PopulateControlFlow(const HostTypes& types, mlir::RewritePatternSet& patterns, Refusals* refusals);
void PopulateNormalization(const HostTypes& types, mlir::RewritePatternSet& patterns, Refusals* refusals);
void PopulateSort(const HostTypes& types, mlir::RewritePatternSet& patterns, Refusals* refusals);
void PopulateDynamic(const HostTypes& types, mlir::RewritePatternSet& patterns, Refusals* refusals);
void PopulateEinsum(const HostTypes& types, mlir::RewritePatternSet& patterns, Refusals* refusals);
void PopulateFourier(const HostTypes& types, mlir::RewritePatternSet& patterns, Refusals* refusals);
void PopulateLinearAlgebra(const HostTypes& types, mlir::RewritePatternSet& patterns, Refusals* refusals);
void PopulateRandom(const HostTypes& types, mlir::RewritePatternSet& patterns, Refusals* refusals);
void PopulateSelectAndScatter(const HostTypes& types, mlir::RewritePatternSet& patterns, Refusals* refusals);
void PopulateExchanges(const HostTypes& types, mlir::RewritePatternSet& patterns, Refusals* refusals);
void PopulateSingleProcess(const HostTypes& types, mlir::RewritePatternSet& patterns, Refusals* refusals);

}  // namespace opbyop::host

#endif  // OPBYOP_DEVICE_HOST_LOWERING_PATTERN_H_
