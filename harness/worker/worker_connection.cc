// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/worker/worker_connection.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "protocol/hello.h"

namespace opbyop::harness {

Expected<WorkerConnection> WorkerConnection::Open(const WorkerSpec& spec) {
  ProcessOptions options{.argv = spec.argv, .environment = spec.environment, .supervision = spec.supervision};
  options.environment[protocol::kReplyFdVariable] = std::to_string(kReplyFd);
  Expected<std::unique_ptr<Process>> process = Process::Spawn(options);
  if (!process) return Unexpected(process.error());
  return WorkerConnection(std::move(*process));
}

void WorkerConnection::Queue(std::string frame) {
  outgoing_ = std::move(frame);
  written_ = 0;
  sent_ = 0;
  Write();
}

bool WorkerConnection::untouched() const {
  int unread = 0;
  return ::ioctl(process_->request_fd(), FIONREAD, &unread) == 0 && static_cast<size_t>(unread) == sent_;
}

void WorkerConnection::Write() {
  while (unwritten() > 0 && !closed_) {
    const ssize_t count = ::write(process_->request_fd(), outgoing_.data() + written_, unwritten());
    if (count >= 0) {
      written_ += static_cast<size_t>(count);
      sent_ += static_cast<size_t>(count);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return;
    } else if (errno != EINTR) {
      closed_ = true;
    }
  }
  outgoing_ = std::string();
  written_ = 0;
}

bool WorkerConnection::Read() {
  constexpr int kRounds = 16;
  std::array<char, 64 << 10> buffer;
  for (int round = 0; round < kRounds; ++round) {
    const ssize_t count = ::read(process_->reply_fd(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    if (count == 0) return false;
    reader_.Append(std::string_view(buffer.data(), static_cast<size_t>(count)));
    if (count < static_cast<ssize_t>(buffer.size())) break;
  }
  return !closed_;
}

}  // namespace opbyop::harness
