// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/optrace/optrace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <tuple>
#include <type_traits>
#include <utility>

#include "manifests/formats/json.h"
#include "manifests/results/results_file.h"

namespace opbyop::optrace {
namespace {

using nlohmann::json;

// How a member of a record occurs in a line. kNeeded: it must exist. kWritten: it is always written, but may be absent.
// kUnlessDefault: it is written if it differs from the default record.
enum class Presence { kNeeded, kWritten, kUnlessDefault };
using enum Presence;

template <typename Record, typename T>
struct Field {
  const char* key;
  T Record::* member;
  Presence presence = kWritten;
};

// The fields of each record type, in the order of the line. Writing and reading use the same table.
template <typename Record>
constexpr std::nullptr_t kFields = nullptr;

template <>
constexpr auto kFields<TensorType> =
    std::tuple(Field{"shape", &TensorType::shape, kNeeded}, Field{"dtype", &TensorType::dtype, kNeeded});

template <>
constexpr auto kFields<TraceDevice> = std::tuple(
    Field{"id", &TraceDevice::id}, Field{"name", &TraceDevice::name}, Field{"cores", &TraceDevice::cores},
    Field{"peak_gflops", &TraceDevice::peak_gflops}, Field{"peak_gb_per_s", &TraceDevice::peak_gb_per_s},
    Field{"call_ps", &TraceDevice::call_ps, kUnlessDefault}, Field{"peak_source", &TraceDevice::peak_source});

template <>
constexpr auto kFields<Header> =
    std::tuple(Field{"run_id", &Header::run_id}, Field{"command", &Header::command}, Field{"model", &Header::model},
               Field{"target", &Header::target}, Field{"toolchain", &Header::toolchain}, Field{"start", &Header::start},
               Field{"devices", &Header::devices}, Field{"warmup", &Header::warmup},
               Field{"iterations", &Header::iterations}, Field{"resolution_ps", &Header::resolution_ps},
               Field{"mode", &Header::mode}, Field{"overlap", &Header::overlap, kUnlessDefault});

template <>
constexpr auto kFields<Op> =
    std::tuple(Field{"id", &Op::id, kNeeded}, Field{"case", &Op::case_id}, Field{"hlo", &Op::hlo, kNeeded},
               Field{"framework", &Op::framework}, Field{"path", &Op::path}, Field{"location", &Op::location},
               Field{"text", &Op::text}, Field{"operands", &Op::operands}, Field{"results", &Op::results},
               Field{"flops", &Op::flops}, Field{"bytes", &Op::bytes}, Field{"category", &Op::category});

template <>
constexpr auto kFields<Span> = std::tuple(
    Field{"id", &Span::id, kNeeded}, Field{"section", &Span::section, kNeeded},
    Field{"start_ps", &Span::start_ps, kNeeded}, Field{"dur_ps", &Span::dur_ps, kNeeded},
    Field{"op", &Span::op, kUnlessDefault}, Field{"name", &Span::name, kUnlessDefault},
    Field{"flow", &Span::flow, kUnlessDefault}, Field{"bytes", &Span::bytes, kUnlessDefault},
    Field{"iteration", &Span::iteration, kUnlessDefault}, Field{"device", &Span::device, kUnlessDefault},
    Field{"core", &Span::core, kUnlessDefault}, Field{"clock", &Span::clock, kUnlessDefault},
    Field{"exactness", &Span::exactness, kUnlessDefault}, Field{"start_bounds_ps", &Span::start_bounds, kUnlessDefault},
    Field{"dur_bounds_ps", &Span::duration_bounds, kUnlessDefault});

template <>
constexpr auto kFields<OpRun> =
    std::tuple(Field{"op", &OpRun::op, kNeeded}, Field{"status", &OpRun::status}, Field{"stage", &OpRun::stage},
               Field{"diagnostic", &OpRun::diagnostic}, Field{"n", &OpRun::n}, Field{"min_ps", &OpRun::min_ps},
               Field{"median_ps", &OpRun::median_ps}, Field{"p95_ps", &OpRun::p95_ps}, Field{"max_ps", &OpRun::max_ps},
               Field{"clock", &OpRun::clock, kUnlessDefault});

template <>
constexpr auto kFields<OutputCompare> =
    std::tuple(Field{"op", &OutputCompare::op, kNeeded}, Field{"mode", &OutputCompare::mode},
               Field{"comparison", &OutputCompare::comparison, kNeeded}, Field{"cpu", &OutputCompare::cpu},
               Field{"device_values", &OutputCompare::device});

template <>
constexpr auto kFields<Instruction> = std::tuple(
    Field{"track", &Instruction::track, kNeeded}, Field{"name", &Instruction::name, kNeeded},
    Field{"start_ps", &Instruction::start_ps, kNeeded}, Field{"dur_ps", &Instruction::dur_ps, kNeeded},
    Field{"device", &Instruction::device, kUnlessDefault}, Field{"category", &Instruction::category, kUnlessDefault},
    Field{"ops", &Instruction::ops, kUnlessDefault}, Field{"bytes", &Instruction::bytes, kUnlessDefault},
    Field{"live_bytes", &Instruction::live_bytes, kUnlessDefault},
    Field{"wire_bytes", &Instruction::wire_bytes, kUnlessDefault});

template <>
constexpr auto kFields<Warning> = std::tuple(Field{"text", &Warning::text, kNeeded});

template <>
constexpr auto kFields<Footer> = std::tuple(Field{"wall_ps", &Footer::wall_ps}, Field{"spans", &Footer::spans},
                                            Field{"whole_model_ps", &Footer::whole_model_ps},
                                            Field{"whole_model_clock", &Footer::whole_model_clock, kUnlessDefault},
                                            Field{"whole_model_status", &Footer::whole_model_status, kUnlessDefault},
                                            Field{"whole_model_verdict", &Footer::whole_model_verdict, kUnlessDefault});

// The names of the records, in the order of Record.
constexpr std::array<std::string_view, std::variant_size_v<Record>> kKinds = {
    "header", "op", "span", "op_run", "output_compare", "instruction", "warning", "footer"};

// The names of an enumeration's values, in order.
template <typename Enum>
constexpr std::nullptr_t kNames = nullptr;
template <>
constexpr auto kNames<RunMode> = std::to_array<std::string_view>({"chained", "whole", "estimate"});
template <>
constexpr auto kNames<CompareMode> = std::to_array<std::string_view>({"accumulated", "isolated"});
template <>
constexpr auto kNames<Section> = std::to_array<std::string_view>(
    {"overview", "control", "execution", "devices", "data_transfer", "compile", "compare"});
template <>
constexpr auto kNames<Exactness> = std::to_array<std::string_view>({"exact", "bounded"});
template <>
constexpr auto kNames<Clock> = std::to_array<std::string_view>({"host", "device", "estimate", "mixed"});

// The value for a name from a later version; nullopt: such a file is refused.
template <typename Enum>
constexpr std::optional<Enum> kUnknown = std::nullopt;
template <>
constexpr std::optional<Section> kUnknown<Section> = Section::kControl;
template <>
constexpr std::optional<Exactness> kUnknown<Exactness> = Exactness::kExact;

template <typename Enum>
std::string_view NameOf(Enum value) {
  return kNames<Enum>[static_cast<size_t>(value)];
}

template <typename Enum>
std::optional<Enum> ValueOf(std::string_view name) {
  const auto found = std::ranges::find(kNames<Enum>, name);
  if (found == kNames<Enum>.end()) return kUnknown<Enum>;
  return static_cast<Enum>(found - kNames<Enum>.begin());
}

[[noreturn]] void ThrowUnknown(const json& value) {
  constexpr int kOther = 501;  // the library's error id for other errors
  throw json::other_error::create(kOther, fmt::format("{} is not known here", value.dump()), &value);
}

template <typename T>
constexpr bool kHasFields = !std::is_same_v<decltype(kFields<T>), const std::nullptr_t>;

template <typename Record, typename Visit>
void ForEachField(Visit&& visit) {
  std::apply([&](const auto&... field) { (visit(field), ...); }, kFields<Record>);
}

std::string Dump(const json& object) { return object.dump(-1, ' ', false, json::error_handler_t::replace); }

void Append(int64_t value, std::string& out) { fmt::format_to(std::back_inserter(out), "{}", value); }
void Append(bool value, std::string& out) { out += value ? "true" : "false"; }

// JSON has no infinity; fields that may be infinite hold a text instead (manifests/results/result.h).
void Append(double value, std::string& out) {
  std::isfinite(value) ? void(fmt::format_to(std::back_inserter(out), "{}", value)) : void(out += "null");
}

void Append(std::string_view text, std::string& out) {
  const bool plain = std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; });
  if (!plain) {
    out += Dump(text);
    return;
  }
  out += '"';
  out += text;
  out += '"';
}

