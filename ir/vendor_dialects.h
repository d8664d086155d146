// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A table of the dialects of vendors' compilers, which are not registered: the parts and kinds of their ops, and their
// attributes. Splitting what a compiler's stage produced, and the kinds in reports, need it. A new vendor adds rows.
//
//   VendorKindOf("ttir.matmul");                // OpKind::kMatmul
//   VendorPartOf("ttcore.device_module");       // VendorPart::kAroundModule
//   IsVendorAttribute("ttcore.argument_type");  // true
#ifndef OPBYOP_IR_VENDOR_DIALECTS_H_
#define OPBYOP_IR_VENDOR_DIALECTS_H_

#include "llvm/ADT/StringRef.h"
#include "support/op_kind.h"

namespace opbyop {

// The part that an op has in its program.
enum class VendorPart {
  kComputes,
  kConstant,         // a value, or a buffer or device, that no input determines
  kHousekeeping,     // computes nothing and is no call of the device
  kBesideFunctions,  // describes the device, in the module of each program
  kAroundModule,     // contains the module of each program
};

// Returns kComputes for every op that is not in the table.
VendorPart VendorPartOf(llvm::StringRef op);

// Returns the kind of a vendor's op for which StableHLO has no op of the same name. kOther if it is not in the table.
OpKind VendorKindOf(llvm::StringRef op);

// Returns whether an attribute of this name, on a module, a function or an argument, is a note for a vendor's compiler.
bool IsVendorAttribute(llvm::StringRef attribute);

}  // namespace opbyop

#endif  // OPBYOP_IR_VENDOR_DIALECTS_H_
