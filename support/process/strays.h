// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a program leaves running when it has done what it was asked, told apart from the processes that it needs.
//
//   Strays strays(process.pid());              // the program is ready: what runs below it now belongs to it
//   ... the program serves a request ...
//   EndedStrays ended = strays.End();          // what runs below it beyond that is killed
//   if (!ended.all_gone) ...                   // some of it cannot be killed
//
// A process is known by its id and the time at which it started, because ids are given again. A daemon is found as a
// child of the nearest ancestor that adopts orphans, so the given process must be one, as opbyop-supervisor is.
#ifndef OPBYOP_SUPPORT_PROCESS_STRAYS_H_
#define OPBYOP_SUPPORT_PROCESS_STRAYS_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace opbyop {

struct EndedStrays {
  std::vector<std::string> commands;  // the first few, each a line
  size_t count = 0;
  bool all_gone = true;
};

// "3 processes: sleep 100, sh -c 'sleep 100', ..."; empty where there was none.
std::string Describe(const EndedStrays& ended);

class Strays {
 public:
  // Everything that runs below `ancestor` now is no stray.
  explicit Strays(pid_t ancestor);

  // Kills all others and waits until they are gone, at most for about a second. Costs a few files of /proc where there
  // are none.
  EndedStrays End();

 private:
  std::vector<pid_t> Others() const;
  bool SeesNobody() const;

  pid_t ancestor_;
  std::map<pid_t, uint64_t> own_;  // and when each of them started
};

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_PROCESS_STRAYS_H_
