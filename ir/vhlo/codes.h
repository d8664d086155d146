// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The codes of attributes and types in portable artifacts, for reader and writer.
#ifndef OPBYOP_IR_VHLO_CODES_H_
#define OPBYOP_IR_VHLO_CODES_H_

#include <cstdint>

namespace opbyop::vhlo {

struct AttributeCode {
  enum : uint64_t {
    kArray = 1,
    kBool = 2,
    kComparisonDirection = 3,
    kComparisonType = 4,
    kApiVersion = 5,
    kDictionary = 6,
    kFftType = 7,
    kFloat = 8,
    kInteger = 9,
    kOutputOperandAlias = 10,
    kPrecision = 11,
    kRngAlgorithm = 12,
    kRngDistribution = 13,
    kString = 14,
    kTensor = 15,
    kTranspose = 16,
    kType = 17,
    kTypeExtensions = 18,
    kResultAccuracyMode = 19,
    kResultAccuracy = 20,
    kSubAxisInfo = 21,
    kAxisRef = 22,
    kReplicaGroupMeshAxes = 23,
    kMeshAxis = 24,
    kMesh = 25,
  };
};

// Codes of types with parts. Types without parts are rows of element_types.h.
struct TypeCode {
  enum : uint64_t {
    kComplex = 1,
    kFunction = 8,
    kRankedTensor = 20,
    kRankedTensorWithEncoding = 21,
    kToken = 22,
    kTuple = 23,
    kQuantized = 24,
    kUnrankedTensor = 25,
    kWitness = 26,
    kQuantizedPerAxis = 30,
    kBuffer = 41,
    kFuture = 42,
  };
};

}  // namespace opbyop::vhlo

#endif  // OPBYOP_IR_VHLO_CODES_H_
