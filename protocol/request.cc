// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "protocol/request.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "manifests/formats/json.h"
#include "protocol/fields.h"

namespace opbyop::protocol {
namespace {

using Json = nlohmann::json;

constexpr int64_t kMaxInteger = std::numeric_limits<int64_t>::max();
constexpr double kLongestMs = 1e12;

// Leaves out a field that has its default, which the reader knows too.
template <typename T>
void Put(Json& json, const char* key, const T& value, const T& standard = T()) {
  if (!(value == standard)) json[key] = value;
}

template <typename T, typename ToItem>
void PutList(Json& json, const char* key, const std::vector<T>& items, ToItem to_item) {
  for (const T& item : items) json[key].push_back(to_item(item));
}

Json TypeToJson(const TensorType& type) { return {{"shape", type.shape}, {"dtype", type.dtype}}; }
Json PolicyToJson(const PolicyName& policy) { return {{"policy", policy.name}, {"policy_file", policy.file}}; }
Json MemberToJson(const BatchMember& member) { return {{"case", member.case_id}, {"file", member.file.string()}}; }
Json RangeToJson(const InputRange& range) { return range ? Json{range->first, range->second} : Json(); }

// Reads an object in a list: `read` takes its fields.
template <typename Read>
auto ObjectReader(Read read) {
  return [read](const Json& item) {
    if (!item.is_object()) return false;
    Fields fields(item, "an item");
    read(fields);
    return fields.error().empty();
  };
}

std::vector<TensorType> TypesOf(Fields& fields, const char* key) {
  constexpr const char* kWhat = "a list of types, each with shape and dtype";
  std::vector<TensorType> types;
  fields.List(key, kWhat, ObjectReader([&](Fields& item) {
                TensorType type{{}, item.Text("dtype")};
                item.List("shape", kWhat, [&](const Json& size) {
                  const std::optional<int64_t> number = ExactInteger(size);
                  type.shape.push_back(number.value_or(0));
                  return number.has_value() && *number >= kDynamic;
                });
                types.push_back(std::move(type));
              }));
  return types;
}

std::vector<PolicyName> PoliciesOf(Fields& fields, const char* key) {
  std::vector<PolicyName> policies;
  fields.List(key, "a list of policies, each with policy and policy_file",
              ObjectReader([&](Fields& item) { policies.push_back({item.Text("policy"), item.Text("policy_file")}); }));
  return policies;
}

std::vector<BatchMember> MembersOf(Fields& fields, const char* key) {
  std::vector<BatchMember> members;
  fields.List(key, "a list of cases, each with case and file",
              ObjectReader([&](Fields& item) { members.push_back({item.Text("case"), item.Text("file")}); }));
  return members;
}

std::vector<InputRange> RangesOf(Fields& fields, const char* key) {
  std::vector<InputRange> ranges;
  fields.List(key, "a list of [least, most] or null", [&](const Json& item) {
    if (item.is_null()) {
      ranges.emplace_back();
      return true;
    }
    if (!item.is_array() || item.size() != 2) return false;
    const std::optional<int64_t> least = ExactInteger(item[0]), most = ExactInteger(item[1]);
    if (!least || !most || *least > *most) return false;
    ranges.emplace_back(std::pair(*least, *most));
    return true;
  });
  return ranges;
}

std::vector<std::string> TextsOf(Fields& fields, const char* key) {
  std::vector<std::string> texts;
  fields.List(key, "a list of texts", [&](const Json& item) {
    if (item.is_string()) texts.push_back(item.get<std::string>());
    return item.is_string();
  });
  return texts;
}

NextExecution NextOf(Fields& outer, const char* key) {
  const Json* object = outer.Find(key);
  if (object == nullptr) return {};
  if (!object->is_object()) {
    outer.Fail(key, *object, "an object");
    return {};
  }
  Fields fields(*object, "the next execution");
  NextExecution next = {fields.Text("case"), fields.Text("dir"), {}};
  fields.List("inputs", "a list of ascending indices", [&](const Json& item) {
    const std::optional<int64_t> index = ExactInteger(item);
    const int64_t least = next.inputs.empty() ? 0 : next.inputs.back() + 1;
    if (index) next.inputs.push_back(*index);
    return index.has_value() && *index >= least;
  });
  outer.AdoptError(fields);
  return next;
}

Json NextToJson(const NextExecution& next) {
  return {{"case", next.case_id}, {"dir", next.dir.string()}, {"inputs", next.inputs}};
}

Repeat RepeatOf(Fields& outer, const char* key) {
  const Json* object = outer.Find(key);
  if (object == nullptr) return {};
  if (!object->is_object()) {
    outer.Fail(key, *object, "an object");
    return {};
  }
  Fields fields(*object, "a repeat");
  const Repeat repeat = {fields.Integer("min", 1, 0, kMaxInteger), fields.Integer("max", 1, 0, kMaxInteger),
                         fields.Number("budget_ms", kLongestMs), fields.Count("warmup"),
                         fields.Number("relative_error", 1e6)};
  outer.AdoptError(fields);
  return repeat;
}

Json RepeatToJson(const Repeat& repeat) {
  Json json = {{"min", repeat.min}, {"max", repeat.max}, {"budget_ms", repeat.budget_ms}};
  Put(json, "warmup", repeat.warmup);
  Put(json, "relative_error", repeat.relative_error);
  return json;
}

}  // namespace

Expected<Request> ParseRequest(std::string_view text) {
  const Json json = ParseJson(text).value_or(Json());
  if (!json.is_object()) {
    return MakeError(ExitCode::kBadInput, fmt::format("a request is no JSON object: '{}'", Quote(text)));
  }
  Fields fields(json, "a request");
  Request request;
  request.id = fields.Integer("id", -1, 0, kMaxInteger);
  request.verb = fields.Text("verb");
  request.case_id = fields.Text("case");
  request.file = fields.Text("file");
  request.dir = fields.Text("dir");
  request.op = fields.Text("op");
  request.inputs = TypesOf(fields, "inputs");
  request.outputs = TypesOf(fields, "outputs");
  request.save_intermediates = fields.Flag("save_intermediates");
  request.keep = fields.Flag("keep");
  request.verbatim = fields.Flag("verbatim");
  request.after = fields.Text("after");
  request.until = fields.Text("until");
  request.members = MembersOf(fields, "members");
  request.artifact = fields.Text("artifact");
  request.repeat = RepeatOf(fields, "repeat");
  request.spans = fields.Flag("spans");
  request.host_clock = fields.Flag("host_clock");
  request.next = NextOf(fields, "next");
  request.policy = {fields.Text("policy", request.policy.name), fields.Text("policy_file")};
  request.seed = static_cast<uint64_t>(fields.Integer("seed", 0, 0, kMaxInteger));
  request.earlier = PoliciesOf(fields, "earlier");
  request.input_ranges = RangesOf(fields, "input_ranges");
  request.input_digests = TextsOf(fields, "input_digests");
  request.own_inputs = fields.Flag("own_inputs");
  request.target = fields.Text("target");
  if (const Json* declared = fields.Find("arithmetic")) {
    const std::optional<Arithmetic> arithmetic = ArithmeticFromJson(*declared);
    if (!arithmetic) fields.Fail("arithmetic", *declared, "what a target declares of its arithmetic");
    request.arithmetic = arithmetic.value_or(Arithmetic());
  }
  if (!fields.error().empty()) return MakeError(ExitCode::kBadInput, "the parent " + fields.error());
  if (request.id < 0 || request.verb.empty()) {
    return MakeError(ExitCode::kBadInput, fmt::format("a request needs 'id' and 'verb': '{}'", Quote(text)));
  }
  return request;
}

std::string ToJson(const Request& request) {
  Json json = {{"id", request.id}, {"verb", request.verb}, {"case", request.case_id}, {"dir", request.dir.string()}};
  Put(json, "file", request.file.string());
  Put(json, "op", request.op);
  PutList(json, "inputs", request.inputs, TypeToJson);
  PutList(json, "outputs", request.outputs, TypeToJson);
  Put(json, "save_intermediates", request.save_intermediates);
  Put(json, "keep", request.keep);
  Put(json, "verbatim", request.verbatim);
  Put(json, "after", request.after);
  Put(json, "until", request.until);
  PutList(json, "members", request.members, MemberToJson);
  Put(json, "artifact", request.artifact.string());
  if (!(request.repeat == Repeat())) json["repeat"] = RepeatToJson(request.repeat);
  Put(json, "spans", request.spans);
  Put(json, "host_clock", request.host_clock);
  if (!request.next.case_id.empty()) json["next"] = NextToJson(request.next);
  json["policy"] = request.policy.name;
  Put(json, "policy_file", request.policy.file);
  json["seed"] = request.seed;
  PutList(json, "earlier", request.earlier, PolicyToJson);
  PutList(json, "input_ranges", request.input_ranges, RangeToJson);
  Put(json, "input_digests", request.input_digests);
  Put(json, "own_inputs", request.own_inputs);
  Put(json, "target", request.target);
  if (request.arithmetic != Arithmetic()) json["arithmetic"] = ArithmeticToJson(request.arithmetic);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace opbyop::protocol
