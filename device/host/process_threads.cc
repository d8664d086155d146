// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/host/process_threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include "device/device_span.h"

namespace opbyop::host {
namespace {

// The process of this thread. Outside of Run() there is none.
struct Current {
  ProcessThreads* threads = nullptr;
  int64_t process = 0;
};
thread_local Current current;

protocol::Span SpanOf(std::string_view kind, int64_t process, int64_t start_ns, int64_t bytes = 0) {
  return {.kind = std::string(kind),
          .start_ns = start_ns,
          .dur_ns = device::MonotonicNs() - start_ns,
          .bytes = bytes,
          .process = process};
}

[[noreturn]] void Die(const char* why) {
  std::fprintf(stderr, "fatal error: %s\n", why);
  std::abort();
}

}  // namespace

struct ProcessThreads::Meeting {
  explicit Meeting(size_t size) : barrier(static_cast<std::ptrdiff_t>(size)), brought(size) {}

  std::barrier<> barrier;
  std::vector<std::span<const std::byte>> brought;
};

ProcessThreads::ProcessThreads(int64_t processes, bool records)
    : processes_(processes), records_(records), spans_(static_cast<size_t>(processes)) {}
ProcessThreads::~ProcessThreads() = default;

ProcessThreads::Meeting& ProcessThreads::MeetingFor(const std::vector<int64_t>& members) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Meeting>& meeting = meetings_[members];
  if (meeting == nullptr) meeting = std::make_unique<Meeting>(members.size());
  return *meeting;
}

Expected<void> ProcessThreads::Run(const std::function<void(int64_t process)>& body) {
  // No process starts before all threads exist: without one of them the others would wait for ever.
  std::barrier<> start(static_cast<std::ptrdiff_t>(processes_));
  std::atomic<bool> abandoned = false;
  const auto run = [&](int64_t process) {
    current = {this, process};
    std::vector<protocol::Span>& own = spans_[static_cast<size_t>(process)];
    own.clear();
    const int64_t start = records_ ? device::MonotonicNs() : 0;
    body(process);
    if (records_) own.push_back(SpanOf("execute", process, start));
    current = {};
  };
  std::vector<std::jthread> threads;  // joined before what they use is destroyed
  try {
    for (int64_t process = 1; process < processes_; ++process) {
      threads.emplace_back([&, process] {
        start.arrive_and_wait();
        if (abandoned) return;
        run(process);
      });
    }
  } catch (const std::system_error& error) {
    abandoned = true;
    for (int64_t missing = processes_ - static_cast<int64_t>(threads.size()); missing > 0; --missing) {
      start.arrive_and_drop();
    }
    return MakeError(ExitCode::kUnsupported,
                     fmt::format("this machine has no {} threads for as many processes: {}", processes_, error.what()));
  }
  start.arrive_and_wait();
  run(0);
  return {};
}

void ProcessThreads::Exchange(int64_t own, int64_t all, int64_t bytes, int64_t groups, int64_t rows, int64_t columns) {
  if (current.threads == nullptr) Die("a collective between several processes was run by a single process");
  const std::span ids(reinterpret_cast<const int64_t*>(groups), static_cast<size_t>(rows * columns));
  auto* const out = reinterpret_cast<std::byte*>(all);
  const auto size = static_cast<size_t>(bytes);
  const auto found = std::ranges::find(ids, current.process);
  if (found == ids.end()) {
    std::memset(out, 0, size * static_cast<size_t>(columns));
    return;
  }
  const auto place = static_cast<size_t>(found - ids.begin());
  const std::span row =
      ids.subspan(place / static_cast<size_t>(columns) * static_cast<size_t>(columns), static_cast<size_t>(columns));
  const std::vector<int64_t> members(row.begin(), std::ranges::find(row, int64_t{-1}));
  const bool records = current.threads->records_;
  const int64_t start = records ? device::MonotonicNs() : 0;
  Meeting& meeting = current.threads->MeetingFor(members);
  meeting.brought[place % static_cast<size_t>(columns)] = {reinterpret_cast<const std::byte*>(own), size};
  meeting.barrier.arrive_and_wait();
  for (size_t i = 0; i < members.size(); ++i) {
    if (meeting.brought[i].size() != size) Die("the processes of a group exchange tensors of different sizes");
    std::ranges::copy(meeting.brought[i], out + i * size);
  }
  std::memset(out + members.size() * size, 0, (static_cast<size_t>(columns) - members.size()) * size);
  meeting.barrier.arrive_and_wait();  // the tensors may change only when all have read them
  if (!records) return;
  const int64_t received = bytes * (static_cast<int64_t>(members.size()) - 1);
  current.threads->spans_[static_cast<size_t>(current.process)].push_back(
      SpanOf("collective", current.process, start, received));
}

std::vector<protocol::Span> ProcessThreads::spans() const {
  std::vector<protocol::Span> all;
  for (const std::vector<protocol::Span>& own : spans_) all.insert(all.end(), own.begin(), own.end());
  return all;
}

int64_t ProcessThreads::Process() {
  if (current.threads == nullptr) Die("an op asks a single process for its number on a grid");
  return current.process;
}

}  // namespace opbyop::host
