// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Element types as PJRT numbers them, and their forms on the host.
//
//   ElementType("bf16");          // PJRT_Buffer_Type_BF16
//   ElementName(type);            // "bf16"
//   UnpackElements(type, bytes);  // four-bit elements, two in a byte -> one in a byte
//
// Elements below a byte take a byte each in files (support/dtype.h) and in XLA's host buffers; other plugins may pack
// them.
#ifndef OPBYOP_DEVICE_PJRT_ELEMENT_TYPE_H_
#define OPBYOP_DEVICE_PJRT_ELEMENT_TYPE_H_

#include <pjrt_c_api.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace opbyop::pjrt {

// The interface's type for an MLIR type as support/tensor_type.h spells it, or nullopt if it has none.
std::optional<PJRT_Buffer_Type> ElementType(std::string_view dtype);

// The other way round, of a number that a plugin may have made up (raw_enum.h); empty for tokens and types that this
// program does not know.
std::string_view ElementName(int type);

// All that have a name, in the interface's order.
std::vector<PJRT_Buffer_Type> ElementTypes();

// The bits of one element on a device that packs elements. A predicate counts as 8.
int BitsOf(int type);

// One byte for each of `count` elements that are narrower than a byte, first element in the low bits.
std::vector<std::byte> UnpackElements(int type, std::span<const std::byte> packed, size_t count);

// Makes the unused bits of elements below a byte what files have there: the sign of signed integers, else zero.
void NormalizeElements(int type, std::span<std::byte> bytes);

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_ELEMENT_TYPE_H_
