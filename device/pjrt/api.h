// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Wraps PJRT's C interface in values: each function of the table is found by the type of its arguments, errors have a
// code and a text, and objects destroy themselves.
//
//   Expected<Api> api = Api::Of(GetPjrtApi());
//   auto args = Arguments<PJRT_Client_Devices_Args>();
//   args.client = client;
//   if (Result<void> called = api->Call(args); !called) return Unexpected(ToError(called.error()));
//
// Each argument struct has the size of the newest version that this program and the plugin know, and stands in a block
// of its own (argument_block.h), because a plugin may write beyond the size that it was told.
//
// A function is absent if it lies beyond the size that the plugin states for its table, or if its slot is null. It is
// never called; the error is UNIMPLEMENTED with the function's name. All of this also works on a table in memory,
// without a plugin.
#ifndef OPBYOP_DEVICE_PJRT_API_H_
#define OPBYOP_DEVICE_PJRT_API_H_

#include <pjrt_c_api.h>

#include <initializer_list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "device/pjrt/argument_block.h"
#include "device/pjrt/functions.h"
#include "support/expected.h"

namespace opbyop::pjrt {

// A call that failed.
struct CallError {
  std::string function;                // "PJRT_Client_Compile"
  int code = PJRT_Error_Code_UNKNOWN;  // a PJRT_Error_Code, or any other number that the plugin returned
  std::string message;                 // the plugin's text; empty if it gave none
  bool absent = false;                 // the plugin has no such function

  // Whether the plugin says that it does not support the call, rather than that something is wrong: by the error code
  // or, for a custom call without a handler, by the text.
  bool unsupported() const;
};

template <typename T>
using Result = tl::expected<T, CallError>;

// The name of the code: "INVALID_ARGUMENT"; "code 99" for a number that the interface does not define.
std::string CodeName(int code);

// Returns kUnsupported if the plugin says that it does not support the call, else kBadInput: "INTERNAL: no kernel for
// f64".
Error ToError(const CallError& error);

// The function table of a plugin. It lives as long as the process.
class Api {
 public:
  // Returns kBadInput if the table is null, too short to hold its version, or of another major version.
  static Expected<Api> Of(const PJRT_Api* table);

  int major_version() const { return table_->pjrt_api_version.major_version; }
  int minor_version() const { return table_->pjrt_api_version.minor_version; }

  template <typename Args>
  bool Has() const {
    return Slot(Function<Args>::kSlot) != nullptr;
  }

  // `nested` are the structs that `args` points to.
  template <typename Args, typename... Nested>
  Result<void> Call(Args& args, const ArgumentBlock<Nested>&... nested) const {
    return CallInBlock(Function<Args>::kName, Slot(Function<Args>::kSlot), BytesOf<Args>(), args, nested...);
  }

  // Calls a function of an extension, which may be null. Its struct has no extensions of its own.
  template <typename Args>
  Result<void> CallExtension(std::string_view name, void* function, Args& args) const {
    return CallInBlock(name, reinterpret_cast<PJRT_Error* (*)(Args*)>(function), PjrtStructBytes<Args>::kNewest, args);
  }

  // Calls with the size that the struct has in pjrt_c_api.h, as an older program would. Returns the number of bytes
  // that the plugin overwrote behind it. The outcome of the call is ignored.
  template <typename Args>
  size_t OverrunOfOlderStruct(const Args& args) const {
    const auto function = Slot(Function<Args>::kSlot);
    if (function == nullptr) return 0;
    constexpr std::byte kFill{0xa5};
    ArgumentBlock<Args> block(args, PjrtStructBytes<Args>::kHeader, kFill);
    if (PJRT_Error* error = function(block.get())) Take(Function<Args>::kName, error);
    return block.Overrun();
  }

  // The size of a struct that the plugin is told: the newest known one, or pjrt_c_api.h's if the plugin is not newer.
  template <typename Struct>
  size_t BytesOf() const {
    return minor_version() > PJRT_API_MINOR ? PjrtStructBytes<Struct>::kNewest : PjrtStructBytes<Struct>::kHeader;
  }

