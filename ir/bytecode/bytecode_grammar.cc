// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/bytecode/bytecode_grammar.h"

#include <span>

namespace opbyop {
namespace {

constexpr Grammar kBuiltinAttributes[] = {
    "A",    // array
    "N",    // dictionary
    "s",    // string
    "st",   // string with type
    "a",    // flat symbol
    "aA",   // symbol
    "t",    // type
    "",     // unit
    "t*",   // integer
    "t*",   // float
    "aa",   // callsite
    "avv",  // file, line and column
    "A",    // fused
    "Aa",   // fused with metadata
    "aa",   // name
    "",     // unknown location
    "tv",   // dense resource
    "tvB",  // dense array
    "tB",   // dense elements
    "tv*",  // dense strings
    "taa",  // sparse
    "a",    // distinct
    "aV",   // file and range
};

constexpr Grammar kBuiltinTypes[] = {
    "v",     // integer
    "",      // index
    "TT",    // function
    "",      // bf16
    "",      // f16
    "",      // f32
    "",      // f64
    "",      // f80
    "",      // f128
    "t",     // complex
    "Ita",   // memref
    "aIta",  // memref with memory space
    "",      // none
    "It",    // tensor
    "aIt",   // tensor with encoding
    "T",     // tuple
    "t",     // unranked memref
    "at",    // unranked memref with memory space
    "t",     // unranked tensor
    "It",    // vector
    "bIt",   // vector with scalable dimensions
};

constexpr Grammar kVhloAttributes[] = {
    "*",  // no such code
    "A",  // array
    "v",    "v", "v", "v",
    "N",  // dictionary
    "v",
    "t*",   // float
    "t*",   // integer
    "IiI",  // output operand alias
    "v",    "v", "v",
    "s",   // string
    "tB",  // tensor
    "v",
    "t",  // type
    "I",  // type extensions
    "v",
    "iiia",  // result accuracy
    "ii",    // sub-axis
    "ao",    // axis
    "aa",    // replica groups by axes
    "ai",    // mesh axis
    "ao",    // mesh
};

// Attributes in StableHLO's own encoding, not VHLO's.
constexpr Grammar kStablehloAttributes[] = {
    "*",          // no such code
    "ii",         // channel handle
    "v",          // comparison direction
    "v",          // comparison type
    "iiIiiIiiI",  // convolution
    "IIII",       // dot
    "v",          // fft type
    "IIIIIi",     // gather
    "v",          // precision
    "v",          // rng algorithm
    "v",          // rng distribution
    "IIIIIi",     // scatter
    "v",          // transpose
    "I",          // type extensions
    "IiI",        // output operand alias
    "tttiii*",    // dot algorithm
    "v",          // result accuracy mode
    "iiia",       // result accuracy
    "aA",         // replica groups by axes
    "ii",         // sub-axis
    "sp",         // axis
    "si",         // mesh axis
    "ap",         // mesh
};
constexpr Grammar kStablehloTypes[] = {
    "",   // token
    "T",  // future
};
constexpr Grammar kChloAttributes[] = {
    "v",  // comparison direction
    "v",  // comparison type
};

constexpr Grammar kSdyAttributes[] = {
    "A",         // manual axes
    "si",        // mesh axis
    "AI",        // mesh
    "ii",        // sub-axis
    "s*",        // axis
    "A*",        // dimension
    "aAA",       // sharding
    "A",         // sharding per value
    "I",         // dimension mapping
    "A",         // tensor mapping
    "IAAIIII*",  // rule
    "A",         // axes
    "A",         // lists of axes
    "Aii",       // all-to-all parameter
    "A",         // all-to-all parameters
    "aAAA",      // sharding with unreduced axes
    "A",         // sharding per value with unreduced axes
    "aAAAi",     // sharding with axes that are reduced otherwise than by a sum
};

// Lists the VHLO types that have parts. All others have none.
Grammar VhloType(uint64_t code) {
  switch (code) {
    case 1:   // complex
    case 25:  // unranked tensor
      return "t";
    case 8:  // function
      return "TT";
    case 20:  // tensor
    case 41:  // buffer
      return "It";
    case 21:  // tensor with encoding
      return "aIt";
    case 23:  // tuple
    case 42:  // future
      return "T";
    case 24:  // quantized
    case 30:  // quantized per axis
      return "vtt*";
    default:
      return "*";
  }
}

Grammar Row(std::span<const Grammar> table, uint64_t code) { return code < table.size() ? table[code] : "*"; }

}  // namespace

Grammar AttributeGrammar(std::string_view dialect, uint64_t code) {
  if (dialect == "builtin") return Row(kBuiltinAttributes, code);
  if (dialect == "stablehlo") return Row(kStablehloAttributes, code);
  if (dialect == "chlo") return Row(kChloAttributes, code);
  if (dialect == "sdy") return Row(kSdyAttributes, code);
  return dialect == "vhlo" ? Row(kVhloAttributes, code) : "*";
}

Grammar TypeGrammar(std::string_view dialect, uint64_t code) {
  if (dialect == "builtin") return Row(kBuiltinTypes, code);
  if (dialect == "stablehlo") return Row(kStablehloTypes, code);
  return dialect == "vhlo" ? VhloType(code) : "*";
}

}  // namespace opbyop
