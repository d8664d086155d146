// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads an enumerator that a plugin wrote. It may not be one of the enum's values, and reading it as the enum would
// then be undefined behaviour.
//
//   if (RawEnum(value.type) == PJRT_NamedValue_kString) …
#ifndef OPBYOP_DEVICE_PJRT_RAW_ENUM_H_
#define OPBYOP_DEVICE_PJRT_RAW_ENUM_H_

#include <cstring>
#include <type_traits>

namespace opbyop::pjrt {

template <typename Enum>
int RawEnum(const Enum& field) {
  std::underlying_type_t<Enum> value;
  std::memcpy(&value, &field, sizeof(value));
  return static_cast<int>(value);
}

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_RAW_ENUM_H_
