// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The machine itself as a device: it links artifacts into this process and calls them. The processes of a grid are
// threads.
#ifndef OPBYOP_DEVICE_HOST_HOST_DEVICE_H_
#define OPBYOP_DEVICE_HOST_HOST_DEVICE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/host/artifact.h"
#include "device/host/object_loader.h"
#include "device/host/process_threads.h"
#include "device/run_outputs.h"
#include "device/target_device.h"
#include "support/aligned_memory.h"
#include "support/expected.h"
#include "support/files/npy.h"

namespace opbyop::host {

class HostDevice : public device::TargetDevice {
 public:
  static Expected<std::unique_ptr<HostDevice>> Create();

  device::StageResult Load(std::string_view artifact) override;
  int64_t Cores() const override { return 1; }
  int64_t Devices() const override { return ProcessThreads::kMostProcesses; }
  bool Divides() const override { return true; }
  bool LoadsFromBytes() const override { return true; }
  bool Upload(const device::ExecuteRequest& request, const std::vector<int64_t>& inputs) override;
  device::StageResult Execute(const device::ExecuteRequest& request, Timing& timing) override;

 private:
  explicit HostDevice(ObjectLoader loader) : loader_(std::move(loader)) {}

  // The data of an input: a copy, or the mapped file itself.
  struct Input {
    AlignedMemory copy;
    NpyFile file;
    void* data() const { return copy ? copy.get() : const_cast<std::byte*>(file.bytes().data()); }
  };

  // The inputs of a coming execution, already in memory.
  struct Uploaded {
    std::filesystem::path dir;
    std::map<int64_t, Input> inputs;
  };

  Expected<Input> ReadInput(const device::ExecuteRequest& request, int64_t index) const;
  Expected<void> LoadChecked(std::string_view bytes);
  Expected<void> ExecuteChecked(const device::ExecuteRequest& request, Timing& timing);

  // Writes the outputs of a run, one after another of each process; joined to whole ones if the request divides them.
  Expected<void> WriteOutputs(const device::ExecuteRequest& request, const std::vector<AlignedMemory>& outputs,
                              device::OutputsOf run) const;

  ObjectLoader loader_;
  // Calls the entry on the buffers of each process. `spans` gets what each process of a grid did; may be null.
  Expected<void> Call(const std::vector<std::vector<void*>>& pointers, std::vector<protocol::Span>* spans);

  Signature signature_;  // of one process
  Grid grid_;
  EntryPoint entry_ = nullptr;
  std::string loaded_;  // the artifact behind entry_
  Uploaded uploaded_;
};

}  // namespace opbyop::host

#endif  // OPBYOP_DEVICE_HOST_HOST_DEVICE_H_
