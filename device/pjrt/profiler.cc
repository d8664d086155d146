// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/profiler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <future>
#include <protozero/pbf_builder.hpp>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace opbyop::pjrt {
namespace {

// No known version has so large a table. A larger number is not a size: version 0 has functions in its place.
constexpr size_t kMostTableBytes = 1 << 16;

tl::unexpected<Error> Unusable(std::string reason) { return MakeError(ExitCode::kUnsupported, std::move(reason)); }

// Field numbers of tensorflow.ProfileOptions. With version 1 the levels are used as they are set.
enum class SessionOption : protozero::pbf_tag_type { kHostLevel = 2, kDeviceLevel = 3, kPythonLevel = 4, kVersion = 5 };

std::string OptionsOfSession() {
  std::string bytes;
  protozero::pbf_builder<SessionOption> options(bytes);
  options.add_uint32(SessionOption::kVersion, 1);
  options.add_uint32(SessionOption::kDeviceLevel, 1);
  options.add_uint32(SessionOption::kHostLevel, 0);
  options.add_uint32(SessionOption::kPythonLevel, 0);
  return bytes;
}

std::vector<std::string_view> LackingFunctions(const ProfilerTable& table) {
  std::vector<std::string_view> lacking;
  const auto look = [&](std::string_view name, auto* const& slot) {
    const auto end = reinterpret_cast<uintptr_t>(&slot + 1) - reinterpret_cast<uintptr_t>(&table);
    if (end > table.struct_size || slot == nullptr) lacking.push_back(name);
  };
  look("error_destroy", table.error_destroy);
  look("error_message", table.error_message);
  look("error_code", table.error_code);
  look("create", table.create);
  look("destroy", table.destroy);
  look("start", table.start);
  look("stop", table.stop);
  look("collect", table.collect);
  return lacking;
}

// Reads and destroys an error.
CallError Take(const ProfilerTable& table, std::string_view function, PluginProfilerError* error) {
  CallError taken = {.function = fmt::format("the profiler's {}", function)};
  const auto destroy = [&](PluginProfilerError* dead) {
    ProfilerErrorDestroyArguments args = {sizeof(args), nullptr, dead};
    table.error_destroy(&args);
  };
  ProfilerErrorCodeArguments code = {sizeof(code), nullptr, error, PJRT_Error_Code_OK};
  PluginProfilerError* second = table.error_code(&code);
  if (second == nullptr && code.code != PJRT_Error_Code_OK) taken.code = code.code;
  if (second != nullptr) destroy(second);
  ProfilerErrorMessageArguments message = {sizeof(message), nullptr, error, nullptr, 0};
  table.error_message(&message);
  taken.message = TextOf(message.message, message.message_size);
  destroy(error);
  return taken;
}

Expected<void> Check(const ProfilerTable& table, std::string_view function, PluginProfilerError* error) {
  if (error == nullptr) return {};
  const CallError taken = Take(table, function, error);
  return MakeError(ExitCode::kBadInput, fmt::format("{} fails: {}", taken.function, ToError(taken).message));
}

Expected<void> CheckSize(size_t bytes) {
  if (bytes <= kMostTraceBytes) return {};
  return MakeError(ExitCode::kBadInput, fmt::format("the profiler reports a trace of {} bytes, more than the {} MiB "
                                                    "that are read",
                                                    bytes, kMostTraceBytes >> 20));
}

Expected<std::string> Collect(const ProfilerTable& table, PluginProfiler* profiler) {
  ProfilerCollectArguments args = {sizeof(args), profiler, nullptr, 0};
  if (const auto done = Check(table, "collect", table.collect(&args)); !done) return Unexpected(done.error());
  if (const auto fits = CheckSize(args.buffer_size); !fits) return Unexpected(fits.error());
  if (args.buffer_size == 0) return std::string();
  if (args.buffer != nullptr) return std::string(reinterpret_cast<const char*>(args.buffer), args.buffer_size);
  std::string bytes(args.buffer_size, '\0');
  ProfilerCollectArguments filled = {sizeof(filled), profiler, reinterpret_cast<uint8_t*>(bytes.data()), bytes.size()};
  if (const auto done = Check(table, "collect", table.collect(&filled)); !done) return Unexpected(done.error());
  if (filled.buffer_size > bytes.size()) {
    return MakeError(ExitCode::kBadInput, fmt::format("the profiler's trace grew from {} to {} bytes while it was read",
                                                      bytes.size(), filled.buffer_size));
  }
  bytes.resize(filled.buffer_size);
  return bytes;
}

}  // namespace

