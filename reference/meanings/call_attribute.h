// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Attributes of custom calls and composites, wherever a framework writes them.
//
//   std::optional<double> side = NumberOf(FindCallAttribute(op, "side"));   // 76, of mhlo.backend_config
//   FindCallAttribute(op, "backend_config.0");                              // "1", of the text "1,1,100,1e-6"
//   FindCallAttribute(op, "backend_config.cudnn_fmha_backend_config.fmha_scale");   // of the JSON text
#ifndef OPBYOP_REFERENCE_MEANINGS_CALL_ATTRIBUTE_H_
#define OPBYOP_REFERENCE_MEANINGS_CALL_ATTRIBUTE_H_

#include <nlohmann/json.hpp>
#include <optional>

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Operation.h"

namespace opbyop::reference {

// Looks for the name in the dictionaries of a call, then among its own attributes. A path of several names, separated by
// dots, begins with an attribute whose text is a list with commas or JSON. Returns null if there is none.
mlir::Attribute FindCallAttribute(mlir::Operation* op, llvm::StringRef path);

// All that FindCallAttribute finds by a single name, as JSON: numbers, texts, lists, and for all else the text of MLIR.
nlohmann::json CallAttributes(mlir::Operation* op);

// Returns the number of an integer, float or boolean, or of a text that is one: "0.125", "True".
std::optional<double> NumberOf(mlir::Attribute attribute);

// Whether both are the same number or text, whatever their types.
bool IsSameValue(mlir::Attribute a, mlir::Attribute b);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_MEANINGS_CALL_ATTRIBUTE_H_
