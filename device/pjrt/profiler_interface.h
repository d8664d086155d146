// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The structs of the extension by which a plugin's own profiler records what the device does. pjrt_c_api.h numbers
// this extension and does not describe it.
//
//   const auto* extension =
//       reinterpret_cast<const ProfilerExtension*>(api.FindExtension(PJRT_Extension_Type_Profiler));
//   const ProfilerTable& table = *extension->table;   // may be null; profiler.h checks before it calls
//
// Source: PJRT profiler extension, version 1; the names are this project's. A test with libtpu 0.0.52 confirms the
// layout (real_plugins_test.py). Version 0 had the functions in the extension itself and no table; it is not called.
#ifndef OPBYOP_DEVICE_PJRT_PROFILER_INTERFACE_H_
#define OPBYOP_DEVICE_PJRT_PROFILER_INTERFACE_H_

#include <pjrt_c_api.h>

#include <cstddef>
#include <cstdint>

namespace opbyop::pjrt {

// Opaque objects of the plugin. A profiler's error is not a PJRT_Error: only the profiler's functions can read it.
struct PluginProfiler;
struct PluginProfilerError;

struct ProfilerErrorDestroyArguments {
  size_t struct_size;
  void* priv;
  PluginProfilerError* error;
};

struct ProfilerErrorMessageArguments {
  size_t struct_size;
  void* priv;
  const PluginProfilerError* error;
  const char* message;  // out; lives as long as the error
  size_t message_size;  // out
};

struct ProfilerErrorCodeArguments {
  size_t struct_size;
  void* priv;
  const PluginProfilerError* error;
  int code;  // out
};

struct ProfilerCreateArguments {
  size_t struct_size;
  const char* options;  // a serialized tensorflow.ProfileOptions
  size_t options_size;
  PluginProfiler* profiler;  // out
};

// The arguments of `destroy`, `start` and `stop`.
struct ProfilerArguments {
  size_t struct_size;
  PluginProfiler* profiler;
};

// With a null buffer, the plugin returns the size; some plugins also return the bytes, which remain theirs. With a
// buffer, the plugin fills it. libtpu's size includes a zero byte after the trace.
struct ProfilerCollectArguments {
  size_t struct_size;
  PluginProfiler* profiler;
  uint8_t* buffer;  // in and out
  size_t buffer_size;
};

// All of these functions return null on success.
struct ProfilerTable {
  size_t struct_size;
  void* priv;
  void (*error_destroy)(ProfilerErrorDestroyArguments*);
  void (*error_message)(ProfilerErrorMessageArguments*);
  PluginProfilerError* (*error_code)(ProfilerErrorCodeArguments*);
  PluginProfilerError* (*create)(ProfilerCreateArguments*);
  PluginProfilerError* (*destroy)(ProfilerArguments*);
  PluginProfilerError* (*start)(ProfilerArguments*);
  PluginProfilerError* (*stop)(ProfilerArguments*);
  PluginProfilerError* (*collect)(ProfilerCollectArguments*);
};

struct ProfilerExtension {
  PJRT_Extension_Base base;
  const ProfilerTable* table;
  int64_t trace_context;  // used only in an extension that is an argument
};

static_assert(sizeof(ProfilerErrorDestroyArguments) == 24);
static_assert(offsetof(ProfilerErrorMessageArguments, message) == 24);
static_assert(sizeof(ProfilerErrorMessageArguments) == 40);
static_assert(offsetof(ProfilerErrorCodeArguments, code) == 24);
static_assert(offsetof(ProfilerCreateArguments, profiler) == 24);
static_assert(sizeof(ProfilerCreateArguments) == 32);
static_assert(sizeof(ProfilerArguments) == 16);
static_assert(offsetof(ProfilerCollectArguments, buffer) == 16);
static_assert(sizeof(ProfilerCollectArguments) == 32);
static_assert(offsetof(ProfilerTable, create) == 40);
static_assert(sizeof(ProfilerTable) == 80);
static_assert(offsetof(ProfilerExtension, table) == 24);

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_PROFILER_INTERFACE_H_
