// opbyop-opt: reads, verifies, transforms and prints MLIR of this project's
// dialects, with the options of mlir-opt.
#include "ir/register.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char** argv) {
  mlir::DialectRegistry registry;
  opbyop::RegisterAllDialects(registry);
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "opbyop optimizer\n", registry));
}
