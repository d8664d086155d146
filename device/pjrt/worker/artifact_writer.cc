// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/worker/artifact_writer.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>

#include "protocol/frame.h"
#include "support/files/file.h"

namespace opbyop::pjrt {

Expected<std::unique_ptr<ArtifactWriter>> ArtifactWriter::Start(std::filesystem::path program) {
  std::unique_ptr<ArtifactWriter> writer(new ArtifactWriter(std::move(program)));
  if (const Expected<void> launched = writer->Launch(); !launched) return Unexpected(launched.error());
  return writer;
}

Expected<void> ArtifactWriter::Launch() {
  Expected<std::unique_ptr<Process>> process = Process::Spawn({.argv = {program_.string()}});
  if (!process) return Unexpected(process.error());
  process_ = std::move(*process);
  return {};
}

// Copies the program's output to the worker's log.
void ArtifactWriter::PassOnLog() {
  process_->DrainLog();
  const std::string_view text = process_->log().text();
  std::fwrite(text.data(), 1, text.size(), stderr);
}

Expected<std::string> ArtifactWriter::ReadReply() {
  protocol::FrameReader reader;
  std::array<char, 1 << 16> buffer;
  while (true) {
    if (std::optional<std::string> frame = reader.Next()) return std::move(*frame);
    std::array<pollfd, 2> fds = {pollfd{process_->reply_fd(), POLLIN, 0}, pollfd{process_->log_fd(), POLLIN, 0}};
    if (::poll(fds.data(), fds.size(), -1) < 0) continue;
    if (fds[1].revents != 0) process_->DrainLog();
    if (fds[0].revents == 0) continue;
    const ssize_t count = ::read(process_->reply_fd(), buffer.data(), buffer.size());
    if (count > 0) {
      reader.Append(std::string_view(buffer.data(), static_cast<size_t>(count)));
    } else if (count == 0) {
      break;
    }
  }
  constexpr std::chrono::seconds kPatience(10);
  const std::optional<Exit> exit = process_->WaitFor(kPatience);
  process_->DrainLog();
  const std::string cause = CauseOfDeath(process_->log().text());
  return MakeError(ExitCode::kInternal,
                   fmt::format("the program that writes the portable artifact ended with {}{}",
                               exit ? exit->Describe() : "its pipe closed", cause.empty() ? "" : ": " + cause));
}

Expected<WrittenArtifact> ArtifactWriter::Write(const ArtifactRequest& request) {
  if (process_ == nullptr) {
    if (const Expected<void> launched = Launch(); !launched) return Unexpected(launched.error());
  }
  const Expected<std::string> frame = protocol::EncodeFrame(ToJson(request));
  if (!frame) return Unexpected(frame.error());
  process_->log().Clear();
  // The pipe is empty and holds more than one request. If the other side has exited, reading the reply reports it.
  (void)WriteAll(process_->request_fd(), *frame);
  const Expected<std::string> reply = ReadReply();
  PassOnLog();
  if (!reply) {
    process_.reset();
    return Unexpected(reply.error());
  }
  return ParseArtifactReply(*reply);
}

}  // namespace opbyop::pjrt
