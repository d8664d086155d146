// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/meanings/python_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "reference/bounds/bound.h"
#include "reference/bounds/elementwise.h"
#include "reference/meanings/call_attribute.h"
#include "support/files/file.h"
#include "support/files/npy.h"
#include "support/files/temporary_folder.h"
#include "support/process/process.h"

namespace opbyop::reference {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::string_view kFolder = "opbyop-meaning";
constexpr double kSecondsToLoad = 60;

// Beside what Python and NumPy need, for a function's intermediate results.
constexpr int64_t kMostBytes = int64_t{4} << 30;

// Runs python_call.py on the request. The only folder that it may write to is `folder`.
Expected<Json> Ask(const fs::path& file, const fs::path& folder, const Json& request, double seconds) {
  const fs::path script = folder / PythonScripts().front().name;
  if (const auto done = WriteFile(script, PythonScripts().front().text); !done) return Unexpected(done.error());
  if (const auto done = WriteFile(folder / "request.json", request.dump()); !done) return Unexpected(done.error());
  const char* chosen = std::getenv("OPBYOP_PYTHON");
  const std::string python = chosen == nullptr || *chosen == '\0' ? "python3" : chosen;
  const Expected<std::unique_ptr<Process>> process =
      Process::Spawn({.argv = {python, "-B", script.string(), file.string(), folder.string()},
                      .directory = folder,
                      .supervision = Supervision{.writable = {folder}}});
  if (!process) {
    return MakeError(process.error().code, fmt::format("{}: {}; OPBYOP_PYTHON names the Python that runs it",
                                                       file.string(), process.error().message));
  }
  (*process)->CloseRequests();
  const std::optional<Exit> exit =
      (*process)->WaitFor(std::chrono::milliseconds(static_cast<int64_t>(std::ceil(seconds * 1000))));
  if (!exit) {
    (*process)->Kill(std::chrono::milliseconds(0));
    return MakeError(ExitCode::kNoInput, fmt::format("{}: did not end within {:g} s", file.string(), seconds));
  }
  const Expected<std::string> text = ReadFile(folder / "reply.json");
  if (!text) {
    (*process)->DrainLog();
    const std::string log((*process)->log().text());
    return MakeError(ExitCode::kNoInput, fmt::format("{}: `{}` ended with {} and no result{}{}", file.string(), python,
                                                     exit->Describe(), log.empty() ? "" : ": ", log));
  }
  Json reply = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!reply.is_object()) return MakeError(ExitCode::kBadInput, file.string() + ": its reply is no JSON");
  if (reply.contains("error")) return MakeError(ExitCode::kBadInput, reply.value("error", ""));
  return reply;
}

// The type as which NumPy has the elements of a type.
ElementType NumpyType(ElementType type) {
  const ElementTypeInfo& info = Info(type);
  switch (info.kind) {
    case ElementKind::kFloat:
      return ElementType::kF64;
    case ElementKind::kComplex:
      return ElementType::kC128;
    case ElementKind::kInteger:
      if (info.width < 8) return info.is_signed ? ElementType::kI8 : ElementType::kUi8;
      return type;
    default:
      return type;
  }
}

// Describes a result to python_call.py.
Json DescribeResult(ElementType type, const Shape& shape) {
  const ElementTypeInfo& info = Info(type);
  Json result = {{"shape", shape}, {"type", info.name}};
  switch (info.kind) {
    case ElementKind::kFloat:
      result["kind"] = "float";
      break;
    case ElementKind::kComplex:
      result["kind"] = "complex";
      break;
    case ElementKind::kInteger:
      result["kind"] = "integer";
      result["dtype"] = fmt::format("{}int{}", info.is_signed ? "" : "u", std::max(info.width, 8));
      result["least"] = MinInteger(type);
      if (info.is_signed) {
        result["greatest"] = MaxInteger(type);
      } else {
        result["greatest"] = static_cast<uint64_t>(MaxInteger(type));
      }
      break;
    default:
      result["kind"] = "bool";
  }
  return result;
}

// The size of element i, and the distance to its neighbour.
std::pair<double, double> SizeAndUlp(const Tensor& t, size_t i) {
  if (t.kind() == ElementKind::kInteger) {
    const int64_t value = t.data<int64_t>()[i];
    const bool is_signed = Info(t.type()).is_signed;
    return {is_signed ? std::fabs(static_cast<double>(value)) : static_cast<double>(static_cast<uint64_t>(value)), 1};
  }
  const double size = t.kind() == ElementKind::kFloat ? std::fabs(t.data<double>()[i]) : std::abs(t.data<Complex>()[i]);
  return {size, std::isfinite(size) ? FormatOf(t.type()).Ulp(size) : 0};
}

void SetStatedBound(const PythonFunction& stated, bool inexact, Tensor& result) {
  const bool exact = stated.ulps == 0 && stated.relative == 0 && stated.absolute == 0;
  if (inexact) {
    OpenWhere(result, "operands of a Python function are inexact", [](int64_t) { return true; });
    return;
  }
  if (exact || result.kind() == ElementKind::kBool) return;
  auto bound = MakeBound(result.size(), ToText(stated), 1);
  bound->zero_sign_free = true;
  const std::span<double> errors = MutableSpan(*bound);
  for (size_t i = 0; i < errors.size(); ++i) {
    const auto [size, ulp] = SizeAndUlp(result, i);
    errors[i] = std::isfinite(size) ? stated.ulps * ulp + stated.relative * size + stated.absolute : 0;
  }
  result.set_bound(std::move(bound));
}

}  // namespace

