// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes JSON as text, one member after another, without building an object. For files with many values: building
// objects took half of the time of a run whose cases are all in its cache.
//
//   JsonText json;
//   json.BeginObject();
//   json.Member("case", c.id);
//   json.Member("shape", std::vector<int64_t>{2, 3});
//   json.EndObject();
//   file << json.Take();                                   // {"case":"add_1","shape":[2,3]}
//
// Invalid UTF-8 becomes U+FFFD and numbers that JSON lacks become null, as in DumpLine (manifests/formats/json.h).
#ifndef OPBYOP_MANIFESTS_FORMATS_JSON_TEXT_H_
#define OPBYOP_MANIFESTS_FORMATS_JSON_TEXT_H_

#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace opbyop {

class JsonText {
 public:
  JsonText();
  ~JsonText();

  void BeginObject();
  void EndObject();
  void BeginList();
  void EndList();
  void Key(std::string_view key);  // of the next value

  void Null();
  void Value(std::string_view text);
  void Value(const std::string& text) { Value(std::string_view(text)); }
  void Value(const char* text) { Value(std::string_view(text)); }
  void Value(double number);
  template <std::integral T>
  void Value(T number);
  template <class T>
  void Value(const std::vector<T>& list);
  template <class T>
  void Value(const std::map<std::string, T>& map);

  template <class T>
  void Member(std::string_view key, const T& value) {
    Key(key);
    Value(value);
  }

  // NaN and the infinities are texts, as EncodeDouble writes them.
  void AnyNumber(double number);

  // Returns the text. All lists and objects must have ended. The next value starts another text.
  std::string Take();

 private:
  struct Writer;

  void Bool(bool value);
  void Signed(int64_t number);
  void Unsigned(uint64_t number);

  std::unique_ptr<Writer> writer_;
};

template <std::integral T>
void JsonText::Value(T number) {
  if constexpr (std::same_as<T, bool>) {
    Bool(number);
  } else if constexpr (std::signed_integral<T>) {
    Signed(number);
  } else {
    Unsigned(number);
  }
}

template <class T>
void JsonText::Value(const std::vector<T>& list) {
  BeginList();
  for (const T& item : list) Value(item);
  EndList();
}

template <class T>
void JsonText::Value(const std::map<std::string, T>& map) {
  BeginObject();
  for (const auto& [key, value] : map) Member(key, value);
  EndObject();
}

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_FORMATS_JSON_TEXT_H_
