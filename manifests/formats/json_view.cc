// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/formats/json_view.h"

#include <limits>

namespace opbyop {

std::optional<JsonView> JsonView::Find(std::string_view key) const {
  std::optional<JsonView> found;
  for (const auto& [name, value] : Object()) {
    if (name == key) found.emplace(value);
  }
  return found;
}

JsonView JsonView::at(std::string_view key) const {
  if (const std::optional<JsonView> member = Find(key)) return *member;
  throw simdjson::simdjson_error(simdjson::NO_SUCH_FIELD);
}

std::optional<double> JsonView::Number() const {
  double number = 0;
  return element_.get(number) == simdjson::SUCCESS ? std::optional(number) : std::nullopt;
}

bool JsonView::IsText(std::string_view text) const {
  std::string_view found;
  return element_.get(found) == simdjson::SUCCESS && found == text;
}

JsonDocument::JsonDocument() {
  // If there is no memory, the first Parse fails.
  (void)parser_.allocate(0, kDeepestJson);
}

std::optional<JsonView> JsonDocument::Parse(std::string_view text) {
  simdjson::dom::element root;
  // The parser reads some bytes beyond the end of the text, so it works on a copy.
  if (parser_.parse(text.data(), text.size(), /*realloc_if_needed=*/true).get(root) != simdjson::SUCCESS) {
    return std::nullopt;
  }
  return JsonView(root);
}

double DecodeDouble(const JsonView& value) {
  if (const std::optional<double> number = value.Number()) return *number;
  if (value.IsText("inf")) return std::numeric_limits<double>::infinity();
  if (value.IsText("-inf")) return -std::numeric_limits<double>::infinity();
  return std::numeric_limits<double>::quiet_NaN();
}

JsonView ListOr(const JsonView& object, const char* key) {
  struct None {
    JsonDocument document;
    JsonView list = document.Parse("[]").value();
  };
  static const None kNone;
  return object.Find(key).value_or(kNone.list);
}

}  // namespace opbyop
