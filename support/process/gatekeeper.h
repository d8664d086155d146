// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The supervisor's side of support/process/process_filter.h: decides whether a program may change the process that it
// names. It may if that process descends from the supervisor. The supervisor adopts orphans, so it stays their
// ancestor.
//
//   Gatekeeper gatekeeper;                                   // before the fork
//   gatekeeper.Send(*FilterProcesses({}));                   // in the child
//   gatekeeper.Take();                                       // in the supervisor
//   ... poll() on gatekeeper.questions() ... gatekeeper.Answer(revents);
//
// The number of the process is in a register, so no other thread can change it between the answer and the call.
#ifndef OPBYOP_SUPPORT_PROCESS_GATEKEEPER_H_
#define OPBYOP_SUPPORT_PROCESS_GATEKEEPER_H_

#include <sys/types.h>

namespace opbyop {

// Whether `process`, a process or a thread of one, descends from this process.
bool IsDescendant(pid_t process);

class Gatekeeper {
 public:
  Gatekeeper();  // opens the connection through which the descriptor for questions is passed
  Gatekeeper(const Gatekeeper&) = delete;
  Gatekeeper& operator=(const Gatekeeper&) = delete;
  ~Gatekeeper();

  // Whether the connection is open; there may be no free descriptors.
  bool can_be_asked() const { return child_end_ >= 0; }

  // In the child: sends the descriptor for questions, or reports that there is none (-1).
  void Send(int questions);

  // In the supervisor, after the fork: waits for the descriptor from the child. A child that ends sends none.
  void Take();

  // Readable if there are questions; -1 if there will be none.
  int questions() const { return questions_; }

  // Answers one question, or notes that there will be no more. `events` is the result of poll() for questions().
  void Answer(short events);

 private:
  int supervisor_end_ = -1;
  int child_end_ = -1;
  int questions_ = -1;
};

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_PROCESS_GATEKEEPER_H_
