// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A running worker process and the pipes to and from it. Nothing here blocks.
//
//   Expected<WorkerConnection> connection = WorkerConnection::Open(spec);
//   connection->Queue(frame);
//   ... poll request_fd() to write, reply_fd() and log_fd() to read ...
//   connection->Write();
//   bool open = connection->Read();
//   while (std::optional<std::string> frame = connection->NextFrame()) ...
#ifndef OPBYOP_HARNESS_WORKER_WORKER_CONNECTION_H_
#define OPBYOP_HARNESS_WORKER_WORKER_CONNECTION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "harness/worker/worker_spec.h"
#include "protocol/frame.h"
#include "support/expected.h"
#include "support/process/process.h"

namespace opbyop::harness {

// Movable. A moved-from object may only be assigned to.
class WorkerConnection {
 public:
  static Expected<WorkerConnection> Open(const WorkerSpec& spec);

  // To poll for reading.
  int reply_fd() const { return process_->reply_fd(); }
  int log_fd() const { return process_->log_fd(); }  // -1 once it has ended
  // To poll for writing; -1 if nothing waits to be written.
  int request_fd() const { return unwritten() == 0 ? -1 : process_->request_fd(); }

  // Takes the bytes of a request and writes as much as fits into the pipe.
  void Queue(std::string frame);
  // Writes more of the request.
  void Write();
  // Bytes of the request that have not fit into the pipe yet.
  size_t unwritten() const { return outgoing_.size() - written_; }
  size_t request_bytes() const { return outgoing_.size(); }
  // True if all that was written of the request is still in the pipe: the worker, which may have ended, has read none
  // of it.
  bool untouched() const;

  // Reads some of the available bytes, but not all, so that a worker that prints without end does not block the others.
  // False once the worker has closed its end of the reply pipe or of the request pipe.
  bool Read();
  bool request_closed() const { return closed_; }
  std::optional<std::string> NextFrame() { return reader_.Next(); }
  const protocol::FrameReader& reader() const { return reader_; }

  Process& process() { return *process_; }
  const Process& process() const { return *process_; }

 private:
  explicit WorkerConnection(std::unique_ptr<Process> process) : process_(std::move(process)) {}

  std::unique_ptr<Process> process_;  // never null
  protocol::FrameReader reader_;
  std::string outgoing_;
  size_t written_ = 0;
  size_t sent_ = 0;      // bytes written of the last request, complete or not
  bool closed_ = false;  // the request pipe is closed
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_WORKER_WORKER_CONNECTION_H_
