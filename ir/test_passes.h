// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Passes that only tests use, registered by opbyop-opt.
//
//   opbyop-opt file.mlir --opbyop-test-infer --allow-unregistered-dialect
//
// `--opbyop-test-infer` asks the op that defines the operand of a test op for its types or shapes:
//   "hlo_test_infer.get_return_types"(%0)            becomes "hlo_test_infer.return_types"(%0) {types0 = .., ..}
//   "hlo_test_infer.get_return_type_components"(%0)  becomes the same for components; `index` means an open element
//   type "hlo_test_infer.reify_return_type_shapes"(%0)    becomes the value of the shape
#ifndef OPBYOP_IR_TEST_PASSES_H_
#define OPBYOP_IR_TEST_PASSES_H_

namespace opbyop {

void RegisterTestPasses();

}  // namespace opbyop

#endif  // OPBYOP_IR_TEST_PASSES_H_
