// Points in time as the result stream spells them.
#ifndef OPBYOP_HARNESS_CLOCK_H_
#define OPBYOP_HARNESS_CLOCK_H_

#include <string>

namespace opbyop::harness {

// RFC 3339, UTC, microseconds: "2026-11-21T10:15:00.123456+00:00".
std::string NowRfc3339();

// The same second as part of a name: "20261121T101500Z".
std::string NowCompact();

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_CLOCK_H_
