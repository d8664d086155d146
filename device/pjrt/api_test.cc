// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "device/pjrt/event.h"
#include "device/pjrt/plugin.h"

namespace opbyop::pjrt {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// The code and text of the fake plugin's errors, and how many of them are alive.
struct FakeErrors {
  PJRT_Error_Code code = PJRT_Error_Code_INTERNAL;
  const char* text = "no kernel for f64";
  size_t text_size = std::strlen("no kernel for f64");
  int alive = 0;
  int calls = 0;
} fake;

PJRT_Error* MakeFakeError() {
  ++fake.alive;
  return reinterpret_cast<PJRT_Error*>(&fake);
}

// A table with errors and one function, which fails.
PJRT_Api FakeTable() {
  fake = {};
  PJRT_Api table = {};
  table.struct_size = PJRT_Api_STRUCT_SIZE;
  table.pjrt_api_version.struct_size = PJRT_Api_Version_STRUCT_SIZE;
  table.pjrt_api_version.major_version = PJRT_API_MAJOR;
  table.pjrt_api_version.minor_version = 40;
  table.PJRT_Error_Destroy = [](PJRT_Error_Destroy_Args*) { --fake.alive; };
  table.PJRT_Error_Message = [](PJRT_Error_Message_Args* args) {
    args->message = fake.text;
    args->message_size = fake.text_size;
  };
  table.PJRT_Error_GetCode = [](PJRT_Error_GetCode_Args* args) -> PJRT_Error* {
    args->code = fake.code;
    return nullptr;
  };
  table.PJRT_Client_Devices = [](PJRT_Client_Devices_Args*) {
    ++fake.calls;
    return MakeFakeError();
  };
  return table;
}

CallError ErrorOf(const PJRT_Api& table) {
  auto args = Arguments<PJRT_Client_Devices_Args>();
  const Result<void> called = Api::Of(&table)->Call(args);
  EXPECT_FALSE(called);
  return called ? CallError() : called.error();
}

TEST(ApiTest, ATableOfAnotherMajorVersionIsRefused) {
  PJRT_Api table = FakeTable();
  table.pjrt_api_version.major_version = PJRT_API_MAJOR + 1;
  const Expected<Api> api = Api::Of(&table);
  ASSERT_FALSE(api);
  EXPECT_THAT(api.error().message, HasSubstr("1.40"));
}

TEST(ApiTest, NoTableAndOneTooShortForItsVersionAreRefused) {
  EXPECT_FALSE(Api::Of(nullptr));
  PJRT_Api table = FakeTable();
  table.struct_size = sizeof(size_t);
  EXPECT_FALSE(Api::Of(&table));
}

TEST(ApiTest, AnErrorHasItsCodeAndTextAndIsDestroyed) {
  const PJRT_Api table = FakeTable();
  const CallError error = ErrorOf(table);
  EXPECT_EQ(error.function, "PJRT_Client_Devices");
  EXPECT_EQ(ToError(error).message, "INTERNAL: no kernel for f64");
  EXPECT_EQ(ToError(error).code, ExitCode::kBadInput);
  EXPECT_EQ(fake.alive, 0);
}

TEST(ApiTest, UnimplementedAndNotFoundAreUnsupported) {
  const PJRT_Api table = FakeTable();
  for (const PJRT_Error_Code code : {PJRT_Error_Code_UNIMPLEMENTED, PJRT_Error_Code_NOT_FOUND}) {
    fake.code = code;
    EXPECT_EQ(ToError(ErrorOf(table)).code, ExitCode::kUnsupported);
  }
  fake.code = PJRT_Error_Code_INVALID_ARGUMENT;
  EXPECT_EQ(ToError(ErrorOf(table)).code, ExitCode::kBadInput);
}

TEST(ApiTest, ACustomCallWithoutAHandlerIsUnsupportedWhateverTheCode) {
  const auto unsupported = [](std::string message) {
    return CallError{"PJRT_Client_Compile", PJRT_Error_Code_INTERNAL, std::move(message)}.unsupported();
  };
  EXPECT_TRUE(unsupported("No registered implementation for untyped custom call to nobody for Host"));
  EXPECT_TRUE(unsupported("compile failed: No FFI handler registered for nobody on a platform CUDA"));
  EXPECT_TRUE(unsupported("a.mlir:2:8: failed to legalize operation 'stablehlo.custom_call'"));
  EXPECT_FALSE(unsupported("failed to legalize operation 'stablehlo.sort'"));
  EXPECT_FALSE(unsupported("the custom call returned an error"));
}

TEST(ApiTest, ANullTextAndAnEmptyOneNameTheFunctionInstead) {
  const PJRT_Api table = FakeTable();
  for (const char* text : {static_cast<const char*>(nullptr), ""}) {
    fake.text = text;
    fake.text_size = text == nullptr ? 7 : 0;
    EXPECT_EQ(ToError(ErrorOf(table)).message, "INTERNAL: PJRT_Client_Devices failed without saying why");
  }
}

TEST(ApiTest, AMessageThatStartsWithItsCodeIsNotPrefixedAgain) {
  EXPECT_EQ(ToError({"PJRT_Compile", PJRT_Error_Code_INTERNAL, "INTERNAL: x"}).message, "INTERNAL: x");
}

TEST(ApiTest, AnErrorWhoseCodeCannotBeReadIsUnknown) {
  PJRT_Api table = FakeTable();
  table.PJRT_Error_GetCode = nullptr;
  EXPECT_EQ(ErrorOf(table).code, PJRT_Error_Code_UNKNOWN);
  EXPECT_EQ(fake.alive, 0);
}

TEST(ApiTest, ASlotThatIsNullIsAbsent) {
  PJRT_Api table = FakeTable();
  table.PJRT_Client_Devices = nullptr;
  const CallError error = ErrorOf(table);
  EXPECT_TRUE(error.absent);
  EXPECT_TRUE(error.unsupported());
  EXPECT_THAT(error.message, HasSubstr("PJRT_Client_Devices"));
}

TEST(ApiTest, ASlotBeyondTheTableIsAbsentAndNotCalled) {
  PJRT_Api table = FakeTable();
  table.struct_size = offsetof(PJRT_Api, PJRT_Client_Devices);
  EXPECT_TRUE(ErrorOf(table).absent);
  EXPECT_EQ(fake.calls, 0);
}

TEST(ApiTest, ASlotCutOffByTheEndOfTheTableIsAbsent) {
  PJRT_Api table = FakeTable();
  table.struct_size = offsetof(PJRT_Api, PJRT_Client_Devices) + 4;
  EXPECT_TRUE(ErrorOf(table).absent);
  table.struct_size = offsetof(PJRT_Api, PJRT_Client_Devices) + sizeof(void*);
  EXPECT_FALSE(ErrorOf(table).absent);
}

// A call of a plugin that writes `bytes` behind the struct whose size it was told.
template <size_t bytes>
Result<void> CallThatWrites(const PJRT_Api& table, std::vector<std::string>* overruns) {
  PJRT_Api writing = table;
  writing.PJRT_Device_MemoryStats = [](PJRT_Device_MemoryStats_Args* args) -> PJRT_Error* {
    EXPECT_TRUE(args->extension_start == nullptr);
    args->bytes_limit = 42;
    std::memset(reinterpret_cast<char*>(args) + (args->struct_size + 7) / 8 * 8, 0x5a, bytes);
    return nullptr;
  };
  const Expected<Api> api = Api::Of(&writing);
  auto args = Arguments<PJRT_Device_MemoryStats_Args>();
  const Result<void> called = api->Call(args);
  EXPECT_EQ(args.bytes_limit, 42);
  *overruns = api->Overruns();
  return called;
}

TEST(ApiTest, APluginThatWritesBehindAStructHarmsNothingAndIsNamed) {
  std::vector<std::string> overruns;
  EXPECT_TRUE(CallThatWrites<0>(FakeTable(), &overruns));
  EXPECT_THAT(overruns, IsEmpty());
  EXPECT_TRUE(CallThatWrites<16>(FakeTable(), &overruns));
  EXPECT_THAT(overruns, ::testing::ElementsAre("PJRT_Device_MemoryStats wrote 16 bytes behind a struct of 185 bytes"));
}

TEST(ApiTest, APluginThatWritesOverMemoryOfItsCallerIsAnError) {
  std::vector<std::string> overruns;
  const Result<void> called = CallThatWrites<1030>(FakeTable(), &overruns);
  ASSERT_FALSE(called);
  EXPECT_THAT(called.error().message, HasSubstr("1030 bytes behind a struct of 185 bytes, over memory of its caller"));
}

TEST(ApiTest, StructsHaveTheSizeOfTheNewestVersionThatBothKnow) {
  PJRT_Api table = FakeTable();
  EXPECT_EQ(Api::Of(&table)->BytesOf<PJRT_Device_MemoryStats_Args>(), 185);
  table.pjrt_api_version.minor_version = PJRT_NEWEST_MINOR + 1;
  EXPECT_EQ(Api::Of(&table)->BytesOf<PJRT_Device_MemoryStats_Args>(), 201);
  EXPECT_EQ(Api::Of(&table)->BytesOf<PJRT_Client_Devices_Args>(), PJRT_Client_Devices_Args_STRUCT_SIZE);
  std::vector<std::string> overruns;
  EXPECT_TRUE(CallThatWrites<16>(table, &overruns));
  EXPECT_THAT(overruns, ::testing::ElementsAre(HasSubstr("wrote 16 bytes behind a struct of 201 bytes")));
}

TEST(ApiTest, AnOlderStructShowsAPluginThatIgnoresItsSize) {
  PJRT_Api table = FakeTable();
  table.PJRT_Device_MemoryStats = [](PJRT_Device_MemoryStats_Args* args) -> PJRT_Error* {
    std::memset(reinterpret_cast<char*>(args) + 192, 0, 9);  // what version 0.114 has behind version 0.81's struct
    return nullptr;
  };
  const auto args = Arguments<PJRT_Device_MemoryStats_Args>();
  EXPECT_EQ(Api::Of(&table)->OverrunOfOlderStruct(args), 9);
}

TEST(ApiTest, AbsentFunctionsAreListed) {
  const PJRT_Api table = FakeTable();
  const std::vector<std::string_view> absent = Api::Of(&table)->AbsentFunctions();
  EXPECT_THAT(absent, Contains("PJRT_Client_Compile"));
  EXPECT_THAT(absent, Not(Contains("PJRT_Client_Devices")));
}

TEST(ApiTest, AnExtensionIsFoundByItsType) {
  PJRT_Extension_Base layouts = {PJRT_Extension_Base_STRUCT_SIZE, PJRT_Extension_Type_Layouts, nullptr};
  PJRT_Extension_Base profiler = {PJRT_Extension_Base_STRUCT_SIZE, PJRT_Extension_Type_Profiler, &layouts};
  PJRT_Api table = FakeTable();
  table.extension_start = &profiler;
  const Expected<Api> api = Api::Of(&table);
  EXPECT_EQ(api->FindExtension(PJRT_Extension_Type_Layouts), &layouts);
  EXPECT_EQ(api->FindExtension(PJRT_Extension_Type_FFI), nullptr);
}

TEST(PluginTest, IsInitializedBeforeItsAttributesAreRead) {
  static std::vector<std::string> calls;
  calls.clear();
  PJRT_Api table = FakeTable();
  table.PJRT_Plugin_Initialize = [](PJRT_Plugin_Initialize_Args*) -> PJRT_Error* {
    calls.push_back("initialize");
    return nullptr;
  };
  table.PJRT_Plugin_Attributes = [](PJRT_Plugin_Attributes_Args*) -> PJRT_Error* {
    calls.push_back("attributes");
    return nullptr;
  };
  const Expected<Plugin> plugin = Plugin::Initialize(&table);
  ASSERT_TRUE(plugin);
  EXPECT_THAT(calls, ::testing::ElementsAre("initialize", "attributes"));
  EXPECT_THAT(plugin->attributes(), IsEmpty());
}

TEST(PluginTest, IsRefusedWithTheReasonIfItDoesNotInitialize) {
  PJRT_Api table = FakeTable();
  table.PJRT_Plugin_Initialize = [](PJRT_Plugin_Initialize_Args*) { return MakeFakeError(); };
  const Expected<Plugin> plugin = Plugin::Initialize(&table);
  ASSERT_FALSE(plugin);
  EXPECT_THAT(plugin.error().message, HasSubstr("no kernel for f64"));
}

TEST(PluginTest, AMissingFileIsNoInputAndALibraryWithoutGetPjrtApiIsNoPlugin) {
  EXPECT_EQ(Plugin::Open("/no/such/plugin.so").error().code, ExitCode::kNoInput);
  EXPECT_EQ(Plugin::Open("/proc/self/exe").error().code, ExitCode::kNoInput);  // not a shared library
}

TEST(EventTest, IsAwaitedByCallbackIfThePluginHasOnlyThat) {
  PJRT_Api table = FakeTable();
  table.PJRT_Event_OnReady = [](PJRT_Event_OnReady_Args* args) -> PJRT_Error* {
    args->callback(MakeFakeError(), args->user_arg);
    return nullptr;
  };
  table.PJRT_Event_Destroy = [](PJRT_Event_Destroy_Args*) -> PJRT_Error* { return nullptr; };
  const Expected<Api> api = Api::Of(&table);
  const Result<void> awaited = Await(*api, Own(*api, reinterpret_cast<PJRT_Event*>(&fake)), "PJRT_Buffer_ReadyEvent");
  ASSERT_FALSE(awaited);
  EXPECT_EQ(awaited.error().function, "PJRT_Buffer_ReadyEvent");
  EXPECT_EQ(awaited.error().message, "no kernel for f64");
  EXPECT_EQ(fake.alive, 0);
}

TEST(EventTest, ThatThePluginDoesNotReturnIsAnError) {
  const PJRT_Api table = FakeTable();
  const Expected<Api> api = Api::Of(&table);
  const Result<void> awaited = Await(*api, Own<PJRT_Event>(*api, nullptr), "PJRT_Buffer_ToHostBuffer");
  ASSERT_FALSE(awaited);
  EXPECT_THAT(awaited.error().message, HasSubstr("PJRT_Buffer_ToHostBuffer succeeded and gave no event"));
}

}  // namespace
}  // namespace opbyop::pjrt
