// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/worker/clock_reader.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "protocol/request.h"
#include "support/xspace/executions.h"

namespace opbyop::pjrt {
namespace {

// Two readings of the offset differ by at most this much if nobody has set the clock.
constexpr int64_t kSameNs = 10'000;

}  // namespace

ClockReader::Recording::Recording(ClockReader& reader, std::string_view case_id) : reader_(reader) {
  if (!reader_.table_) return;
  blame_.emplace(fmt::format("running {} {}", case_id, protocol::kWhileClockWasRead));
  wall_ = WallOffset();
  Expected<ProfilerSession> session = ProfilerSession::Start(**reader_.table_, reader_.limit_);
  if (!session) {
    reader_.table_ = Unexpected(session.error());
    return;
  }
  session_.emplace(std::move(*session));
}

Expected<PlacedRuns> ClockReader::Recording::End(std::span<const HostCall> calls) {
  if (!session_) return Unexpected(reader_.table_.error());
  Expected<std::string> bytes = session_->Stop();
  session_.reset();
  const std::optional<int64_t> wall = WallOffset();
  const bool is_same = wall_ && wall && std::abs(*wall - *wall_) <= kSameNs;
  blame_.reset();
  if (!bytes) {
    reader_.table_ = Unexpected(bytes.error());
    return Unexpected(bytes.error());
  }
  const Expected<std::vector<xspace::DeviceEvent>> events = xspace::ReadExecutions(*bytes);
  trace_ = std::move(*bytes);
  if (!events) return Unexpected(events.error());
  return PlaceRuns(*events, calls, is_same ? wall_ : std::nullopt);
}

}  // namespace opbyop::pjrt
