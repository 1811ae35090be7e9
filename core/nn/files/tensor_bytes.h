// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Bytes of files that become elements of tensors, and back.
#ifndef PATCHBAY_CORE_NN_FILES_TENSOR_BYTES_H_
#define PATCHBAY_CORE_NN_FILES_TENSOR_BYTES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "patchbay/device.h"
#include "patchbay/tensor.h"

#include "core/nn/files/file.h"
#include "core/nn/files/source.h"

namespace patchbay::nn::files {

/// Memory for bytes on their way, as large as is needed.
class Staging {
 public:
  explicit Staging(std::uint64_t wanted)
      : size_(static_cast<std::size_t>(std::min<std::uint64_t>(wanted, kMostBytes))),
        bytes_(std::make_unique<std::byte[]>(size_)) {}

  std::byte* data() const { return bytes_.get(); }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t kMostBytes = std::size_t{1} << 20;

  std::size_t size_;
  std::unique_ptr<std::byte[]> bytes_;
};

/// How the elements of a file are read.
struct Elements {
  DType dtype = DType::f32;
  Shape shape;
  bool is_big_endian = false;
  bool is_reversed = false;  // the first dimension changes fastest
};

/// The bytes of the elements. Nothing if they are, or would be without extents of 0, more than
/// 2^63 - 1, for which no tensor can be made.
std::optional<std::uint64_t> size_of_elements(DType dtype, const Shape& shape);

/// The device that was given, else first_cpu(). Errors: kUnsupported if the host can't address its
/// memory; kUnknownDevice if none is given and no CPU device is visible.
Device host_device(const std::optional<Device>& device, std::string_view operation);

/// The rest of the source as a contiguous tensor. Memory grows with what is read, up to
/// `most_bytes`. Errors: kInvalidArgument for more or fewer bytes than the shape has, for more than
/// `most_bytes`, and for a bool that is neither 0 nor 1.
Tensor read_elements(Source& source, const Elements& elements, std::uint64_t most_bytes,
                     const Device& device);

/// A new tensor with these bytes. The host writes them: no copy of the ledger's.
Tensor tensor_of_bytes(const void* bytes, DType dtype, const Shape& shape, const Device& device);

/// Its elements in row-major order, by counted copies to the host.
void write_tensor(AtomicFile& file, const Tensor& tensor);

/// The first byte that is neither 0 nor 1.
std::optional<int> wrong_bool(const std::byte* values, std::size_t size);

}  // namespace patchbay::nn::files

#endif  // PATCHBAY_CORE_NN_FILES_TENSOR_BYTES_H_
