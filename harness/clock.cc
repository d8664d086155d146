#include "harness/clock.h"

#include <fmt/format.h>

#include <chrono>
#include <ctime>

namespace opbyop::harness {
namespace {

struct Now {
  std::tm utc;
  int64_t microseconds;
};

Now Read() {
  using namespace std::chrono;
  const int64_t since_epoch = duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
  const std::time_t seconds = static_cast<std::time_t>(since_epoch / 1000000);
  Now now = {};
  ::gmtime_r(&seconds, &now.utc);
  now.microseconds = since_epoch % 1000000;
  return now;
}

}  // namespace

std::string NowRfc3339() {
  const Now now = Read();
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}+00:00", now.utc.tm_year + 1900, now.utc.tm_mon + 1,
                     now.utc.tm_mday, now.utc.tm_hour, now.utc.tm_min, now.utc.tm_sec, now.microseconds);
}

std::string NowCompact() {
  const Now now = Read();
  return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}Z", now.utc.tm_year + 1900, now.utc.tm_mon + 1, now.utc.tm_mday,
                     now.utc.tm_hour, now.utc.tm_min, now.utc.tm_sec);
}

}  // namespace opbyop::harness