Expected<const ProfilerTable*> FindProfiler(const Api& api) {
  const PJRT_Extension_Base* base = api.FindExtension(PJRT_Extension_Type_Profiler);
  if (base == nullptr) return Unusable("the plugin has no extension of a profiler");
  constexpr size_t kNeeded = offsetof(ProfilerExtension, table) + sizeof(ProfilerExtension::table);
  const auto older = [&](size_t bytes) {
    return Unusable(
        fmt::format("the plugin's profiler is of an older form of the extension than version 1, {} bytes "
                    "(its interface is {}.{})",
                    bytes, api.major_version(), api.minor_version()));
  };
  if (base->struct_size < kNeeded) return older(base->struct_size);
  const ProfilerTable* table = reinterpret_cast<const ProfilerExtension*>(base)->table;
  if (table == nullptr) return Unusable("the plugin has the extension of a profiler without its table of functions");
  if (table->struct_size > kMostTableBytes) return older(base->struct_size);
  if (const auto lacking = LackingFunctions(*table); !lacking.empty()) {
    return Unusable(fmt::format("the plugin's profiler has no {}", fmt::join(lacking, ", ")));
  }
  return table;
}

struct ProfilerSession::State {
  const ProfilerTable* table;
  std::chrono::milliseconds limit;
  PluginProfiler* profiler = nullptr;
  bool started = false;
  bool lost = false;  // a call has not returned, so no further call is possible

  // Returns the result of `work`, or an error if it did not return in time.
  template <typename T>
  static Expected<T> Within(const std::shared_ptr<State>& state, std::string_view what,
                            std::function<Expected<T>(State&)> work) {
    auto task =
        std::make_shared<std::packaged_task<Expected<T>()>>([state, work = std::move(work)] { return work(*state); });
    std::future<Expected<T>> future = task->get_future();
    try {
      std::thread([task] { (*task)(); }).detach();
    } catch (const std::system_error& error) {
      return MakeError(ExitCode::kInternal, fmt::format("no thread for the profiler: {}", error.what()));
    }
    if (future.wait_for(state->limit) == std::future_status::ready) return future.get();
    state->lost = true;
    return MakeError(ExitCode::kBadInput, fmt::format("the profiler did not return from {} within {} s", what,
                                                      static_cast<double>(state->limit.count()) / 1e3));
  }
};

Expected<ProfilerSession> ProfilerSession::Start(const ProfilerTable& table, std::chrono::milliseconds limit) {
  auto state = std::make_shared<State>(State{.table = &table, .limit = limit});
  ProfilerSession session(state);
  const Expected<void> started = State::Within<void>(state, "its start", [](State& state) -> Expected<void> {
    const std::string options = OptionsOfSession();
    ProfilerCreateArguments create = {sizeof(create), options.data(), options.size(), nullptr};
    if (const auto done = Check(*state.table, "create", state.table->create(&create)); !done) return done;
    if (create.profiler == nullptr) {
      return MakeError(ExitCode::kBadInput, "the profiler's create succeeded and gave no profiler");
    }
    state.profiler = create.profiler;
    ProfilerArguments start = {sizeof(start), state.profiler};
    if (const auto done = Check(*state.table, "start", state.table->start(&start)); !done) return done;
    state.started = true;
    return {};
  });
  if (!started) return Unexpected(started.error());
  return session;
}

Expected<std::string> ProfilerSession::Stop() {
  Expected<std::string> bytes =
      State::Within<std::string>(state_, "its stop", [](State& state) -> Expected<std::string> {
        state.started = false;
        ProfilerArguments stop = {sizeof(stop), state.profiler};
        if (const auto done = Check(*state.table, "stop", state.table->stop(&stop)); !done) {
          return Unexpected(done.error());
        }
        return Collect(*state.table, state.profiler);
      });
  return bytes;
}

ProfilerSession::~ProfilerSession() {
  if (state_ == nullptr || state_->lost || state_->profiler == nullptr) return;
  const Expected<void> ended = State::Within<void>(state_, "its end", [](State& state) -> Expected<void> {
    ProfilerArguments args = {sizeof(args), state.profiler};
    if (state.started) {
      if (const auto done = Check(*state.table, "stop", state.table->stop(&args)); !done) return done;
    }
    return Check(*state.table, "destroy", state.table->destroy(&args));
  });
  // The error is only printed, because nobody could act on it.
  if (!ended) fmt::print(stderr, "{}\n", ended.error().message);
}

}  // namespace opbyop::pjrt
