// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Collects what MLIR reports as diagnostics and keeps the first error, as a sentence.
//
//   FirstError error(context);
//   if (failed(mlir::verify(module))) return MakeError(ExitCode::kBadInput, error.place() + ": " + error.text());
#ifndef OPBYOP_IR_FIRST_ERROR_H_
#define OPBYOP_IR_FIRST_ERROR_H_

#include <string>
#include <string_view>

#include "mlir/IR/Diagnostics.h"

namespace opbyop {

// While one lives, diagnostics of `context` are printed nowhere.
class FirstError {
 public:
  // `source` is the text being parsed, if any: it names the op where MLIR's own message does not.
  explicit FirstError(mlir::MLIRContext& context, std::string_view source = {});

  // One line; never empty.
  std::string text() const;
  // "file.mlir:3:5", or empty where the error has no place in a file.
  const std::string& place() const { return place_; }
  // The dialect the error says is not known, or empty where it says another thing.
  std::string UnknownDialect() const;

 private:
  void Take(mlir::Diagnostic& diagnostic);

  std::string_view source_;
  std::string text_;
  std::string place_;
  std::string quoted_;  // the name in quotes before the place
  mlir::ScopedDiagnosticHandler handler_;
};

}  // namespace opbyop

#endif  // OPBYOP_IR_FIRST_ERROR_H_
