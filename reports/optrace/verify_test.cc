// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/optrace/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/optrace/sample_trace.h"

namespace opbyop::optrace {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(VerifyTest, FindsNothingInAWholeTrace) {
  const Verification verification = Verify(SampleTrace());
  EXPECT_THAT(verification.defects, IsEmpty());
  EXPECT_THAT(verification.gaps, IsEmpty());
}

TEST(VerifyTest, FindsSpansOfDevicesThatAreNotThere) {
  Trace trace = SampleTrace();
  trace.spans[20].device = 7;
  EXPECT_THAT(Verify(trace).defects, Contains(HasSubstr("1 spans are on a device")));
}

TEST(VerifyTest, FindsDuplicateSpans) {
  Trace trace = SampleTrace();
  trace.spans[3].id = 2;
  EXPECT_THAT(Verify(trace).defects, Contains(HasSubstr("id that another has")));
}

TEST(VerifyTest, FindsLostSpans) {
  Trace trace = SampleTrace();
  trace.spans.pop_back();
  EXPECT_THAT(Verify(trace).defects, Contains(HasSubstr("the footer counts")));
}

TEST(VerifyTest, FindsSpansAfterTheEnd) {
  Trace trace = SampleTrace();
  trace.spans[5].dur_ps = trace.footer->wall_ps + 1;
  EXPECT_THAT(Verify(trace).defects, Contains(HasSubstr("outside the run's wall time")));
}

TEST(VerifyTest, NamesWhatAnEmptyTraceLacks) {
  const Verification verification = Verify(Trace{});
  EXPECT_THAT(verification.defects, IsEmpty());
  EXPECT_THAT(verification.gaps, Contains(HasSubstr("no execution spans")));
  EXPECT_THAT(verification.gaps, Contains(HasSubstr("no footer")));
}

TEST(VerifyTest, SaysThatADeviceHasNoClockOrPeaks) {
  Trace trace = SampleTrace();
  for (Span& span : trace.spans) span.clock = Clock::kHost;
  trace.header.devices[0].peak_gflops = 0;
  const Verification verification = Verify(trace);
  EXPECT_THAT(verification.gaps, Contains(HasSubstr("the host's clock")));
  EXPECT_THAT(verification.gaps, Contains(HasSubstr("no roof")));
}

}  // namespace
}  // namespace opbyop::optrace
