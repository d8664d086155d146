// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The supervisor's side of support/process/process_filter.h: answers whether a program may change the process that it
// names. It may where that process descends from the supervisor, which adopts its orphans and so stays their ancestor.
//
//   Gatekeeper gatekeeper;                                   // before the fork
//   gatekeeper.Send(*FilterProcesses({}));                   // in the child
//   gatekeeper.Take();                                       // in the supervisor
//   ... poll() on gatekeeper.questions() ... gatekeeper.Answer(revents);
//
// The number of a process comes in a register, so that nobody can exchange it between the answer and the call.
#ifndef OPBYOP_SUPPORT_PROCESS_GATEKEEPER_H_
#define OPBYOP_SUPPORT_PROCESS_GATEKEEPER_H_

#include <sys/types.h>

namespace opbyop {

// Whether `process`, a process or a thread of one, descends from this process.
bool IsDescendant(pid_t process);

class Gatekeeper {
 public:
  Gatekeeper();  // opens the way on which the descriptor of the questions comes
  Gatekeeper(const Gatekeeper&) = delete;
  Gatekeeper& operator=(const Gatekeeper&) = delete;
  ~Gatekeeper();

  // Whether the way is open: descriptors may be few.
  bool can_be_asked() const { return child_end_ >= 0; }

  // In the child: hands over the descriptor of the questions, or says that there is none (-1).
  void Send(int questions);

  // In the supervisor, after the fork: waits for what the child sends. A child that ends sends none.
  void Take();

  // Readable where there are questions; -1 where there will be none.
  int questions() const { return questions_; }

  // Answers one question, or takes note that there will be no more, by what poll() said of questions().
  void Answer(short events);

 private:
  int supervisor_end_ = -1;
  int child_end_ = -1;
  int questions_ = -1;
};

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_PROCESS_GATEKEEPER_H_
