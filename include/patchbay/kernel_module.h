// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Kernels of the user's own: a text in the portable dialect (docs/kernels.md), compiled for one
// device and launched on tensors.
#ifndef PATCHBAY_KERNEL_MODULE_H_
#define PATCHBAY_KERNEL_MODULE_H_

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "patchbay/device.h"
#include "patchbay/export.h"
#include "patchbay/tensor.h"
#include "patchbay/tensor_or_scalar.h"

namespace patchbay {

namespace runtime {
struct ModuleState;
struct ModuleKernelState;
}  // namespace runtime

/// Numbers along up to three axes; what is not given is 1.
struct Axes3 {
  std::int64_t x = 1, y = 1, z = 1;
};

/// How many groups there are, and how many work-items each has.
struct Grid {
  Axes3 groups{}, group_size{};
};

struct ModuleOptions {
  std::string name = "kernel";  // how errors of the compiler call the text
};

/// One kernel of a module. A shared handle that keeps the module; any thread may launch it.
class PATCHBAY_API ModuleKernel {
 public:
  /// Queued on the device's default stream, after what the tensors wait for; the tensors are kept
  /// as long as it takes. Tensors are contiguous, and a written one shares no element with another
  /// argument. With 0 groups nothing is launched. Errors, all before any work: kInvalidArgument
  /// (number or kind of arguments, layout, overlap, grid, and outside of NoGrad a tensor that
  /// requires gradients), kDtypeMismatch, kDeviceMismatch.
  void launch(const Grid& grid, std::initializer_list<TensorOrScalar> arguments) const {
    launch(grid, std::span<const TensorOrScalar>(arguments.begin(), arguments.size()));
  }
  void launch(const Grid& grid, std::span<const TensorOrScalar> arguments) const;

  const std::string& name() const;
  Device device() const;
  /// "saxpy(input f32 x, inout f32 y, f32 a, i64 n)"
  std::string signature() const;

  explicit ModuleKernel(std::shared_ptr<const runtime::ModuleKernelState> state)
      : state_(std::move(state)) {}

 private:
  std::shared_ptr<const runtime::ModuleKernelState> state_;
};

/// A compiled kernel text. A shared handle; all calls are thread-safe. The last handle, kernels'
/// included, waits for the launches of the module's kernels when it goes.
class PATCHBAY_API KernelModule {
 public:
  /// Compiles `text` for the device; blocks as long as the compiler takes, unless it was compiled
  /// before. Errors: kBuildFailed with the compiler's log and the text's own line numbers (the one
  /// message of several lines); kInvalidArgument for a signature that can't be read; kUnsupported
  /// if the device loads no modules or lacks a compiler or a dtype.
  [[nodiscard]] static KernelModule from_source(const Device& device, std::string_view text,
                                                const ModuleOptions& options = {});
  /// The same from a file, by whose path errors call it. Errors: also kIo.
  [[nodiscard]] static KernelModule from_file(const Device& device, const std::string& path);

  /// Errors: kInvalidArgument, which lists the kernels that there are.
  ModuleKernel kernel(std::string_view name) const;
  /// In the order of the text.
  std::vector<std::string> kernel_names() const;
  Device device() const;

 private:
  explicit KernelModule(std::shared_ptr<runtime::ModuleState> state) : state_(std::move(state)) {}

  std::shared_ptr<runtime::ModuleState> state_;
};

}  // namespace patchbay

#endif  // PATCHBAY_KERNEL_MODULE_H_
