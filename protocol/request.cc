// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "protocol/request.h"

#include <fmt/format.h>

#include <concepts>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "manifests/formats/json.h"
#include "protocol/fields.h"

namespace opbyop::protocol {
namespace {

using Json = nlohmann::json;

constexpr int64_t kMaxInteger = std::numeric_limits<int64_t>::max();
constexpr double kLongestMs = 1e12;

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

// Reads the object under a key by `read`, or returns the default if there is none. `what` says the object in
// errors about the object, `expected` in an error about another value.
template <typename Read>
auto ObjectOf(Fields& outer, const char* key, const char* what, const char* expected, Read read) {
  std::invoke_result_t<Read, Fields&> value;
  const Json* object = outer.Find(key);
  if (object == nullptr) return value;
  if (!object->is_object()) {
    outer.Fail(key, *object, expected);
    return value;
  }
  Fields fields(*object, what);
  value = read(fields);
  outer.AdoptError(fields);
  return value;
}

NextExecution NextOf(Fields& outer, const char* key) {
  return ObjectOf(outer, key, "the next execution", "an object", [](Fields& fields) {
    NextExecution next = {fields.Text("case"), fields.Text("dir"), {}};
    fields.List("inputs", "a list of ascending indices", [&](const Json& item) {
      const std::optional<int64_t> index = ExactInteger(item);
      const int64_t least = next.inputs.empty() ? 0 : next.inputs.back() + 1;
      if (index) next.inputs.push_back(*index);
      return index.has_value() && *index >= least;
    });
    return next;
  });
}

Repeat RepeatOf(Fields& outer, const char* key) {
  return ObjectOf(outer, key, "a repeat", "an object", [](Fields& fields) {
    return Repeat{fields.Integer("min", 1, 0, kMaxInteger), fields.Integer("max", 1, 0, kMaxInteger),
                  fields.Number("budget_ms", kLongestMs), fields.Count("warmup"), fields.Number("relative_error", 1e6)};
  });
}

Grid GridOf(Fields& outer, const char* key) {
  const Grid grid = ObjectOf(outer, key, "a grid", "an object of replicas and partitions", [](Fields& fields) {
    return Grid{fields.Integer("replicas", 1, 1, Grid::kMostProcesses),
                fields.Integer("partitions", 1, 1, Grid::kMostProcesses)};
  });
  if (grid.is_valid()) return grid;
  outer.Fail(key, *outer.Find(key), fmt::format("at most {} processes", Grid::kMostProcesses));
  return {};
}

Shardings ShardingsOf(Fields& outer, const char* key) {
  return ObjectOf(outer, key, "shardings", "an object of inputs and outputs",
                  [](Fields& fields) { return Shardings{TextsOf(fields, "inputs"), TextsOf(fields, "outputs")}; });
}

Arithmetic ArithmeticOf(Fields& fields, const char* key) {
  const Json* declared = fields.Find(key);
  if (declared == nullptr) return {};
  const std::optional<Arithmetic> arithmetic = ArithmeticFromJson(*declared);
  if (!arithmetic) fields.Fail(key, *declared, "what a target declares of its arithmetic");
  return arithmetic.value_or(Arithmetic());
}

class Reader {
 public:
  explicit Reader(Fields& fields) : fields_(fields) {}

  void operator()(const char* key, bool& value) { value = fields_.Flag(key); }
  void operator()(const char* key, std::string& value) { value = fields_.Text(key, value); }
  void operator()(const char* key, std::filesystem::path& value) { value = fields_.Text(key); }
  void operator()(const char* key, std::vector<TensorType>& value) { value = TypesOf(fields_, key); }
  void operator()(const char* key, std::vector<PolicyName>& value) { value = PoliciesOf(fields_, key); }
  void operator()(const char* key, std::vector<BatchMember>& value) { value = MembersOf(fields_, key); }
  void operator()(const char* key, std::vector<InputRange>& value) { value = RangesOf(fields_, key); }
  void operator()(const char* key, std::vector<std::string>& value) { value = TextsOf(fields_, key); }
  void operator()(const char* key, NextExecution& value) { value = NextOf(fields_, key); }
  void operator()(const char* key, Repeat& value) { value = RepeatOf(fields_, key); }
  void operator()(const char* key, Grid& value) { value = GridOf(fields_, key); }
  void operator()(const char* key, Shardings& value) { value = ShardingsOf(fields_, key); }
  void operator()(const char* key, Arithmetic& value) { value = ArithmeticOf(fields_, key); }

  void Always(const char* key, auto& value) { (*this)(key, value); }
  void Always(const char* key, uint64_t& value) {
    value = static_cast<uint64_t>(fields_.Integer(key, 0, 0, kMaxInteger));
  }

 private:
  Fields& fields_;
};

class Writer {
 public:
  explicit Writer(Json& json) : json_(json) {}

  // Leaves out a field that has its default, which the reader knows too.
  template <typename T>
  void operator()(const char* key, const T& value) {
    if (!(value == T())) json_[key] = Of(value);
  }
  void operator()(const char* key, const NextExecution& next) {
    if (!next.case_id.empty()) json_[key] = Of(next);
  }

  template <typename T>
  void Always(const char* key, const T& value) {
    json_[key] = Of(value);
  }

