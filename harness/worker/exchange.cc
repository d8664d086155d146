// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/worker/exchange.h"

#include <fmt/format.h>

#include <utility>

#include "support/saturated.h"

namespace opbyop::harness {
namespace {

using Clock = Exchange::Clock;

Clock::duration Seconds(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

int64_t NsOf(Clock::time_point point) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(point.time_since_epoch()).count();
}

tl::unexpected<Error> Broken(std::string how) { return MakeError(ExitCode::kBadInput, std::move(how)); }

}  // namespace

Exchange::Exchange(const WorkerSpec& spec, int64_t id, std::string_view first_stage, Clock::time_point now,
                   const ExtraLimits& extra)
    : spec_(&spec), id_(id), extra_(extra), stage_begin_(now), request_deadline_(now + Seconds(RequestTimeoutS())) {
  answer_.stage = first_stage;
  LimitBy(first_stage, now);
}

Limits Exchange::limits() const {
  Limits limits = spec_->LimitsOf(limited_stage_);
  limits.timeout_s += extra_.seconds;
  limits.memory_mb = AddCapped(limits.memory_mb, extra_.megabytes);
  return limits;
}

void Exchange::LimitBy(std::string_view stage, Clock::time_point now) {
  limited_stage_ = stage;
  stage_deadline_ = now + Seconds(limits().timeout_s);
}

Expected<void> Exchange::Receive(protocol::WorkerMessage message, Clock::time_point now) {
  // A worker is replaced after any trouble, so an answer to another request is never just late. Accepting it would give
  // one case the result of another.
  if (!std::holds_alternative<protocol::Greeting>(message.body) && message.id != id_) {
    return Broken(fmt::format("answered request {} while {} was asked",
                              message.id ? std::to_string(*message.id) : "without id", id_));
  }
  return std::visit([&](auto& body) { return On(std::move(body), now); }, message.body);
}

Expected<void> Exchange::On(const protocol::Greeting& /*greeting*/, Clock::time_point /*now*/) {
  return Broken("sent a second hello");
}

Expected<void> Exchange::On(protocol::StageBegin begin, Clock::time_point now) {
  if (in_stage_) return Broken(fmt::format("began stage '{}' within stage '{}'", begin.stage, answer_.stage));
  if (!spec_->Declares(begin.stage)) return Broken(fmt::format("began stage '{}', which is not declared", begin.stage));
  if (std::ranges::find(answer_.stages, begin.stage, &StageRecord::name) != answer_.stages.end()) {
    return Broken(fmt::format("began stage '{}' a second time", begin.stage));
  }
  answer_.stage = std::move(begin.stage);
  in_stage_ = true;
  stage_begin_ = now;
  stage_begin_ns_ = begin.ns.value_or(NsOf(now));
  LimitBy(answer_.stage, now);
  return {};
}

Expected<void> Exchange::On(protocol::StageEnd end, Clock::time_point now) {
  if (!in_stage_ || end.stage != answer_.stage) {
    return Broken(fmt::format("ended stage '{}', which it had not started", end.stage));
  }
  in_stage_ = false;
  answer_.stages.push_back({std::move(end.stage), end.status, end.ms, std::move(end.diagnostic)});
  answer_.stage_begins_ns.push_back(stage_begin_ns_);
  LimitBy(answer_.stage, now);
  return {};
}

Expected<void> Exchange::On(protocol::Done done, Clock::time_point /*now*/) {
  if (in_stage_) return Broken(fmt::format("said done within stage {}", answer_.stage));
  answer_.status = done.status;
  answer_.diagnostic = std::move(done.diagnostic);
  answer_.peak_rss_kb = done.peak_rss_kb;
  answer_.fields = std::move(done.fields);
  done_ = true;
  return {};
}

std::string Exchange::WhyLate() const {
  if (request_deadline_ < stage_deadline_) {
    return fmt::format("no end of the request within {:g} s, the limits of all stages together", RequestTimeoutS());
  }
  if (in_stage_ || answer_.stages.empty()) {
    return fmt::format("no end of stage within its limit of {:g} s", limits().timeout_s);
  }
  return fmt::format("no message within {:g} s after the end of stage {}", limits().timeout_s, limited_stage_);
}

void Exchange::End(Death death, Clock::time_point now) {
  answer_.status = death.status;
  answer_.diagnostic = std::move(death.diagnostic);
  answer_.signal = death.signal;
  answer_.died = true;
  answer_.unread = death.unread;
  answer_.log = std::move(death.log);
  if (in_stage_ || answer_.stages.empty()) {
    const double ms = std::chrono::duration<double, std::milli>(now - stage_begin_).count();
    answer_.stages.push_back({answer_.stage, answer_.status, ms, answer_.diagnostic});
    answer_.stage_begins_ns.push_back(in_stage_ ? stage_begin_ns_ : NsOf(stage_begin_));
  } else {
    // It died between two stages or before its answer: the stage that ended last is the closest known.
    answer_.stages.back().status = answer_.status;
    answer_.stages.back().diagnostic = answer_.diagnostic;
  }
  in_stage_ = false;
  done_ = true;
}

}  // namespace opbyop::harness
