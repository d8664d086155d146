// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// JSON written as text, one member after another, where there are many values that nobody reads here: no object is
// built that holds them. Half of the time of a run whose cases are all in its cache went into such objects.
//
//   JsonText json;
//   json.BeginObject();
//   json.Member("case", c.id);
//   json.Member("shape", std::vector<int64_t>{2, 3});
//   json.EndObject();
//   file << json.Take();                                   // {"case":"add_1","shape":[2,3]}
//
// Bytes that are no UTF-8 become U+FFFD, numbers that JSON lacks null, as in DumpLine (manifests/formats/json.h).
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
  void Key(std::string_view key);  // of the value that is written next

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

  // What was written, whose lists and objects must have ended. The next value begins another text.
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