template <typename Enum>
  requires std::is_enum_v<Enum>
void Append(Enum value, std::string& out) {
  Append(NameOf(value), out);
}
void Append(std::optional<Status> status, std::string& out) { Append(StatusText(status), out); }
void Append(const std::optional<Bounds>& bounds, std::string& out) {
  fmt::format_to(std::back_inserter(out), "[{},{}]", bounds->min_ps, bounds->max_ps);
}
void Append(const Comparison& comparison, std::string& out) { out += Dump(comparison); }

template <typename T>
  requires kHasFields<T>
void Append(const T& record, std::string& out);

template <typename T>
void Append(const std::vector<T>& list, std::string& out) {
  out += '[';
  for (size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out += ',';
    Append(list[i], out);
  }
  out += ']';
}

template <typename T>
void AppendFields(const T& record, std::string& out) {
  static const T kDefault{};
  ForEachField<T>([&](const auto& field) {
    const auto& value = record.*field.member;
    if constexpr (requires { value == value; }) {
      if (field.presence == kUnlessDefault && value == kDefault.*field.member) return;
    }
    if (out.back() != '{') out += ',';
    out += '"';
    out += field.key;
    out += "\":";
    Append(value, out);
  });
}

template <typename T>
  requires kHasFields<T>
void Append(const T& record, std::string& out) {
  out += '{';
  AppendFields(record, out);
  out += '}';
}

