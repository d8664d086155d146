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

const PJRT_Extension_Base* Api::FindExtension(int type) const {
  const PJRT_Extension_Base* extension = extensions();
  for (int i = 0; i < kMostExtensions && extension != nullptr; ++i, extension = extension->next) {
    // An older form of the struct does not start with a size, and its fields are at other offsets.
    if (extension->struct_size < PJRT_Extension_Base_STRUCT_SIZE) break;
    if (RawEnum(extension->type) == type) return extension;
  }
  return nullptr;
}

Result<void> Api::Watch(std::string_view function, std::initializer_list<Write> writes) const {
  for (const Write& write : writes) {
    if (write.beyond == 0) continue;
    const std::string sentence =
        fmt::format("{} wrote {} bytes behind a struct of {} bytes", function, write.beyond, write.struct_bytes);
    {
      const std::lock_guard lock(log_->mutex);
      const bool is_known =
          std::ranges::any_of(log_->overruns, [&](const auto& each) { return each.first == function; });
      if (!is_known) log_->overruns.emplace_back(function, sentence);
    }
    if (write.damaged) {
      return tl::unexpected(CallError{
          std::string(function), PJRT_Error_Code_INTERNAL,
          fmt::format("{}, over memory of its caller: the plugin (interface {}.{}) ignores the struct_size that it was "
                      "told",
                      sentence, major_version(), minor_version())});
    }
  }
  return {};
}

std::vector<std::string> Api::Overruns() const {
  const std::lock_guard lock(log_->mutex);
  std::vector<std::string> sentences;
  for (const auto& [function, sentence] : log_->overruns) sentences.push_back(sentence);
  return sentences;
}

CallError Api::Take(std::string_view function, PJRT_Error* error) const {
  CallError taken = {.function = std::string(function)};
  const auto destroy = [this](PJRT_Error* error) {
    const auto call = Slot(&PJRT_Api::PJRT_Error_Destroy);
    if (call == nullptr) return;
    ArgumentBlock<PJRT_Error_Destroy_Args> block({.error = error}, BytesOf<PJRT_Error_Destroy_Args>());
    call(block.get());
    (void)Watch("PJRT_Error_Destroy", {WriteOf(block)});
  };
  if (const auto get_code = Slot(&PJRT_Api::PJRT_Error_GetCode)) {
    ArgumentBlock<PJRT_Error_GetCode_Args> block({.error = error}, BytesOf<PJRT_Error_GetCode_Args>());
    PJRT_Error* second = get_code(block.get());
    (void)Watch("PJRT_Error_GetCode", {WriteOf(block)});
    // If a plugin fails to return the code of an error, it is not asked for the code of that second error.
    const int code = RawEnum(block.value().code);
    if (second == nullptr && code != PJRT_Error_Code_OK) taken.code = code;
    if (second != nullptr) destroy(second);
  }
  if (const auto get_message = Slot(&PJRT_Api::PJRT_Error_Message)) {
    ArgumentBlock<PJRT_Error_Message_Args> block({.error = error}, BytesOf<PJRT_Error_Message_Args>());
    get_message(block.get());
    (void)Watch("PJRT_Error_Message", {WriteOf(block)});
    taken.message = TextOf(block.value().message, block.value().message_size);
  }
  destroy(error);
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
