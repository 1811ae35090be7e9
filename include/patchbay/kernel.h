// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Prepared kernels: the level below tensor operations.
#ifndef PATCHBAY_KERNEL_H_
#define PATCHBAY_KERNEL_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "patchbay/buffer.h"
#include "patchbay/device.h"
#include "patchbay/dtype.h"
#include "patchbay/export.h"
#include "patchbay/handle.h"
#include "patchbay/shape.h"
#include "patchbay/stream.h"

namespace patchbay {

namespace runtime {
struct KernelState;
}

enum class Access : std::uint8_t { kRead = 1, kWrite = 2, kReadWrite = 3 };

/// One argument that a kernel is prepared for.
struct PATCHBAY_API ArgumentSpec {
  enum class Kind : std::uint8_t { kTensor = 1, kScalar = 2, kBytes = 3 };
  Kind kind = Kind::kTensor;
  DType dtype = DType::f32;
  Access access = Access::kRead;
  bool any_shape = true;  // rank, extents and strides are known only at launch
  Shape shape, strides;   // when any_shape is false

  static ArgumentSpec tensor(DType dtype, Access access);
  static ArgumentSpec scalar(DType dtype);
};

/// One argument of a launch.
struct PATCHBAY_API Argument {
  ArgumentSpec::Kind kind = ArgumentSpec::Kind::kTensor;
  DType dtype = DType::f32;
  Access access = Access::kRead;
  Buffer buffer;                 // tensor
  std::size_t offset_bytes = 0;  // of the element at index 0, 0, ...
  Shape shape, strides;          // in elements
  std::uint64_t scalar_bits = 0;
  std::string_view bytes;  // owned by the caller; read before launch returns

  /// A contiguous tensor of `shape` at the start of `buffer`.
  static Argument tensor(Buffer buffer, DType dtype, const Shape& shape, Access access);
  /// T: float, double, or an integer, such as std::int8_t.
  template <class T>
  static Argument scalar(T value) {
    static_assert(!std::is_same_v<T, bool>, "pass a bool as std::uint8_t");
    Argument argument;
    argument.kind = ArgumentSpec::Kind::kScalar;
    argument.dtype = dtype_of<T>();
    std::memcpy(&argument.scalar_bits, &value, sizeof(value));
    return argument;
  }
};

struct Attribute {
  std::string name;
  std::variant<std::int64_t, double, std::string> value;
};

struct KernelSpec {
  std::string op;  // name with version: "add.1"
  std::vector<ArgumentSpec> arguments;
  std::vector<Attribute> attributes;
  std::size_t workspace_limit_bytes = SIZE_MAX;
};

/// A kernel prepared for one device. The core caches it under its spec. A shared handle; any thread
/// may launch it.
class PATCHBAY_API Kernel {
 public:
  /// Blocks while the plugin prepares the kernel. Errors: kUnsupported, which names the operation,
  /// dtypes, device and the plugin's reason.
  static Kernel prepare(const Device& device, const KernelSpec& spec);

  Device device() const;
  std::size_t workspace_bytes() const;
  /// Queued. Inserts no waits: the caller orders streams. The buffers are kept until the launch is
  /// done. A kernel of a fused expression also takes several groups of tensors before the scalars.
  /// Errors: kInvalidArgument if the arguments do not fit the spec or reach outside their buffer;
  /// kDeviceMismatch; kUnsupported for several groups if the device takes one in a launch.
  void launch(const Stream& stream, std::span<const Argument> arguments,
              std::string_view name = {}) const;

  explicit Kernel(std::shared_ptr<runtime::KernelState> state) : state_(std::move(state)) {}
  runtime::KernelState& state() const { return *state_; }

 private:
  runtime::ObjectHandle<runtime::KernelState, "Kernel"> state_;
};

/// Empty if the device supports such a kernel, else the reason why not.
PATCHBAY_API std::string why_unsupported(const Device& device, const KernelSpec& spec);

}  // namespace patchbay

#endif  // PATCHBAY_KERNEL_H_