std::string ToText(const PythonFunction& function) {
  std::vector<std::string> parts;
  if (function.ulps > 0) parts.push_back(fmt::format("{:g} ulp", function.ulps));
  if (function.relative > 0) parts.push_back(fmt::format("{:g} of the result", function.relative));
  if (function.absolute > 0) parts.push_back(fmt::format("{:g}", function.absolute));
  return parts.empty() ? "bit for bit" : fmt::format("within {}", fmt::join(parts, " + "));
}

Expected<PythonFile> PythonFile::Load(const fs::path& path) {
  PythonFile file;
  std::error_code error;
  file.path_ = fs::absolute(path, error);
  if (const Expected<std::string> text = ReadFile(file.path_); !text) return Unexpected(text.error());
  const Expected<TemporaryFolder> folder = TemporaryFolder::Make(kFolder);
  if (!folder) return Unexpected(folder.error());
  const Expected<Json> reply = Ask(file.path_, folder->path(), {{"describe", true}}, kSecondsToLoad);
  if (!reply) return Unexpected(reply.error());
  const Json meanings = reply->value("meanings", Json::object());
  for (const auto& [name, described] : meanings.items()) {
    const Json tolerance = described.value("tolerance", Json::object());
    std::map<size_t, DeclaredInput> inputs;
    for (const Json& input : described.value("inputs", Json::array())) {
      const Json& demand = input["demand"];
      DeclaredInput& declared = inputs[input["operand"].get<size_t>()];
      if (demand.is_string()) {
        declared.matrix = MatrixNamed(demand.get<std::string>()).value_or(Matrix::kNone);
      } else {
        declared.range = {demand[0].get<double>(), demand[1].get<double>()};
      }
    }
    file.functions_[name] = {.ulps = tolerance.value("ulps", 0.0),
                             .relative = tolerance.value("relative", 0.0),
                             .absolute = tolerance.value("absolute", 0.0),
                             .seconds = described.value("seconds", 0.0),
                             .inputs = std::move(inputs)};
  }
  if (file.functions_.empty()) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("{} defines nothing: expected functions with a tolerance, of the names of custom "
                                 "calls or in a table MEANINGS",
                                 path.string()));
  }
  return file;
}

Expected<Values> PythonFile::Call(const std::string& function, const OpContext& context) const {
  const auto fail = [&](const Error& error) {
    return context.Fail(error.code, fmt::format("@{}: {}", function, error.message));
  };
  const Expected<TemporaryFolder> folder = TemporaryFolder::Make(kFolder);
  if (!folder) return fail(folder.error());
  const fs::path& dir = folder->path();
  Json request = {{"describe", false},
                  {"name", function},
                  {"attributes", CallAttributes(context.op)},
                  {"operands", context.size()},
                  {"results", Json::array()}};
  int64_t bytes = kMostBytes;
  bool inexact = false;
  for (size_t i = 0; i < context.size(); ++i) {
    if (!context.operands[i].is_tensor())
      return context.Unsupported("an operand of @" + function + " that is no tensor");
    const Tensor operand = context.in(i).Retyped(NumpyType(context.in(i).type()));
    inexact = inexact || HasErrors(context.in(i));
    const auto written =
        WriteNpy(dir / fmt::format("operand_{}.npy", i), operand.tensor_type(), TensorToBytes(operand));
    if (!written) return fail(written.error());
    bytes += 8 * StoredBytes(operand.type()) * operand.size();
  }
  std::vector<ElementType> types;
  std::vector<Shape> shapes;
  for (unsigned i = 0; i < context.op->getNumResults(); ++i) {
    const Expected<ElementType> type = context.ResultType(i);
    const Expected<Shape> shape = context.ResultShape(i);
    if (!type) return Unexpected(type.error());
    if (!shape) return Unexpected(shape.error());
    request["results"].push_back(DescribeResult(*type, *shape));
    types.push_back(*type);
    shapes.push_back(*shape);
    bytes += 8 * StoredBytes(NumpyType(*type)) * SizeOf(*shape);
  }
  request["most_bytes"] = bytes;
  const PythonFunction& stated = functions_.at(function);
  if (const Expected<Json> reply = Ask(path_, dir, request, stated.seconds); !reply) return fail(reply.error());
  Values results;
  for (size_t i = 0; i < types.size(); ++i) {
    const Expected<NpyFile> file = ReadNpy(dir / fmt::format("result_{}.npy", i));
    if (!file) return fail(file.error());
    Expected<Tensor> read = TensorFromBytes(NumpyType(types[i]), shapes[i], file->bytes());
    if (!read) return fail(read.error());
    Tensor result = read->Retyped(types[i]);
    RoundResult(result);
    if (context.bounds()) SetStatedBound(stated, inexact, result);
    results.emplace_back(std::move(result));
  }
  return results;
}

}  // namespace opbyop::reference
