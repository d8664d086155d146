// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ends the processes that a program leaves running after a request, but not those that it needs.
//
//   Strays strays(process.pid());              // the program is ready: its current descendants belong to it
//   ... the program serves a request ...
//   EndedStrays ended = strays.End();          // kills all other descendants
//   if (!ended.all_gone) ...                   // some cannot be killed
//
// A process is identified by its id and its start time, because ids are reused. A daemon becomes a child of the nearest
// ancestor that adopts orphans, so the given process must be one, as opbyop-supervisor is.
#ifndef OPBYOP_SUPPORT_PROCESS_STRAYS_H_
#define OPBYOP_SUPPORT_PROCESS_STRAYS_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace opbyop {

struct EndedStrays {
  std::vector<std::string> commands;  // the first few, one line each
  size_t count = 0;
  bool all_gone = true;
};

// The ended processes as text: "3 processes: sleep 100, sh -c 'sleep 100', ..."; empty if there were none.
std::string Describe(const EndedStrays& ended);

class Strays {
 public:
  // The current descendants of `ancestor` are not strays.
  explicit Strays(pid_t ancestor);

  // Kills all others and waits until they have ended, at most for about a second. If there are none, it only reads a
  // few files of /proc, and one if the machine has started no process since it found none.
  EndedStrays End();

 private:
  std::vector<pid_t> Others() const;
  bool HasNoStrays() const;

  pid_t ancestor_;
  std::map<pid_t, uint64_t> own_;  // with the start time of each
  std::optional<pid_t> newest_;    // NewestProcess() before the last look, if that found no strays
};

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_PROCESS_STRAYS_H_