 private:
  static Json Of(bool value) { return value; }
  static Json Of(uint64_t value) { return value; }
  static Json Of(const std::string& text) { return text; }
  static Json Of(const std::filesystem::path& path) { return path.string(); }
  static Json Of(const TensorType& type) { return {{"shape", type.shape}, {"dtype", type.dtype}}; }
  static Json Of(const PolicyName& policy) { return {{"policy", policy.name}, {"policy_file", policy.file}}; }
  static Json Of(const BatchMember& member) { return {{"case", member.case_id}, {"file", member.file.string()}}; }
  static Json Of(const InputRange& range) { return range ? Json{range->first, range->second} : Json(); }
  static Json Of(const Grid& grid) { return {{"replicas", grid.replicas}, {"partitions", grid.partitions}}; }
  static Json Of(const Shardings& shardings) { return {{"inputs", shardings.inputs}, {"outputs", shardings.outputs}}; }
  static Json Of(const Arithmetic& arithmetic) { return ArithmeticToJson(arithmetic); }
  static Json Of(const NextExecution& next) {
    return {{"case", next.case_id}, {"dir", next.dir.string()}, {"inputs", next.inputs}};
  }
  static Json Of(const Repeat& repeat) {
    Json json = {{"min", repeat.min}, {"max", repeat.max}, {"budget_ms", repeat.budget_ms}};
    if (repeat.warmup != 0) json["warmup"] = repeat.warmup;
    if (repeat.relative_error != 0) json["relative_error"] = repeat.relative_error;
    return json;
  }
  template <typename T>
  static Json Of(const std::vector<T>& items) {
    Json list = Json::array();
    for (const T& item : items) list.push_back(Of(item));
    return list;
  }

  Json& json_;
};

// A `T`, const for a writer.
template <typename T, typename Plain>
concept Either = std::same_as<std::remove_const_t<T>, Plain>;

// The keys of the fields, each once for the reader and the writer.
void EachField(auto& io, Either<Request> auto& request) {
  io.Always("case", request.case_id);
  io("file", request.file);
  io.Always("dir", request.dir);
  io("op", request.op);
  io("inputs", request.inputs);
  io("outputs", request.outputs);
  io("grid", request.grid);
  io("shardings", request.shardings);
  io("partitioner", request.partitioner);
  io("input_ranges", request.input_ranges);
  io("after", request.after);
  io("save_intermediates", request.save_intermediates);
  io.Always("policy", request.policy.name);
  io("policy_file", request.policy.file);
  io.Always("seed", request.seed);
  io("target", request.target);
  io("arithmetic", request.arithmetic);
}

void EachField(auto& io, Either<InputsVerb> auto& inputs) { io("earlier", inputs.earlier); }

void EachField(auto& io, Either<CompileVerb> auto& compile) {
  io("keep", compile.keep);
  io("verbatim", compile.verbatim);
  io("until", compile.until);
  io("artifact", compile.artifact);
}

void EachField(auto& io, Either<CompileBatchVerb> auto& batch) { io("members", batch.members); }

void EachField(auto& io, Either<ExecuteVerb> auto& execute) {
  io("repeat", execute.repeat);
  io("spans", execute.spans);
  io("host_clock", execute.host_clock);
  io("profile", execute.profile);
  io("artifact", execute.artifact);
  io("next", execute.next);
}

void EachField(auto& io, Either<CompareVerb> auto& compare) {
  io("input_digests", compare.input_digests);
  io("own_inputs", compare.own_inputs);
}

void EachField(auto& /*io*/, Either<ReleaseVerb> auto& /*release*/) {}
void EachField(auto& /*io*/, Either<UnknownVerb> auto& /*unknown*/) {}

template <typename... Known>
Verb VerbNamed(const std::string& name, const std::variant<UnknownVerb, Known...>& /*all*/) {
  Verb verb = UnknownVerb{name};
  const auto take = [&](auto known) {
    if (name == known.kName) verb = known;
  };
  (take(Known()), ...);
  return verb;
}

}  // namespace

std::string_view NameOf(const Verb& verb) {
  return std::visit(
      [](const auto& one) -> std::string_view {
        if constexpr (requires { one.kName; })
          return one.kName;
        else
          return one.name;
      },
      verb);
}

Expected<Request> ParseRequest(std::string_view text) {
  const Json json = ParseJson(text).value_or(Json());
  if (!json.is_object()) {
    return MakeError(ExitCode::kBadInput, fmt::format("a request is no JSON object: '{}'", Quote(text)));
  }
  Fields fields(json, "a request");
  Reader reader(fields);
  Request request;
  request.id = fields.Integer("id", -1, 0, kMaxInteger);
  request.verb = VerbNamed(fields.Text("verb"), Verb());
  EachField(reader, request);
  std::visit([&](auto& verb) { EachField(reader, verb); }, request.verb);
  if (!fields.error().empty()) return MakeError(ExitCode::kBadInput, "the parent " + fields.error());
  if (request.id < 0 || NameOf(request.verb).empty()) {
    return MakeError(ExitCode::kBadInput, fmt::format("a request needs 'id' and 'verb': '{}'", Quote(text)));
  }
  return request;
}

std::string ToJson(const Request& request) {
  Json json = {{"id", request.id}, {"verb", NameOf(request.verb)}};
  Writer writer(json);
  EachField(writer, request);
  std::visit([&](const auto& verb) { EachField(writer, verb); }, request.verb);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace opbyop::protocol
