// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A kernel of a program, ready to be launched from any stream.
#ifndef PATCHBAY_PLUGINS_OPENCL_KERNELS_LAUNCHER_HPP_
#define PATCHBAY_PLUGINS_OPENCL_KERNELS_LAUNCHER_HPP_

#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kit/portable/base/backend.hpp"
#include "opencl/api/handle.hpp"
#include "opencl/api/pocl.hpp"
#include "opencl/context/context.hpp"
#include "opencl/context/stream.hpp"

namespace patchbay::opencl {

/// Setting arguments is not thread-safe, so each launch takes a kernel object from a pool, and
/// returns it once the driver has read the arguments.
class Launcher : public portable::Function {
 public:
  /// The program must outlive the launcher.
  Launcher(const Context& context, cl_program program, std::string name);

  const std::string& name() const { return name_; }
  std::uint64_t max_group_size() const override { return max_group_size_; }

  void launch(plugin::Stream& stream, std::string_view name, const portable::Grid& grid,
              const portable::Arguments& arguments) override {
    launch(static_cast<Stream&>(stream), name, grid,
           std::span<const portable::Argument>(arguments));
  }
  void launch(Stream& stream, std::string_view name, const portable::Grid& grid,
              std::span<const portable::Argument> arguments);

 private:
  KernelHandle take();
  void give_back(KernelHandle kernel);
  void set(cl_kernel kernel, std::span<const portable::Argument> arguments) const;
  void enqueue(Stream& stream, std::string_view name, const portable::Grid& grid,
               cl_kernel kernel) const;

  const Context& context_;
  const cl_program program_;
  const std::string name_;
  std::size_t max_group_size_ = 0;
  std::mutex mutex_;
  std::vector<KernelHandle> idle_;
  PoclShapes pocl_shapes_;
};

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_KERNELS_LAUNCHER_HPP_
