// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/profiler.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <semaphore>

namespace opbyop::pjrt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Records the calls of the fake profiler, and says how it behaves.
struct FakeProfiler {
  std::vector<std::string> calls;
  std::string fails, hangs;  // names of the functions that fail or hang
  std::string trace = "trace";
  bool borrows = false;
  size_t claimed = 0;  // the size that it claims; 0: the trace's
  int errors = 0;      // number of errors that are alive
} fake_profiler;

std::binary_semaphore came_back(0), ended(0);  // signals of the function that hangs

PluginProfilerError* On(const std::string& function) {
  fake_profiler.calls.push_back(function);
  if (fake_profiler.hangs == function) {
    came_back.acquire();
    ended.release();
  }
  if (fake_profiler.fails != function) return nullptr;
  ++fake_profiler.errors;
  return reinterpret_cast<PluginProfilerError*>(&fake_profiler);
}

ProfilerTable FakeProfilerTable() {
  fake_profiler = {};
  ProfilerTable table = {.struct_size = sizeof(ProfilerTable)};
  table.error_destroy = [](ProfilerErrorDestroyArguments*) { --fake_profiler.errors; };
  table.error_message = [](ProfilerErrorMessageArguments* args) {
    args->message = "no chip";
    args->message_size = std::strlen(args->message);
  };
  table.error_code = [](ProfilerErrorCodeArguments* args) -> PluginProfilerError* {
    args->code = PJRT_Error_Code_UNAVAILABLE;
    return nullptr;
  };
  table.create = [](ProfilerCreateArguments* args) {
    args->profiler = reinterpret_cast<PluginProfiler*>(&fake_profiler);
    return On("create");
  };
  table.destroy = [](ProfilerArguments*) { return On("destroy"); };
  table.start = [](ProfilerArguments*) { return On("start"); };
  table.stop = [](ProfilerArguments*) { return On("stop"); };
  table.collect = [](ProfilerCollectArguments* args) {
    if (args->buffer != nullptr) std::memcpy(args->buffer, fake_profiler.trace.data(), fake_profiler.trace.size());
    if (args->buffer == nullptr && fake_profiler.borrows)
      args->buffer = reinterpret_cast<uint8_t*>(fake_profiler.trace.data());
    args->buffer_size = fake_profiler.claimed > 0 ? fake_profiler.claimed : fake_profiler.trace.size();
    return On("collect");
  };
  return table;
}

// A plugin whose only extension is `extension`.
struct FakePlugin {
  explicit FakePlugin(PJRT_Extension_Base* extension) {
    table.struct_size = PJRT_Api_STRUCT_SIZE;
    table.extension_start = extension;
    table.pjrt_api_version = {PJRT_Api_Version_STRUCT_SIZE, nullptr, PJRT_API_MAJOR, PJRT_API_MINOR};
  }
  Expected<const ProfilerTable*> Find() const { return FindProfiler(*Api::Of(&table)); }
  std::string WhyNot() const {
    const auto found = Find();
    EXPECT_FALSE(found);
    return found ? "" : found.error().message;
  }
  PJRT_Api table = {};
};

ProfilerExtension Extension(const ProfilerTable* table) {
  return {{sizeof(ProfilerExtension), PJRT_Extension_Type_Profiler, nullptr}, table, 0};
}

TEST(FindProfilerTest, ATableWithAllFunctionsIsFound) {
  const ProfilerTable table = FakeProfilerTable();
  ProfilerExtension extension = Extension(&table);
  const auto found = FakePlugin(&extension.base).Find();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(*found, &table);
}

TEST(FindProfilerTest, IsFoundWithoutTheFieldAfterTheTable) {
  const ProfilerTable table = FakeProfilerTable();
  ProfilerExtension extension = Extension(&table);
  extension.base.struct_size = 32;
  EXPECT_TRUE(FakePlugin(&extension.base).Find());
}

TEST(FindProfilerTest, WithoutAnExtensionItSaysSo) {
  EXPECT_EQ(FakePlugin(nullptr).WhyNot(), "the plugin has no extension of a profiler");
  EXPECT_EQ(FakePlugin(nullptr).Find().error().code, ExitCode::kUnsupported);
}

TEST(FindProfilerTest, WithoutATableItSaysSo) {
  ProfilerExtension extension = Extension(nullptr);
  EXPECT_THAT(FakePlugin(&extension.base).WhyNot(), HasSubstr("without its table"));
}