template <typename T>
void Read(const json& value, T& into);

template <typename T>
T ReadRecord(const json& object) {
  T record;
  ForEachField<T>([&](const auto& field) {
    const auto it = object.find(field.key);
    if (it != object.end()) {
      Read(*it, record.*field.member);
    } else if (field.presence == kNeeded) {
      object.at(field.key);  // throws and names the key
    }
  });
  return record;
}

template <typename T>
void Read(const json& value, T& into) {
  if constexpr (kHasFields<T>) {
    into = ReadRecord<T>(value);
  } else if constexpr (std::is_enum_v<T>) {
    const std::optional<T> known = ValueOf<T>(value.get<std::string>());
    if (!known) ThrowUnknown(value);
    into = *known;
  } else if constexpr (std::is_same_v<T, std::optional<Status>>) {
    const auto name = value.get<std::string>();
    into = ParseStatus(name);
    if (!into && !name.empty()) ThrowUnknown(value);
  } else if constexpr (std::is_same_v<T, std::optional<Bounds>>) {
    into = Bounds{IntegerOf<int64_t>(value.at(0)), IntegerOf<int64_t>(value.at(1))};
  } else if constexpr (requires { requires kHasFields<typename T::value_type>; }) {
    for (const json& item : value) into.push_back(ReadRecord<typename T::value_type>(item));
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    into = IntegerOf<T>(value);
  } else {
    into = value.get<T>();
  }
}

template <size_t kIndex = 0>
Record ReadKind(std::string_view kind, const json& object) {
  if constexpr (kIndex < kKinds.size()) {
    if (kind == kKinds[kIndex]) return ReadRecord<std::variant_alternative_t<kIndex, Record>>(object);
    return ReadKind<kIndex + 1>(kind, object);
  } else {
    // A record kind from a later version is noted, so that it is not lost silently.
    return Warning{fmt::format("unknown record kind '{}' skipped", kind)};
  }
}

}  // namespace

std::string_view ToString(RunMode mode) { return NameOf(mode); }
std::string_view ToString(CompareMode mode) { return NameOf(mode); }
std::string_view ToString(Section section) { return NameOf(section); }
std::string_view ToString(Exactness exactness) { return NameOf(exactness); }
std::string_view ToString(Clock clock) { return NameOf(clock); }
std::string_view StatusText(std::optional<Status> status) { return status ? opbyop::ToString(*status) : ""; }

void AppendLine(const Record& record, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{{\"record\":\"{}\"", kKinds[record.index()]);
  if (std::holds_alternative<Header>(record)) fmt::format_to(std::back_inserter(out), ",\"schema\":\"{}\"", kSchema);
  std::visit([&](const auto& value) { AppendFields(value, out); }, record);
  out += "}\n";
}

json ToJson(const Record& record) {
  std::string line;
  AppendLine(record, line);
  return *ParseJson(line);
}

Record FromJson(const json& object) { return ReadKind(object.at("record").get<std::string>(), object); }

}  // namespace opbyop::optrace
