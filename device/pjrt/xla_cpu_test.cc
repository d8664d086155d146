// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tests the interface with XLA's CPU client, from the wheel whose header this is built with.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "device/pjrt/client.h"
#include "device/pjrt/compile_options.h"
#include "device/pjrt/element_type.h"
#include "device/pjrt/plugin.h"
#include "device/pjrt/topology.h"

namespace opbyop::pjrt {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Key;

constexpr std::string_view kDouble = R"(
func.func @main(%arg0: tensor<2x3xf32>) -> (tensor<3x2xf32>, tensor<2x3xf32>) {
  %0 = stablehlo.add %arg0, %arg0 : tensor<2x3xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %1, %0 : tensor<3x2xf32>, tensor<2x3xf32>
})";

constexpr std::string_view kDonates = R"(
func.func @main(%arg0: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {
  %0 = stablehlo.negate %arg0 : tensor<4xf32>
  return %0 : tensor<4xf32>
})";

class XlaCpuTest : public ::testing::Test {
 protected:
  // All tests share one client: a process can load the plugin only once.
  static void SetUpTestSuite() {
    const Expected<Plugin> opened = Plugin::Open(OPBYOP_PJRT_CPU_PLUGIN);
    ASSERT_TRUE(opened) << opened.error().message;
    plugin_ = new Plugin(*opened);
    Result<Client> made = Client::Create(plugin_->api(), {});
    ASSERT_TRUE(made) << made.error().message;
    client_ = new Client(std::move(*made));
  }
  static void TearDownTestSuite() {
    delete client_;
    delete plugin_;
  }

  Device FirstDevice() const { return client_->AddressableDevices()->front(); }
  std::string Options() const { return SerializeCompileOptions({.device_ids = {*FirstDevice().Description()->Id()}}); }

  template <typename T>
  Buffer Upload(const std::vector<T>& values, std::vector<int64_t> shape, PJRT_Buffer_Type type) const {
    return std::move(*client_->BufferFromHost({type, shape, std::as_bytes(std::span(values))}, FirstDevice()));
  }

  template <typename T>
  static std::vector<T> Download(const Buffer& buffer) {
    std::vector<T> values(*buffer.HostBytes() / sizeof(T));
    EXPECT_TRUE(buffer.CopyToHost(std::as_writable_bytes(std::span(values))));
    return values;
  }

  static inline Plugin* plugin_ = nullptr;
  static inline Client* client_ = nullptr;
};

TEST_F(XlaCpuTest, ReportsPlatformAndKind) {
  EXPECT_THAT(plugin_->attributes(), Contains(Key("stablehlo_current_version")));
  EXPECT_EQ(*client_->PlatformName(), "cpu");
  EXPECT_EQ(*FirstDevice().Description()->Kind(), "cpu");
}

TEST_F(XlaCpuTest, CompilesAndRuns) {
  const Result<LoadedExecutable> loaded = client_->Compile(kDouble, Options());
  ASSERT_TRUE(loaded) << loaded.error().message;
  const Result<Executable> facts = loaded->Facts();
  ASSERT_EQ(*facts->NumOutputs(), 2u);
  EXPECT_THAT(*facts->OutputTypes(), ElementsAre(PJRT_Buffer_Type_F32, PJRT_Buffer_Type_F32));
  EXPECT_THAT(*facts->OutputShapes(), ElementsAre(ElementsAre(3, 2), ElementsAre(2, 3)));
  const Buffer input = Upload<float>({1, 2, 3, 4, 5, 6}, {2, 3}, PJRT_Buffer_Type_F32);
  PJRT_Buffer* const inputs[] = {input.get()};
  Result<Execution> run = loaded->Execute(inputs, 2, {});
  ASSERT_TRUE(run) << run.error().message;
  ASSERT_TRUE(run->Await(plugin_->api()));
  EXPECT_THAT(Download<float>(run->outputs[0]), ElementsAre(2, 8, 4, 10, 6, 12));
  EXPECT_THAT(Download<float>(run->outputs[1]), ElementsAre(2, 4, 6, 8, 10, 12));
}

TEST_F(XlaCpuTest, AWrongProgramIsAnErrorWithCodeAndText) {
  const Result<LoadedExecutable> loaded = client_->Compile("func.func @main( {", Options());
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().function, "PJRT_Client_Compile");
  EXPECT_FALSE(loaded.error().unsupported());
  EXPECT_THAT(loaded.error().message, HasSubstr("expected non-function type"));
}

TEST_F(XlaCpuTest, EveryElementTypeSurvivesARoundTrip) {
  for (const PJRT_Buffer_Type type : ElementTypes()) {
    const size_t width = BitsOf(type) < 8 ? 1 : static_cast<size_t>(BitsOf(type)) / 8;
    std::vector<std::byte> bytes(6 * width);
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::byte>(type == PJRT_Buffer_Type_PRED ? i % 2 : i);
    NormalizeElements(type, bytes);
    const std::vector<int64_t> shape = {2, 3};
    const Result<Buffer> buffer = client_->BufferFromHost({type, shape, bytes}, FirstDevice());
    ASSERT_TRUE(buffer) << ElementName(type) << ": " << buffer.error().message;
    EXPECT_EQ(*buffer->Type(), type);
    std::vector<std::byte> back = Download<std::byte>(*buffer);
    NormalizeElements(type, back);
    EXPECT_EQ(back, bytes) << ElementName(type);
  }
}

TEST_F(XlaCpuTest, ScalarsAndTensorsWithoutElementsAreTransferred) {
  EXPECT_THAT(Download<float>(Upload<float>({2.5}, {}, PJRT_Buffer_Type_F32)), ElementsAre(2.5));
  EXPECT_THAT(*Upload<float>({}, {0, 3}, PJRT_Buffer_Type_F32).Shape(), ElementsAre(0, 3));
}

TEST_F(XlaCpuTest, ADonatedInputIsDeletedUnlessItIsNotToBeDonated) {
  const Result<LoadedExecutable> loaded = client_->Compile(kDonates, Options());
  ASSERT_TRUE(loaded) << loaded.error().message;
  const std::vector<int64_t> first = {0};
  for (const bool keep : {true, false}) {
    const Buffer input = Upload<float>({1, 2, 3, 4}, {4}, PJRT_Buffer_Type_F32);
    PJRT_Buffer* const inputs[] = {input.get()};
    Result<Execution> run = loaded->Execute(inputs, 1, keep ? std::span(first) : std::span<const int64_t>());
    ASSERT_TRUE(run) << run.error().message;
    ASSERT_TRUE(run->Await(plugin_->api()));
    EXPECT_THAT(Download<float>(run->outputs[0]), ElementsAre(-1, -2, -3, -4));
    EXPECT_EQ(*input.IsDeleted(), !keep);
    if (keep) EXPECT_THAT(Download<float>(input), ElementsAre(1, 2, 3, 4));
  }
}

TEST_F(XlaCpuTest, AnExecutableIsSerializedAndLoadedAgain) {
  const Result<LoadedExecutable> loaded = client_->Compile(kDonates, Options());
  ASSERT_TRUE(loaded) << loaded.error().message;
  const Result<std::string> bytes = loaded->Facts()->Serialize();
  ASSERT_TRUE(bytes) << bytes.error().message;
  const Result<LoadedExecutable> again = client_->Load(*bytes);
  EXPECT_TRUE(again) << again.error().message;
}

}  // namespace
}  // namespace opbyop::pjrt
