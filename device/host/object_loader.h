// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Links object code into this process with LLVM's JITLink and returns a callable function.
//
//   Expected<ObjectLoader> loader = ObjectLoader::Create();
//   Expected<EntryPoint> entry = loader->Load(artifact.object, artifact.entry);
//   (*entry)(buffers);
//   loader->Unload();
//
// Symbols resolve to the C library of the process, except the heap: temporaries of the generated code come from an
// arena that is reset after each call (arena.h), so no case can leak into the next.
#ifndef OPBYOP_DEVICE_HOST_OBJECT_LOADER_H_
#define OPBYOP_DEVICE_HOST_OBJECT_LOADER_H_

#include <memory>
#include <string>
#include <string_view>

#include "support/expected.h"

namespace opbyop::host {

using EntryPoint = void (*)(void** buffers);

class ObjectLoader {
 public:
  static Expected<ObjectLoader> Create();

  ObjectLoader(ObjectLoader&&) noexcept;
  ObjectLoader& operator=(ObjectLoader&&) noexcept;
  ~ObjectLoader();

  // Drops what was loaded before. Returns kBadInput, with the names of the symbols, if the object does not link.
  Expected<EntryPoint> Load(std::string_view object, std::string_view entry);
  void Unload();

 private:
  struct State;
  explicit ObjectLoader(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace opbyop::host

#endif  // OPBYOP_DEVICE_HOST_OBJECT_LOADER_H_
