// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads many small JSON texts, each once. The values refer to the parsed text and have the interface of nlohmann::json,
// so that one template reads a record from either. Building nlohmann's values would take a third of the time of an
// import into a history.
//
//   JsonDocument document;
//   if (const std::optional<JsonView> record = document.Parse(line)) record->at("case").get<std::string>();
//
// A getter throws simdjson::simdjson_error for a missing member or one of another type. The error has no position:
// catch it and parse the text again with ParseJson (manifests/formats/json.h), whose errors do. The header is heavy:
// include it only in source files.
#ifndef OPBYOP_MANIFESTS_FORMATS_JSON_VIEW_H_
#define OPBYOP_MANIFESTS_FORMATS_JSON_VIEW_H_

#include <simdjson.h>

#include <concepts>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "manifests/formats/json.h"

namespace opbyop {

// A value of a document. The document must outlive it and must not parse another text meanwhile.
class JsonView {
 public:
  explicit JsonView(simdjson::dom::element element) : element_(element) {}

  bool is_null() const { return element_.is_null(); }
  bool is_signed() const { return element_.is_int64(); }  // a whole number that an int64_t holds
  std::optional<double> Number() const;                   // nullopt: not a number
  bool IsText(std::string_view text) const;               // true if this is the text
  bool contains(std::string_view key) const { return Find(key).has_value(); }

  // If a key occurs more than once, the last one counts, as everywhere.
  std::optional<JsonView> Find(std::string_view key) const;
  JsonView at(std::string_view key) const;
  JsonView at(size_t index) const { return JsonView(element_.at(index)); }

  // Supports bool, 64-bit integers, double, std::string, and vectors and maps of these.
  template <class T>
  T get() const;
  template <class T>
  T value(std::string_view key, T fallback) const {
    const std::optional<JsonView> member = Find(key);
    return member ? member->get<T>() : std::move(fallback);
  }
  std::string value(std::string_view key, const char* fallback) const { return value<std::string>(key, fallback); }

  // Iterates over the elements of a list.
  class Iterator {
   public:
    explicit Iterator(simdjson::dom::array::iterator at) : at_(at) {}
    JsonView operator*() const { return JsonView(*at_); }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    simdjson::dom::array::iterator at_;
  };
  Iterator begin() const { return Iterator(List().begin()); }
  Iterator end() const { return Iterator(List().end()); }
  size_t size() const { return List().size(); }

 private:
  simdjson::dom::array List() const { return element_.get_array(); }
  simdjson::dom::object Object() const { return element_.get_object(); }

  simdjson::dom::element element_;
};

// A parser and the text that it parsed last.
class JsonDocument {
 public:
  JsonDocument();

  // nullopt if it is not JSON, or is nested about as deep as ParseJson allows, or deeper.
  std::optional<JsonView> Parse(std::string_view text);

 private:
  simdjson::dom::parser parser_;
};

// As for nlohmann's values (manifests/formats/json.h).
double DecodeDouble(const JsonView& value);
inline std::optional<JsonView> FindMember(const JsonView& object, const char* key) { return object.Find(key); }
JsonView ListOr(const JsonView& object, const char* key);

template <std::integral T>
T IntegerOf(const JsonView& value, T least = std::numeric_limits<T>::min(), T most = std::numeric_limits<T>::max()) {
  const auto checked = [&](auto number) {
    if (std::cmp_less(number, least) || std::cmp_less(most, number)) {
      throw simdjson::simdjson_error(simdjson::NUMBER_OUT_OF_RANGE);
    }
    return static_cast<T>(number);
  };
  return value.is_signed() ? checked(value.get<int64_t>()) : checked(value.get<uint64_t>());
}

template <class T>
T JsonView::get() const {
  if constexpr (std::is_same_v<T, std::string>) {
    return std::string(element_.get_string().value());
  } else if constexpr (std::is_arithmetic_v<T>) {
    return element_.get<T>().value();
  } else {
    T all;
    if constexpr (requires { typename T::mapped_type; }) {
      using Item = typename T::mapped_type;
      for (const auto& [key, item] : Object()) all.insert_or_assign(std::string(key), JsonView(item).get<Item>());
    } else {
      for (const JsonView item : *this) all.push_back(item.get<typename T::value_type>());
    }
    return all;
  }
}

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_FORMATS_JSON_VIEW_H_
