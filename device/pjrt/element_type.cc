// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/element_type.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "support/dtype.h"

namespace opbyop::pjrt {
namespace {

struct Element {
  std::string_view dtype;
  PJRT_Buffer_Type type;
};

constexpr std::array kElements = {
    Element{"i1", PJRT_Buffer_Type_PRED},
    Element{"i8", PJRT_Buffer_Type_S8},
    Element{"i16", PJRT_Buffer_Type_S16},
    Element{"i32", PJRT_Buffer_Type_S32},
    Element{"i64", PJRT_Buffer_Type_S64},
    Element{"ui8", PJRT_Buffer_Type_U8},
    Element{"ui16", PJRT_Buffer_Type_U16},
    Element{"ui32", PJRT_Buffer_Type_U32},
    Element{"ui64", PJRT_Buffer_Type_U64},
    Element{"f16", PJRT_Buffer_Type_F16},
    Element{"f32", PJRT_Buffer_Type_F32},
    Element{"f64", PJRT_Buffer_Type_F64},
    Element{"bf16", PJRT_Buffer_Type_BF16},
    Element{"complex<f32>", PJRT_Buffer_Type_C64},
    Element{"complex<f64>", PJRT_Buffer_Type_C128},
    Element{"f8E5M2", PJRT_Buffer_Type_F8E5M2},
    Element{"f8E4M3FN", PJRT_Buffer_Type_F8E4M3FN},
    Element{"f8E4M3B11FNUZ", PJRT_Buffer_Type_F8E4M3B11FNUZ},
    Element{"f8E5M2FNUZ", PJRT_Buffer_Type_F8E5M2FNUZ},
    Element{"f8E4M3FNUZ", PJRT_Buffer_Type_F8E4M3FNUZ},
    Element{"i4", PJRT_Buffer_Type_S4},
    Element{"ui4", PJRT_Buffer_Type_U4},
    Element{"i2", PJRT_Buffer_Type_S2},
    Element{"ui2", PJRT_Buffer_Type_U2},
    Element{"f8E4M3", PJRT_Buffer_Type_F8E4M3},
    Element{"f8E3M4", PJRT_Buffer_Type_F8E3M4},
    Element{"f8E8M0FNU", PJRT_Buffer_Type_F8E8M0FNU},
    Element{"f4E2M1FN", PJRT_Buffer_Type_F4E2M1FN},
};

const Element* Find(int type) {
  const auto* found =
      std::ranges::find(kElements, type, [](const Element& element) { return static_cast<int>(element.type); });
  return found == kElements.end() ? nullptr : found;
}

constexpr int kByte = 8;

}  // namespace

std::optional<PJRT_Buffer_Type> ElementType(std::string_view dtype) {
  const auto* found = std::ranges::find(kElements, dtype, &Element::dtype);
  if (found == kElements.end()) return std::nullopt;
  return found->type;
}

std::string_view ElementName(int type) {
  const Element* element = Find(type);
  return element == nullptr ? std::string_view() : element->dtype;
}

std::vector<PJRT_Buffer_Type> ElementTypes() {
  std::vector<PJRT_Buffer_Type> types;
  for (const Element& element : kElements) types.push_back(element.type);
  std::ranges::sort(types);
  return types;
}

int BitsOf(int type) {
  const Element* element = Find(type);
  if (element == nullptr) return 0;
  return element->type == PJRT_Buffer_Type_PRED ? kByte : static_cast<int>(*DtypeBits(element->dtype));
}

std::vector<std::byte> UnpackElements(int type, std::span<const std::byte> packed, size_t count) {
  const auto bits = static_cast<size_t>(BitsOf(type));
  const auto mask = static_cast<uint8_t>((1u << bits) - 1);
  std::vector<std::byte> unpacked(count);
  for (size_t i = 0; i < count; ++i) {
    const auto byte = static_cast<uint8_t>(packed[i * bits / kByte]);
    unpacked[i] = static_cast<std::byte>((byte >> (i * bits % kByte)) & mask);
  }
  return unpacked;
}

void NormalizeElements(int type, std::span<std::byte> bytes) {
  const int bits = BitsOf(type);
  if (bits == 0 || bits >= kByte) return;
  const bool is_signed = IsNarrowSignedInteger(ElementName(type));
  const int shift = kByte - bits;
  for (std::byte& byte : bytes) {
    const auto raised = static_cast<uint8_t>(static_cast<uint8_t>(byte) << shift);
    byte = static_cast<std::byte>(is_signed ? static_cast<int8_t>(raised) >> shift : raised >> shift);
  }
}

}  // namespace opbyop::pjrt
