// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Parses modules for unit tests: text of any dialect in generic form.
#ifndef OPBYOP_GENERATOR_PROGRAM_PARSE_FOR_TEST_H_
#define OPBYOP_GENERATOR_PROGRAM_PARSE_FOR_TEST_H_

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

namespace opbyop::generator {

// The first op with this name, at any depth, or nullptr if there is none.
inline mlir::Operation* FindOp(mlir::ModuleOp module, std::string_view name) {
  mlir::Operation* found = nullptr;
  module.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation* op) {
    if (found == nullptr && op->getName().getStringRef() == llvm::StringRef(name)) found = op;
  });
  return found;
}

class ParsingTest : public testing::Test {
 protected:
  ParsingTest() : context_(mlir::MLIRContext::Threading::DISABLED) {
    context_.allowUnregisteredDialects();
    context_.loadDialect<mlir::func::FuncDialect>();
  }

  mlir::OwningOpRef<mlir::ModuleOp> Parse(std::string_view text) {
    mlir::OwningOpRef<mlir::ModuleOp> module =
        mlir::parseSourceString<mlir::ModuleOp>(llvm::StringRef(text), mlir::ParserConfig(&context_));
    EXPECT_TRUE(module) << text;
    return module;
  }

  // The ops of the first function without its terminator. Their module lives as long as the test.
  llvm::SmallVector<mlir::Operation*> OpsOf(std::string_view text) {
    modules_.push_back(Parse(text));
    llvm::SmallVector<mlir::Operation*> ops;
    mlir::Operation* main = FindOp(*modules_.back(), "func.func");
    for (mlir::Operation& op : main->getRegion(0).front().without_terminator()) ops.push_back(&op);
    return ops;
  }

  mlir::MLIRContext context_;

 private:
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules_;
};

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_PROGRAM_PARSE_FOR_TEST_H_
