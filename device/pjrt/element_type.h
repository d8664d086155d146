// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Converts between element types and PJRT's numbers for them, and between their forms on the host.
//
//   ElementType("bf16");          // PJRT_Buffer_Type_BF16
//   ElementName(type);            // "bf16"
//   UnpackElements(type, bytes);  // four-bit elements, two in a byte -> one in a byte
//
// In files (support/dtype.h) and in XLA's host buffers, elements narrower than a byte take a byte each; other plugins
// may pack them.
#ifndef OPBYOP_DEVICE_PJRT_ELEMENT_TYPE_H_
#define OPBYOP_DEVICE_PJRT_ELEMENT_TYPE_H_

#include <pjrt_c_api.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace opbyop::pjrt {

// The interface's type for an MLIR type in the spelling of support/tensor_type.h. Returns nullopt if it has none.
std::optional<PJRT_Buffer_Type> ElementType(std::string_view dtype);

// The MLIR spelling of a number that a plugin returned, which may not be one of the interface's (raw_enum.h). Empty for
// tokens and for types that this program does not know.
std::string_view ElementName(int type);

// All types that have a name, in the interface's order.
std::vector<PJRT_Buffer_Type> ElementTypes();

// The number of bits of one element on a device that packs elements. A predicate counts as 8 bits.
int BitsOf(int type);

// Unpacks `count` elements that are narrower than a byte into one byte each. The first element is in the low bits.
std::vector<std::byte> UnpackElements(int type, std::span<const std::byte> packed, size_t count);

// Sets the unused bits of elements narrower than a byte to their value in files: the sign for signed integers, else
// zero.
void NormalizeElements(int type, std::span<std::byte> bytes);

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_ELEMENT_TYPE_H_
