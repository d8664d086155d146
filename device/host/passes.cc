// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/host/passes.h"

namespace opbyop::host {

void RegisterPasses() {
  static const bool registered = [] {
    for (auto create :
         {&CreateInlineCallsPass, &CreateFlattenValuesPass, &CreateDecomposePass, &CreateLowerCollectivesPass,
          &CreateLowerQuantizationPass, &CreateStablehloToLinalgPass, &CreateEmptySignaturePass,
          &CreateFuseElementwisePass, &CreateTileForCachePass, &CreateCopyCarriedValuesPass, &CreateDistinctResultsPass,
          &CreateEstimateWorkPass, &CreateHoistAllocationsPass, &CreateBlockForRegistersPass, &CreateCopiesToLoopsPass,
          &CreateMathToIntrinsicsPass, &CreateMoveBitsPass, &CreateEntryPointPass}) {
      mlir::registerPass(create);
    }
    return true;
  }();
  (void)registered;
}

}  // namespace opbyop::host
