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
#include "patchbay/handle.h"
#include "patchbay/tensor.h"
#include "patchbay/tensor_or_scalar.h"

namespace patchbay {

namespace runtime {
struct ModuleState;
struct ModuleKernelState;
}  // namespace runtime

/// Numbers along up to three axes; 1 where not given.
struct Axes3 {
  std::int64_t x = 1, y = 1, z = 1;
};

/// The number of groups, and of work-items in each group.
struct Grid {
  Axes3 groups{}, group_size{};
};

struct ModuleOptions {
  std::string name = "kernel";  // the name of the text in errors of the compiler
};

/// One kernel of a module. A shared handle that keeps the module; any thread may launch it.
class PATCHBAY_API ModuleKernel {
 public:
  /// Queued on the device's current stream, after pending work on the tensors, which are kept until
  /// the launch is done. Tensors must be contiguous, and a written one must not overlap another
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
  runtime::ObjectHandle<const runtime::ModuleKernelState, "ModuleKernel"> state_;
};

/// A compiled kernel text: docs/kernels.md. A shared handle; all calls are thread-safe. Dropping
/// the last handle, including those of its kernels, waits for the launches of the module.
class PATCHBAY_API KernelModule {
 public:
  /// Compiles `text` for the device, or takes it from the cache. Blocks until it is compiled.
  /// Errors: kBuildFailed with the compiler's log and the line numbers of the text (the one message
  /// of several lines); kInvalidArgument for a signature that can't be read; kUnsupported if the
  /// device loads no modules or lacks a compiler or a dtype.
  [[nodiscard]] static KernelModule from_source(const Device& device, std::string_view text,
                                                const ModuleOptions& options = {});
  /// Compiles the text of a file, whose path errors name. Errors: also kIo.
  [[nodiscard]] static KernelModule from_file(const Device& device, const std::string& path);

  /// Errors: kInvalidArgument for an unknown name, which lists the kernels.
  ModuleKernel kernel(std::string_view name) const;
  /// The names of the kernels, in the order of the text.
  std::vector<std::string> kernel_names() const;
  Device device() const;

 private:
  explicit KernelModule(std::shared_ptr<runtime::ModuleState> state) : state_(std::move(state)) {}

  runtime::ObjectHandle<runtime::ModuleState, "KernelModule"> state_;
};

}  // namespace patchbay

#endif  // PATCHBAY_KERNEL_MODULE_H_
