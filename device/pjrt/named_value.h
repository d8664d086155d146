// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Names with a value: the options that a plugin takes and the attributes that it reports.
//
//   NamedValues options = {{"cpu_device_count", int64_t{2}}};
//   const NamedValueList list(options);
//   args.create_options = list.data();
//   args.num_options = list.size();
#ifndef OPBYOP_DEVICE_PJRT_NAMED_VALUE_H_
#define OPBYOP_DEVICE_PJRT_NAMED_VALUE_H_

#include <pjrt_c_api.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace opbyop::pjrt {

using NamedValue = std::variant<std::string, int64_t, std::vector<int64_t>, float, bool>;
using NamedValues = std::map<std::string, NamedValue>;

// Leaves out values of types that this program does not know.
NamedValues ReadNamedValues(const PJRT_NamedValue* values, size_t count);

// The value as text: "0.25", "true", "1.13.3", "0, 9, 0".
std::string ToText(const NamedValue& value);

// The values in the form of the interface. They must outlive the list.
class NamedValueList {
 public:
  explicit NamedValueList(const NamedValues& values);

  const PJRT_NamedValue* data() const { return list_.data(); }
  size_t size() const { return list_.size(); }

 private:
  std::vector<PJRT_NamedValue> list_;
};

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_NAMED_VALUE_H_
