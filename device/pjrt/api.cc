// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

#include "device/pjrt/raw_enum.h"

namespace opbyop::pjrt {
namespace {

// The bytes up to the end of the table's version, which determines how the rest is read.
constexpr size_t kHeadBytes = offsetof(PJRT_Api, pjrt_api_version) + sizeof(PJRT_Api_Version);

// A longer list is taken to have no end.
constexpr int kMostExtensions = 1000;

constexpr std::array<std::string_view, 17> kCodes = {
    "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED"};

void Note(const Result<void>& destroyed) {
  if (destroyed) return;
  fmt::print(stderr, "{}: {}\n", destroyed.error().function, ToError(destroyed.error()).message);
}

}  // namespace

bool CallError::unsupported() const {
  if (code == PJRT_Error_Code_UNIMPLEMENTED || code == PJRT_Error_Code_NOT_FOUND) return true;
  constexpr std::array<std::string_view, 5> kNoHandler = {
      "No registered implementation for",  // XLA's compilers
      "No FFI handler registered for",
      "Unknown custom call target",
      "Custom call target not found",
      "failed to legalize operation 'stablehlo.custom_call'",  // MLIR's conversions
  };
  return std::ranges::any_of(kNoHandler,
                             [&](std::string_view words) { return message.find(words) != std::string::npos; });
}

std::string CodeName(int code) {
  const auto index = static_cast<size_t>(code);
  return index < kCodes.size() ? std::string(kCodes[index]) : fmt::format("code {}", code);
}

Error ToError(const CallError& error) {
  const ExitCode code = error.unsupported() ? ExitCode::kUnsupported : ExitCode::kBadInput;
  if (error.message.empty()) {
    return {code, fmt::format("{}: {} failed without saying why", CodeName(error.code), error.function)};
  }
  // XLA's own messages often start with the name of their code.
  const std::string name = CodeName(error.code);
  if (error.message.starts_with(name + ":")) return {code, error.message};
  return {code, fmt::format("{}: {}", name, error.message)};
}

CallError MissingResultError(std::string_view function, std::string_view what) {
  return {std::string(function), PJRT_Error_Code_INTERNAL, fmt::format("{} succeeded and gave no {}", function, what)};
}

Expected<Api> Api::Of(const PJRT_Api* table) {
  if (table == nullptr) return MakeError(ExitCode::kBadInput, "GetPjrtApi gave no table of functions");
  if (table->struct_size < kHeadBytes) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("GetPjrtApi gave a table of {} bytes, too short for its version", table->struct_size));
  }
  if (table->pjrt_api_version.major_version != PJRT_API_MAJOR) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("the plugin speaks version {}.{} of PJRT's C interface, this program {}.{}: functions "
                                 "of another major version cannot be called",
                                 table->pjrt_api_version.major_version, table->pjrt_api_version.minor_version,
                                 PJRT_API_MAJOR, PJRT_API_MINOR));
  }
  return Api(table);
}

CallError Api::Absent(std::string_view function) const {
  return {std::string(function), PJRT_Error_Code_UNIMPLEMENTED,
          fmt::format("the plugin has no {} (its interface is {}.{})", function, major_version(), minor_version()),
          true};
}

std::vector<std::string_view> Api::AbsentFunctions() const {
  std::vector<std::string_view> absent;
#define OPBYOP_PJRT_CHECK(function) \
  if (!Has<function##_Args>()) absent.push_back(#function);
  OPBYOP_PJRT_FUNCTIONS(OPBYOP_PJRT_CHECK)
#undef OPBYOP_PJRT_CHECK
  if (Slot(&PJRT_Api::PJRT_Error_Destroy) == nullptr) absent.push_back("PJRT_Error_Destroy");
  if (Slot(&PJRT_Api::PJRT_Error_Message) == nullptr) absent.push_back("PJRT_Error_Message");
  return absent;
}

const PJRT_Extension_Base* Api::FindExtension(PJRT_Extension_Type type) const {
  const PJRT_Extension_Base* extension = extensions();
  for (int i = 0; i < kMostExtensions && extension != nullptr; ++i, extension = extension->next) {
    // An older form of the struct does not start with a size, and its fields are at other offsets.
    if (extension->struct_size < PJRT_Extension_Base_STRUCT_SIZE) break;
    if (RawEnum(extension->type) == type) return extension;
  }
  return nullptr;
}

CallError Api::Take(std::string_view function, PJRT_Error* error) const {
  CallError taken = {.function = std::string(function)};
  if (const auto get_code = Slot(&PJRT_Api::PJRT_Error_GetCode)) {
    auto args = Arguments<PJRT_Error_GetCode_Args>();
    args.error = error;
    PJRT_Error* second = get_code(&args);
    // If a plugin fails to return the code of an error, it is not asked for the code of that second error.
    const int code = RawEnum(args.code);
    if (second == nullptr && code != PJRT_Error_Code_OK) taken.code = code;
    if (const auto destroy = Slot(&PJRT_Api::PJRT_Error_Destroy); destroy != nullptr && second != nullptr) {
      PJRT_Error_Destroy_Args destroy_args = {PJRT_Error_Destroy_Args_STRUCT_SIZE, nullptr, second};
      destroy(&destroy_args);
    }
  }
  if (const auto get_message = Slot(&PJRT_Api::PJRT_Error_Message)) {
    PJRT_Error_Message_Args args = {PJRT_Error_Message_Args_STRUCT_SIZE, nullptr, error, nullptr, 0};
    get_message(&args);
    taken.message = TextOf(args.message, args.message_size);
  }
  if (const auto destroy = Slot(&PJRT_Api::PJRT_Error_Destroy)) {
    PJRT_Error_Destroy_Args args = {PJRT_Error_Destroy_Args_STRUCT_SIZE, nullptr, error};
    destroy(&args);
  }
  return taken;
}

void Destroyer::operator()(PJRT_Event* event) const {
  auto args = Arguments<PJRT_Event_Destroy_Args>();
  args.event = event;
  Note(api_.Call(args));
}

void Destroyer::operator()(PJRT_Client* client) const {
  auto args = Arguments<PJRT_Client_Destroy_Args>();
  args.client = client;
  Note(api_.Call(args));
}

void Destroyer::operator()(PJRT_Buffer* buffer) const {
  auto args = Arguments<PJRT_Buffer_Destroy_Args>();
  args.buffer = buffer;
  Note(api_.Call(args));
}

void Destroyer::operator()(PJRT_Executable* executable) const {
  auto args = Arguments<PJRT_Executable_Destroy_Args>();
  args.executable = executable;
  Note(api_.Call(args));
}

void Destroyer::operator()(PJRT_LoadedExecutable* executable) const {
  auto args = Arguments<PJRT_LoadedExecutable_Destroy_Args>();
  args.executable = executable;
  Note(api_.Call(args));
}

void Destroyer::operator()(PJRT_TopologyDescription* topology) const {
  auto args = Arguments<PJRT_TopologyDescription_Destroy_Args>();
  args.topology = topology;
  Note(api_.Call(args));
}

}  // namespace opbyop::pjrt
