// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/split/convert_hlo.h"

#include <filesystem>

#include "support/files/file.h"
#include "support/files/project_folder.h"

namespace opbyop::commands {

Expected<generator::ConvertedProgram> HloConverter::Convert(const generator::ModelSource& source) {
  if (worker_ == nullptr) {
    Expected<std::unique_ptr<Lowerer>> started =
        Lowerer::Start((ProjectFolder() / "device/xla/hlo.yaml").string(), "hlo-to-stablehlo");
    if (!started) return Unexpected(started.error());
    worker_ = std::move(*started);
  }
  const Expected<std::filesystem::path> file = worker_->Lower(source.name, source.file, Lowerer::Input::kAsItIs);
  if (!file) return Unexpected(file.error());
  Expected<std::string> bytes = ReadFile(*file);
  if (!bytes) return Unexpected(bytes.error());
  return generator::ConvertedProgram{.bytes = std::move(*bytes), .by = worker_->Version()};
}

}  // namespace opbyop::commands
