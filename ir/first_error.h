// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Collects MLIR's diagnostics and keeps the first error as a sentence.
//
//   FirstError error(context);
//   if (failed(mlir::verify(module))) return MakeError(ExitCode::kBadInput, error.place() + ": " + error.text());
#ifndef OPBYOP_IR_FIRST_ERROR_H_
#define OPBYOP_IR_FIRST_ERROR_H_

#include <string>
#include <string_view>

#include "mlir/IR/Diagnostics.h"

namespace opbyop {

// While an object lives, diagnostics of `context` are not printed.
class FirstError {
 public:
  // `source` is the text that is parsed, if any. The name of the op is taken from it if MLIR's message lacks it.
  explicit FirstError(mlir::MLIRContext& context, std::string_view source = {});

  // The message of the error, on one line. Never empty.
  std::string text() const;
  // "file.mlir:3:5", or empty if the error has no place in a file.
  const std::string& place() const { return place_; }
  // Returns the dialect that is not known, according to the error. Empty for any other error.
  std::string UnknownDialect() const;

 private:
  void Take(mlir::Diagnostic& diagnostic);

  std::string_view source_;
  std::string text_;
  std::string place_;
  std::string quoted_;  // the quoted name before the place in the source
  mlir::ScopedDiagnosticHandler handler_;
};

}  // namespace opbyop

#endif  // OPBYOP_IR_FIRST_ERROR_H_