TEST(FindProfilerTest, FunctionsThatAreNullOrBeyondItsSizeAreNamed) {
  ProfilerTable table = FakeProfilerTable();
  table.start = nullptr;
  table.struct_size = offsetof(ProfilerTable, collect);
  ProfilerExtension extension = Extension(&table);
  EXPECT_EQ(FakePlugin(&extension.base).WhyNot(), "the plugin's profiler has no start, collect");
}

TEST(FindProfilerTest, AnOlderFormIsNotCalled) {
  ProfilerExtension head = Extension(nullptr);
  head.base.struct_size = PJRT_Extension_Base_STRUCT_SIZE;
  EXPECT_THAT(FakePlugin(&head.base).WhyNot(), HasSubstr("older form of the extension than version 1, 24 bytes"));
  struct {
    PJRT_Extension_Base base;
    void (*create)();
    void (*others[4])();
  } older = {{sizeof(older), PJRT_Extension_Type_Profiler, nullptr}, [] {}, {}};
  EXPECT_THAT(FakePlugin(&older.base).WhyNot(), HasSubstr("older form"));
}

TEST(ProfilerSessionTest, TheBytesAreCopiedOut) {
  const ProfilerTable table = FakeProfilerTable();
  {
    auto session = ProfilerSession::Start(table);
    ASSERT_TRUE(session) << session.error().message;
    EXPECT_EQ(session->Stop().value(), "trace");
  }
  EXPECT_THAT(fake_profiler.calls, ElementsAre("create", "start", "stop", "collect", "collect", "destroy"));
}

TEST(ProfilerSessionTest, BytesThatThePluginLendsAreCopiedAtOnce) {
  const ProfilerTable table = FakeProfilerTable();
  fake_profiler.borrows = true;
  auto session = ProfilerSession::Start(table);
  ASSERT_TRUE(session);
  EXPECT_EQ(session->Stop().value(), "trace");
  EXPECT_EQ(fake_profiler.calls.back(), "collect");
}

TEST(ProfilerSessionTest, AnEmptyTraceIsNotFetched) {
  const ProfilerTable table = FakeProfilerTable();
  fake_profiler.trace.clear();
  auto session = ProfilerSession::Start(table);
  ASSERT_TRUE(session);
  EXPECT_EQ(session->Stop().value(), "");
}

TEST(ProfilerSessionTest, ASessionThatIsNotStoppedIsDiscarded) {
  const ProfilerTable table = FakeProfilerTable();
  ASSERT_TRUE(ProfilerSession::Start(table));
  EXPECT_THAT(fake_profiler.calls, ElementsAre("create", "start", "stop", "destroy"));
}

TEST(ProfilerSessionTest, AnErrorNamesTheCallAndIsDestroyed) {
  for (const char* function : {"create", "start", "stop", "collect"}) {
    const ProfilerTable table = FakeProfilerTable();
    fake_profiler.fails = function;
    auto session = ProfilerSession::Start(table);
    const std::string why = !session ? session.error().message : session->Stop().error().message;
    EXPECT_EQ(why, fmt::format("the profiler's {} fails: UNAVAILABLE: no chip", function));
    EXPECT_EQ(fake_profiler.errors, 0);
  }
}

TEST(ProfilerSessionTest, ANullProfilerIsAnError) {
  ProfilerTable table = FakeProfilerTable();
  table.create = [](ProfilerCreateArguments*) -> PluginProfilerError* { return nullptr; };
  EXPECT_THAT(ProfilerSession::Start(table).error().message, HasSubstr("gave no profiler"));
}

TEST(ProfilerSessionTest, ATraceThatIsTooLargeIsNotRead) {
  const ProfilerTable table = FakeProfilerTable();
  fake_profiler.claimed = kMostTraceBytes + 1;
  auto session = ProfilerSession::Start(table);
  ASSERT_TRUE(session);
  EXPECT_THAT(session->Stop().error().message, HasSubstr("more than the 64 MiB"));
}

TEST(ProfilerSessionTest, ACallThatDoesNotReturnIsAbandoned) {
  const ProfilerTable table = FakeProfilerTable();
  fake_profiler.hangs = "start";
  const auto session = ProfilerSession::Start(table, std::chrono::milliseconds(50));
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().message, "the profiler did not return from its start within 0.05 s");
  EXPECT_THAT(fake_profiler.calls, ElementsAre("create", "start"));
  came_back.release();
  ended.acquire();
}

}  // namespace
}  // namespace opbyop::pjrt
