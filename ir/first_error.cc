// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/first_error.h"

#include <fmt/format.h>

#include <algorithm>

#include "mlir/IR/Location.h"

namespace opbyop {
namespace {

// Returns the dialect of `name`: "foo" for `"foo.op"`, `!foo<..>` and `foo.op`.
std::string DialectOf(std::string_view name) {
  size_t start = name.find_first_not_of("\"'`!#");
  if (start == std::string_view::npos) return {};
  name.remove_prefix(start);
  return std::string(name.substr(0, name.find_first_of(".<>\"'` \t\n")));
}

// Returns the dialect named between `before` and the next quote. Empty if `text` does not contain `before`.
std::string DialectAfter(std::string_view text, std::string_view before) {
  size_t at = text.find(before);
  return at == std::string_view::npos ? std::string() : DialectOf(text.substr(at + before.size()));
}

// Returns the quoted name that ends before a line and column, both counted from 1. MLIR points there for an op in
// generic form.
std::string NameBefore(std::string_view source, unsigned line, unsigned column) {
  for (unsigned i = 1; i < line; ++i) {
    size_t end = source.find('\n');
    if (end == std::string_view::npos) return {};
    source.remove_prefix(end + 1);
  }
  source = source.substr(0, source.find('\n'));
  source = source.substr(0, column - 1);
  size_t close = source.rfind('"');
  size_t open = close == std::string_view::npos || close == 0 ? std::string_view::npos : source.rfind('"', close - 1);
  return open == std::string_view::npos ? std::string() : std::string(source.substr(open + 1, close - open - 1));
}

}  // namespace

FirstError::FirstError(mlir::MLIRContext& context, std::string_view source)
    : source_(source), handler_(&context, [this](mlir::Diagnostic& diagnostic) {
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error && text_.empty()) Take(diagnostic);
        return mlir::success();
      }) {}

void FirstError::Take(mlir::Diagnostic& diagnostic) {
  text_ = diagnostic.str();
  std::replace(text_.begin(), text_.end(), '\n', ' ');
  // Removes MLIR's advice to users of its own tools.
  text_ = text_.substr(0, text_.find(" If this is intended"));
  while (!text_.empty() && (text_.back() == ' ' || text_.back() == '.')) text_.pop_back();
  diagnostic.getLocation()->walk([&](mlir::Location location) {
    auto file = llvm::dyn_cast<mlir::FileLineColLoc>(location);
    if (!file || file.getLine() == 0) return mlir::WalkResult::advance();
    place_ = fmt::format("{}:{}:{}", file.getFilename().str(), file.getLine(), file.getColumn());
    quoted_ = NameBefore(source_, file.getLine(), file.getColumn());
    return mlir::WalkResult::interrupt();
  });
}

std::string FirstError::text() const { return text_.empty() ? "MLIR gives no reason" : text_; }

std::string FirstError::UnknownDialect() const {
  if (text_.starts_with("Dialect `")) return DialectAfter(text_, "Dialect `");
  if (text_.find("operation being parsed with an unregistered dialect") != std::string::npos) return DialectOf(quoted_);
  if (text_.find("created with unregistered dialect") != std::string::npos) return DialectOf(text_);
  if (text_.find("does not implement the bytecode interface") != std::string::npos) {
    return DialectAfter(text_, "dialect '");
  }
  if (text_.find("' is unknown") != std::string::npos) return DialectAfter(text_, "dialect '");
  return {};
}

}  // namespace opbyop
