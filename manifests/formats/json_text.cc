// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/formats/json_text.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#include <simdjson.h>

#include <cmath>

#include "manifests/formats/json.h"

namespace opbyop {

struct JsonText::Writer {
  rapidjson::StringBuffer text;
  rapidjson::Writer<rapidjson::StringBuffer> json{text};
};

JsonText::JsonText() : writer_(std::make_unique<Writer>()) {}
JsonText::~JsonText() = default;

void JsonText::BeginObject() { writer_->json.StartObject(); }
void JsonText::EndObject() { writer_->json.EndObject(); }
void JsonText::BeginList() { writer_->json.StartArray(); }
void JsonText::EndList() { writer_->json.EndArray(); }

void JsonText::Key(std::string_view key) { Value(key); }

void JsonText::Null() { writer_->json.Null(); }

void JsonText::Value(std::string_view text) {
  if (simdjson::validate_utf8(text.data(), text.size())) {
    writer_->json.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
  } else {
    const std::string replaced = DumpLine(text);
    writer_->json.RawValue(replaced.data(), replaced.size(), rapidjson::kStringType);
  }
}

void JsonText::Value(double number) {
  if (std::isfinite(number)) {
    writer_->json.Double(number);
  } else {
    Null();
  }
}

void JsonText::Bool(bool value) { writer_->json.Bool(value); }
void JsonText::Signed(int64_t number) { writer_->json.Int64(number); }
void JsonText::Unsigned(uint64_t number) { writer_->json.Uint64(number); }

void JsonText::AnyNumber(double number) {
  if (std::isfinite(number)) {
    Value(number);
  } else {
    Value(EncodeDouble(number).get_ref<const std::string&>());
  }
}

std::string JsonText::Take() {
  std::string text(writer_->text.GetString(), writer_->text.GetSize());
  writer_->text.Clear();
  writer_->json.Reset(writer_->text);
  return text;
}

}  // namespace opbyop
