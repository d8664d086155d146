// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/host/object_loader.h"

#include <fmt/format.h>
#include <llvm/ExecutionEngine/Orc/AbsoluteSymbols.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h>
#include <llvm/Support/MemoryBuffer.h>

#include "device/host/arena.h"
#include "device/host/exchange.h"
#include "device/host/float_conversion.h"
#include "device/host/process_threads.h"

namespace opbyop::host {

struct ObjectLoader::State {
  explicit State(std::unique_ptr<llvm::orc::ExecutorProcessControl> control)
      : session(std::move(control)), linker(session) {
    // An error of a broken object belongs in the StageResult, not on stderr.
    session.setErrorReporter([this](llvm::Error error) { reported = llvm::toString(std::move(error)); });
  }
  ~State() { llvm::consumeError(session.endSession()); }

  llvm::orc::ExecutionSession session;
  llvm::orc::ObjectLinkingLayer linker;
  llvm::orc::JITDylib* runtime = nullptr;
  llvm::orc::JITDylib* loaded = nullptr;
  int loads = 0;
  std::string reported;
};

ObjectLoader::ObjectLoader(std::unique_ptr<State> state) : state_(std::move(state)) {}
ObjectLoader::ObjectLoader(ObjectLoader&&) noexcept = default;
ObjectLoader& ObjectLoader::operator=(ObjectLoader&&) noexcept = default;
ObjectLoader::~ObjectLoader() = default;

Expected<ObjectLoader> ObjectLoader::Create() {
  const auto failed = [](llvm::Error error) {
    return MakeError(ExitCode::kInternal, "LLVM's JIT linker does not start: " + llvm::toString(std::move(error)));
  };
  auto control =
      llvm::orc::SelfExecutorProcessControl::Create(nullptr, std::make_unique<llvm::orc::InPlaceTaskDispatcher>());
  if (!control) return failed(control.takeError());
  auto state = std::make_unique<State>(std::move(*control));

  state->runtime = &state->session.createBareJITDylib("runtime");
  llvm::orc::SymbolMap symbols;
  const auto define = [&](llvm::StringRef name, auto* function) {
    symbols[state->session.intern(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                                            llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  };
  define("malloc", &ArenaAllocate);
  define("free", &ArenaFree);
  define(kExchangeSymbol, &ProcessThreads::Exchange);
  define(kProcessSymbol, &ProcessThreads::Process);
  for (const FloatConversion& conversion : FloatConversions()) define(conversion.symbol, conversion.function);
  if (llvm::Error error = state->runtime->define(llvm::orc::absoluteSymbols(std::move(symbols)))) {
    return failed(std::move(error));
  }
  auto process = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(/*GlobalPrefix=*/'\0');
  if (!process) return failed(process.takeError());
  state->runtime->addGenerator(std::move(*process));
  return ObjectLoader(std::move(state));
}

Expected<EntryPoint> ObjectLoader::Load(std::string_view object, std::string_view entry) {
  Unload();
  State& state = *state_;
  state.reported.clear();
  state.loaded = &state.session.createBareJITDylib(fmt::format("case{}", state.loads++));
  state.loaded->addToLinkOrder(*state.runtime);
  const auto failed = [&](llvm::Error error) {
    const std::string message = llvm::toString(std::move(error));
    Unload();
    return MakeError(ExitCode::kBadInput, "the object code does not link: " +
                                              (state.reported.empty() ? message : state.reported + "; " + message));
  };
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(object), "object");
  if (llvm::Error error = state.linker.add(*state.loaded, std::move(buffer))) return failed(std::move(error));
  auto symbol = state.session.lookup({state.loaded}, llvm::StringRef(entry));
  if (!symbol) return failed(symbol.takeError());
  return symbol->getAddress().toPtr<EntryPoint>();
}

void ObjectLoader::Unload() {
  if (!state_->loaded) return;
  if (llvm::Error error = state_->session.removeJITDylib(*state_->loaded)) llvm::consumeError(std::move(error));
  state_->loaded = nullptr;
}

}  // namespace opbyop::host
