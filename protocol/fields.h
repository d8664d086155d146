// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads the members of a JSON object from another program, one by one, and keeps the first error. A member that is
// absent or null has its default.
//
//   Fields fields(json, "'done'");
//   const int64_t bytes = fields.Count("artifact_bytes");
//   if (!fields.error().empty()) ... "sent 'done' whose artifact_bytes is -1, not an integer of 0 to 9007199254740992"
#ifndef OPBYOP_PROTOCOL_FIELDS_H_
#define OPBYOP_PROTOCOL_FIELDS_H_

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "manifests/status/status.h"

namespace opbyop::protocol {

// Integers up to here are exact in every reader of JSON.
inline constexpr int64_t kMaxCount = int64_t{1} << 53;

// Returns a whole number of any JSON number type; nullopt if it is not a whole number or does not fit.
std::optional<int64_t> ExactInteger(const nlohmann::json& value);

// Returns the text as one line that is short enough for another message.
std::string Quote(std::string_view text);
std::string QuoteJson(const nlohmann::json& value);

class Fields {
 public:
  // `object` must outlive this; `what` is its name in errors.
  Fields(const nlohmann::json& object, std::string what) : object_(object), what_(std::move(what)) {}

  int64_t Integer(const char* key, int64_t fallback, int64_t least, int64_t most);
  int64_t Count(const char* key) { return Integer(key, 0, 0, kMaxCount); }
  double Number(const char* key, double most);
  bool Flag(const char* key);

  // Returns the text unchanged.
  std::string Text(const char* key, const std::string& fallback = "");

  // Returns one line without terminal control characters; a text longer than `limit` is cut and marked.
  std::string Line(const char* key, size_t limit);

  // Returns a status that a worker may report.
  Status StatusOf(const char* key);

  // Calls `element` for each element of a list. It returns false for an element that is not `expected`.
  template <typename Reader>
  void List(const char* key, std::string_view expected, Reader element) {
    const nlohmann::json* list = Find(key);
    if (list == nullptr) return;
    if (!list->is_array()) return Fail(key, *list, expected);
    for (const nlohmann::json& item : *list) {
      if (!element(item)) return Fail(key, item, expected);
    }
  }

  // nullptr if the member is absent or null.
  const nlohmann::json* Find(const char* key) const;

  void Fail(const char* key, const nlohmann::json& value, std::string_view expected);

  // A clause whose subject is "it"; empty if there is no error.
  const std::string& error() const { return error_; }
  // Takes the error of an object inside this one.
  void AdoptError(const Fields& inner);

 private:
  const nlohmann::json& object_;
  std::string what_;
  std::string error_;
};

}  // namespace opbyop::protocol

#endif  // OPBYOP_PROTOCOL_FIELDS_H_