  // The calls that wrote behind a struct, each function once: "PJRT_Device_MemoryStats wrote 16 bytes behind a struct
  // of 185 bytes".
  std::vector<std::string> Overruns() const;

  // The functions of pjrt_c_api.h that this plugin lacks.
  std::vector<std::string_view> AbsentFunctions() const;

  // The first extension in the plugin's own list, or null if the list is empty.
  const PJRT_Extension_Base* extensions() const { return table_->extension_start; }

  // The extension of this kind, a PJRT_Extension_Type or a newer number, in the plugin's list; null if it has none.
  const PJRT_Extension_Base* FindExtension(int type) const;

  // Reads and destroys an error that `function` returned or passed to a callback.
  CallError Take(std::string_view function, PJRT_Error* error) const;

 private:
  // The bytes that a call wrote behind a struct.
  struct Write {
    size_t struct_bytes, beyond;
    bool damaged;
  };

  struct Log {
    std::mutex mutex;
    std::vector<std::pair<std::string, std::string>> overruns;  // function, sentence
  };

  // Calls a function, which may be null, with `args` in a block of which the plugin is told `bytes`.
  template <typename Args, typename... Nested>
  Result<void> CallInBlock(std::string_view name, PJRT_Error* (*function)(Args*), size_t bytes, Args& args,
                           const ArgumentBlock<Nested>&... nested) const {
    if (function == nullptr) return tl::unexpected(Absent(name));
    ArgumentBlock<Args> block(args, bytes);
    PJRT_Error* error = function(block.get());
    args = block.value();
    Result<void> watched = Watch(name, {WriteOf(block), WriteOf(nested)...});
    if (error != nullptr) return tl::unexpected(Take(name, error));
    return watched;
  }

  explicit Api(const PJRT_Api* table) : table_(table), log_(std::make_shared<Log>()) {}

  template <typename Struct>
  static Write WriteOf(const ArgumentBlock<Struct>& block) {
    return {block.struct_bytes(), block.Overrun(), block.IsDamaged()};
  }

  // Notes what was written behind structs; the error of a call that damaged memory of this process.
  Result<void> Watch(std::string_view function, std::initializer_list<Write> writes) const;

  template <typename Function>
  Function* Slot(Function* PJRT_Api::* slot) const {
    Function* const* place = &(table_->*slot);
    const auto end = reinterpret_cast<uintptr_t>(place + 1) - reinterpret_cast<uintptr_t>(table_);
    return end <= table_->struct_size ? *place : nullptr;
  }

  CallError Absent(std::string_view function) const;

  const PJRT_Api* table_;
  std::shared_ptr<Log> log_;  // of all copies
};

// Destroys an object of the plugin. An error of the destruction is only printed, because nobody could act on it.
class Destroyer {
 public:
  explicit Destroyer(const Api& api) : api_(api) {}

  void operator()(PJRT_Event* event) const;
  void operator()(PJRT_Client* client) const;
  void operator()(PJRT_Buffer* buffer) const;
  void operator()(PJRT_Executable* executable) const;
  void operator()(PJRT_LoadedExecutable* executable) const;
  void operator()(PJRT_TopologyDescription* topology) const;

 private:
  Api api_;
};

template <typename Object>
using Owned = std::unique_ptr<Object, Destroyer>;

template <typename Object>
Owned<Object> Own(const Api& api, Object* object) {
  return Owned<Object>(object, Destroyer(api));
}

// The error of a call that succeeded without giving what it had to give.
CallError MissingResultError(std::string_view function, std::string_view what);

// Converts text that a plugin gave; a null pointer is the empty text.
inline std::string_view TextOf(const char* text, size_t size) {
  return text == nullptr ? std::string_view() : std::string_view(text, size);
}

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_API_H_
