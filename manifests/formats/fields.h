// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A struct described once by its members, from which its JSON is written and read.
//
//   struct Stage { std::string name; double ms = 0; std::string diagnostic; };
//   constexpr auto FieldsOf(const Stage*) {
//     return std::tuple(Required("name", &Stage::name), Always("ms", &Stage::ms),
//                       Optional("diagnostic", &Stage::diagnostic));
//   }
//   WriteObject(json_text, stage);                    // {"name":"lower","ms":3.5}
//   Stage read = ReadObject<Stage>(object);           // of a nlohmann::json or a JsonView
//
// A member is a bool, an integer, a finite double, a text, a struct with fields of its own, an std::optional or a list
// of these, or a map from texts to numbers or texts. Every other type has a codec: Write(JsonText&, value),
// ToJson(value) and Read(json). Include this header in source files only: it includes nlohmann's library.
#ifndef OPBYOP_MANIFESTS_FORMATS_FIELDS_H_
#define OPBYOP_MANIFESTS_FORMATS_FIELDS_H_

#include <concepts>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "manifests/formats/json.h"
#include "manifests/formats/json_text.h"

namespace opbyop {

enum class Presence : uint8_t {
  kRequired,  // always written; reading an object without it throws
  kAlways,    // always written; it has its default if an older file lacks it
  kOptional,  // written unless it has its default
};

// Written and read by its type.
struct ByType {};

template <class T, class M, class Codec>
struct Field {
  const char* key;
  M T::* member;
  Presence presence;
  bool (*written)(const T&) = nullptr;  // decides in place of the default, if not null
};

template <class Codec = ByType, class T, class M>
constexpr Field<T, M, Codec> Required(const char* key, M T::* member) {
  return {key, member, Presence::kRequired};
}
template <class Codec = ByType, class T, class M>
constexpr Field<T, M, Codec> Always(const char* key, M T::* member) {
  return {key, member, Presence::kAlways};
}
template <class Codec = ByType, class T, class M>
constexpr Field<T, M, Codec> Optional(const char* key, M T::* member) {
  return {key, member, Presence::kOptional};
}
// Written if `written` says so.
template <class Codec = ByType, class T, class M>
constexpr Field<T, M, Codec> OptionalIf(bool (*written)(const std::type_identity_t<T>&), const char* key,
                                        M T::* member) {
  return {key, member, Presence::kOptional, written};
}

template <class T>
concept HasFields = requires { FieldsOf(static_cast<const T*>(nullptr)); };

// A double that may be NaN or infinite, which JSON has no numbers for (EncodeDouble).
struct AnyNumber {
  static void Write(JsonText& out, double value) { out.AnyNumber(value); }
  static nlohmann::json ToJson(double value) { return EncodeDouble(value); }
  template <class Json>
  static double Read(const Json& in) {
    return DecodeDouble(in);
  }
};

namespace fields_internal {

template <class T>
struct IsList : std::false_type {};
template <class T>
struct IsList<std::vector<T>> : std::true_type {};
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

}  // namespace fields_internal

template <HasFields T>
void WriteObject(JsonText& out, const T& value);
template <HasFields T>
nlohmann::json ToJsonObject(const T& value);
template <HasFields T, class Json>
T ReadObject(const Json& in);

template <class Codec = ByType, class M>
void WriteValue(JsonText& out, const M& value) {
  if constexpr (!std::same_as<Codec, ByType>) {
    Codec::Write(out, value);
  } else if constexpr (HasFields<M>) {
    WriteObject(out, value);
  } else if constexpr (fields_internal::IsOptional<M>::value) {
    WriteValue(out, *value);
  } else if constexpr (fields_internal::IsList<M>::value) {
    out.BeginList();
    for (const auto& item : value) WriteValue(out, item);
    out.EndList();
  } else {
    out.Value(value);
  }
}

template <class Codec = ByType, class M>
nlohmann::json ToJsonValue(const M& value) {
  if constexpr (!std::same_as<Codec, ByType>) {
    return Codec::ToJson(value);
  } else if constexpr (HasFields<M>) {
    return ToJsonObject(value);
  } else if constexpr (fields_internal::IsOptional<M>::value) {
    return ToJsonValue(*value);
  } else if constexpr (fields_internal::IsList<M>::value) {
    nlohmann::json list = nlohmann::json::array();
    for (const auto& item : value) list.push_back(ToJsonValue(item));
    return list;
  } else {
    return value;
  }
}

template <class M, class Codec = ByType, class Json>
M ReadValue(const Json& in) {
  if constexpr (!std::same_as<Codec, ByType>) {
    return Codec::Read(in);
  } else if constexpr (HasFields<M>) {
    return ReadObject<M>(in);
  } else if constexpr (fields_internal::IsOptional<M>::value) {
    return ReadValue<typename M::value_type>(in);
  } else if constexpr (fields_internal::IsList<M>::value) {
    M list;
    for (const auto& item : in) list.push_back(ReadValue<typename M::value_type>(item));
    return list;
  } else if constexpr (std::integral<M> && !std::same_as<M, bool>) {
    return IntegerOf<M>(in);
  } else {
    return in.template get<M>();
  }
}

template <class T, class M, class Codec>
bool IsWritten(const Field<T, M, Codec>& field, const T& value) {
  if (field.presence != Presence::kOptional) return true;
  if (field.written != nullptr) return field.written(value);
  if constexpr (fields_internal::IsList<M>::value) {
    return !(value.*field.member).empty();  // every list is empty by default
  } else if constexpr (std::equality_comparable<M>) {
    static const T defaults;
    return !(value.*field.member == defaults.*field.member);
  } else {
    return true;
  }
}

// Writes the members, except the one with the key `left_out`, into an object that the caller opens and closes.
template <HasFields T>
void WriteMembers(JsonText& out, const T& value, std::string_view left_out = {}) {
  const auto write = [&]<class M, class Codec>(const Field<T, M, Codec>& field) {
    if (field.key == left_out || !IsWritten(field, value)) return;
    out.Key(field.key);
    WriteValue<Codec>(out, value.*field.member);
  };
  std::apply([&](const auto&... field) { (write(field), ...); }, FieldsOf(&value));
}

template <HasFields T>
void WriteObject(JsonText& out, const T& value) {
  out.BeginObject();
  WriteMembers(out, value);
  out.EndObject();
}

template <HasFields T>
nlohmann::json ToJsonObject(const T& value) {
  nlohmann::json object = nlohmann::json::object();
  const auto write = [&]<class M, class Codec>(const Field<T, M, Codec>& field) {
    if (IsWritten(field, value)) object[field.key] = ToJsonValue<Codec>(value.*field.member);
  };
  std::apply([&](const auto&... field) { (write(field), ...); }, FieldsOf(&value));
  return object;
}

template <HasFields T, class Json>
T ReadObject(const Json& in) {
  T value;
  const auto read = [&]<class M, class Codec>(const Field<T, M, Codec>& field) {
    if (field.presence == Presence::kRequired) {
      value.*field.member = ReadValue<M, Codec>(in.at(field.key));
    } else if (const auto found = FindMember(in, field.key)) {
      value.*field.member = ReadValue<M, Codec>(*found);
    }
  };
  std::apply([&](const auto&... field) { (read(field), ...); }, FieldsOf(&value));
  return value;
}

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_FORMATS_FIELDS_H_
