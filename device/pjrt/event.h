// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Waiting for what a plugin does asynchronously.
//
//   if (Result<void> done = Await(api, std::move(event), "PJRT_LoadedExecutable_Execute"); !done) ...
//
// The thread sleeps until the plugin says so; an event that never becomes ready ends by the limit of the stage, which
// the harness keeps.
#ifndef OPBYOP_DEVICE_PJRT_EVENT_H_
#define OPBYOP_DEVICE_PJRT_EVENT_H_

#include <string_view>

#include "device/pjrt/api.h"

namespace opbyop::pjrt {

// `function` is who gave the event, and who is blamed for its error. PJRT_Event_Await, or PJRT_Event_OnReady where the
// plugin has only that.
Result<void> Await(const Api& api, Owned<PJRT_Event> event, std::string_view function);

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_EVENT_H_
