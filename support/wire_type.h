// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Fields of protocol buffers as a switch compares them, with the type that they must have on the wire: a field of another
// type counts as unknown.
//
//   switch (message.tag_and_type()) {
//     case Varint(Event::kOffsetPs): ...
//     case Bytes(Line::kName): ...
//   }
#ifndef OPBYOP_SUPPORT_WIRE_TYPE_H_
#define OPBYOP_SUPPORT_WIRE_TYPE_H_

#include <cstdint>
#include <protozero/types.hpp>

namespace opbyop {

template <typename Field>
constexpr uint32_t Varint(Field field) {
  return protozero::tag_and_type(field, protozero::pbf_wire_type::varint);
}

// Texts, messages and packed numbers.
template <typename Field>
constexpr uint32_t Bytes(Field field) {
  return protozero::tag_and_type(field, protozero::pbf_wire_type::length_delimited);
}

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_WIRE_TYPE_H_
