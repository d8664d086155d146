// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Storage of dtypes in memory and in .npy files.
//
// An element is stored in whole bytes, little-endian: i1 and every sub-byte type take one byte (i1: 0 or 1),
// complex is real then imaginary.
#ifndef OPBYOP_SUPPORT_DTYPE_H_
#define OPBYOP_SUPPORT_DTYPE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/tensor_type.h"

namespace opbyop {

// Every dtype that has dense storage. validation/repository/tables_test.py compares the other tables of them with this
// one.
std::vector<std::string_view> AllDtypes();

// The bits of one element that hold its value: 4 for "i4". nullopt as of DtypeBytes.
std::optional<int64_t> DtypeBits(std::string_view dtype);

// Bytes of one stored element, or nullopt if the dtype has no dense storage (tokens, unknown names).
std::optional<int64_t> DtypeBytes(std::string_view dtype);

// True for signed integers narrower than a byte, which are stored with their sign extended.
bool IsNarrowSignedInteger(std::string_view dtype);

// One stored element that is NaN, or where the dtype has none, as far from zero as it can be; empty if the dtype has no
// dense storage.
std::vector<std::byte> ExtremeElement(std::string_view dtype);

// NumPy's descr of the dtype: "<f4", "|b1", "<i8", "<c8"; "<V2" or "|V1" for dtypes that NumPy lacks (bf16, f8).
std::optional<std::string> DtypeNumpyDescr(std::string_view dtype);

// The product of the dimensions, or nullopt if one is dynamic.
std::optional<int64_t> NumElements(const TensorType& type);

// Bytes of the stored elements, or 0 if the dtype has no dense storage or a dimension is dynamic.
int64_t StoredBytes(const TensorType& type);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_DTYPE_H_
