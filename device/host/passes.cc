#include "device/host/passes.h"

namespace opbyop::host {

void RegisterPasses() {
  static const bool registered = [] {
    for (auto create :
         {&CreateInlineCallsPass, &CreateDecomposePass, &CreateLowerQuantizationPass, &CreateMathToIntrinsicsPass,
          &CreateStablehloToLinalgPass, &CreateFuseElementwisePass, &CreateTileForCachePass, &CreateEstimateWorkPass,
          &CreateCopiesToLoopsPass, &CreateEntryPointPass}) {
      mlir::registerPass(create);
    }
    return true;
  }();
  (void)registered;
}

}  // namespace opbyop::host
