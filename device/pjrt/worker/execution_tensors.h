// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Moves tensors between the files of a case and the device.
//
//   Expected<InputTensor> input = InputTensor::Read(dir / "input_0.npy", type);
//   Result<Buffer> buffer = client.BufferFromHost(input->host(), device);
//   Expected<std::vector<std::byte>> bytes = FetchOutput(buffer, type, "output 0");   // in stored form (support/dtype.h)
//   Expected<void> untouched = CheckUntouched(*buffer, *input, "input 0");
#ifndef OPBYOP_DEVICE_PJRT_WORKER_EXECUTION_TENSORS_H_
#define OPBYOP_DEVICE_PJRT_WORKER_EXECUTION_TENSORS_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "device/pjrt/buffer.h"
#include "manifests/cases/case_sharding.h"
#include "support/expected.h"
#include "support/files/npy.h"
#include "support/tensor_type.h"

namespace opbyop::pjrt {

// A file that stays mapped read-only while a device may read it, or a part of one.
class InputTensor {
 public:
  // Returns kBadInput if the file has another shape or size, kUnsupported if PJRT has no such element type.
  static Expected<InputTensor> Read(const std::filesystem::path& file, const TensorType& type);

  // A copy of the part that a device has, padding included.
  InputTensor PartOf(int64_t device, const TensorType& type, const Division& division) const;

  HostTensor host() const {
    return is_part_ ? HostTensor{type_, part_shape_, part_} : HostTensor{type_, file_.shape(), file_.bytes()};
  }
  int64_t bytes() const { return static_cast<int64_t>(host().bytes.size()); }

 private:
  explicit InputTensor(PJRT_Buffer_Type type) : type_(type) {}

  PJRT_Buffer_Type type_;
  NpyFile file_;
  bool is_part_ = false;
  std::vector<int64_t> part_shape_;
  std::vector<std::byte> part_;
};

struct OutputTensor {
  TensorType type;  // dynamic dimensions have the size of the result
  std::vector<std::byte> bytes;
};

// `name` is the tensor's in errors. Returns kBadInput if the plugin's type, shape or size is not the program's.
Expected<OutputTensor> FetchOutput(const Buffer& buffer, const TensorType& type, const std::string& name);

// Returns kBadInput if the device's copy of an input differs from the tensor that was sent.
Expected<void> CheckUntouched(const Buffer& buffer, const InputTensor& input, const std::string& name);

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_WORKER_EXECUTION_TENSORS_H_
