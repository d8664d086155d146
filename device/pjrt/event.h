// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Waits for the asynchronous work of a plugin.
//
//   if (Result<void> done = Await(api, std::move(event), "PJRT_LoadedExecutable_Execute"); !done) ...
//
// The thread sleeps until the plugin signals the event. The harness ends an event that never becomes ready, by the time
// limit of the stage.
#ifndef OPBYOP_DEVICE_PJRT_EVENT_H_
#define OPBYOP_DEVICE_PJRT_EVENT_H_

#include <string_view>

#include "device/pjrt/api.h"

namespace opbyop::pjrt {

// `function` returned the event and is named in its error. Uses PJRT_Event_Await, or PJRT_Event_OnReady if the plugin
// has only that.
Result<void> Await(const Api& api, Owned<PJRT_Event> event, std::string_view function);

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_EVENT_H_
