// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/event.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

namespace opbyop::pjrt {
namespace {

struct Signal {
  std::mutex mutex;
  std::condition_variable changed;
  bool ready = false;
  PJRT_Error* error = nullptr;
};

Result<void> AwaitCallback(const Api& api, PJRT_Event* event, std::string_view function) {
  Signal signal;
  auto args = Arguments<PJRT_Event_OnReady_Args>();
  args.event = event;
  args.user_arg = &signal;
  args.callback = [](PJRT_Error* error, void* user) {
    auto* signal = static_cast<Signal*>(user);
    // The lock is held to the end, because the waiting thread then destroys the signal.
    const std::lock_guard lock(signal->mutex);
    signal->error = error;
    signal->ready = true;
    signal->changed.notify_one();
  };
  if (Result<void> called = api.Call(args); !called) return called;
  std::unique_lock lock(signal.mutex);
  signal.changed.wait(lock, [&] { return signal.ready; });
  if (signal.error != nullptr) return tl::unexpected(api.Take(function, signal.error));
  return {};
}

}  // namespace

Result<void> Await(const Api& api, Owned<PJRT_Event> event, std::string_view function) {
  if (event == nullptr) return tl::unexpected(MissingResultError(function, "event"));
  if (!api.Has<PJRT_Event_Await_Args>() && api.Has<PJRT_Event_OnReady_Args>()) {
    return AwaitCallback(api, event.get(), function);
  }
  auto args = Arguments<PJRT_Event_Await_Args>();
  args.event = event.get();
  Result<void> awaited = api.Call(args);
  if (!awaited && !awaited.error().absent) awaited.error().function = function;
  return awaited;
}

}  // namespace opbyop::pjrt
