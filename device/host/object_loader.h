// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Object code -> a callable function in this process, by LLVM's JITLink.
//
//   Expected<ObjectLoader> loader = ObjectLoader::Create();
//   Expected<EntryPoint> entry = loader->Load(artifact.object, artifact.entry);
//   (*entry)(buffers);
//   loader->Unload();
//
// Symbols resolve to the C library of the process, except the heap: temporaries of the generated code come
// from an arena that lasts one call (Arena), so no case can leak into the next.
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

  // Drops what was loaded before. kBadInput where the object does not link: the message names the symbols.
  Expected<EntryPoint> Load(std::string_view object, std::string_view entry);
  void Unload();

 private:
  struct State;
  explicit ObjectLoader(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace opbyop::host

#endif  // OPBYOP_DEVICE_HOST_OBJECT_LOADER_H_
