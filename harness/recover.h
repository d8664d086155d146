// Brings a device back after a worker died on it: the target's `recover` command, then its `health` command.
//
//   if (Expected<void> back = RecoverDevice(target.device); !back) ... the device stays down
#ifndef OPBYOP_HARNESS_RECOVER_H_
#define OPBYOP_HARNESS_RECOVER_H_

#include "manifests/target.h"
#include "support/expected.h"

namespace opbyop {

// Does nothing where the target names neither command. A few attempts; the error is that of the last.
Expected<void> RecoverDevice(const Device& device);

}  // namespace opbyop

#endif  // OPBYOP_HARNESS_RECOVER_H_
