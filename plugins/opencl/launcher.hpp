// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// One kernel of a program, ready to be launched from any stream.
#ifndef PATCHBAY_PLUGINS_OPENCL_LAUNCHER_HPP_
#define PATCHBAY_PLUGINS_OPENCL_LAUNCHER_HPP_

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "device.hpp"
#include "handle.hpp"
#include "stream.hpp"

namespace patchbay::opencl {

struct Grid {
  std::array<std::size_t, 3> items{1, 1, 1};
  std::array<std::size_t, 3> group{1, 1, 1};
};

/// Setting arguments is not thread-safe, so that each launch takes a kernel object of its own out
/// of a pool, and gives it back once the driver has read the arguments.
class Launcher {
 public:
  Launcher(const Device& device, cl_program program, std::string name);

  const std::string& name() const { return name_; }
  /// The most work-items that a group of this kernel may have.
  std::size_t max_group_size() const { return max_group_size_; }

  class Arguments {
   public:
    template <class T>
    Arguments& value(const T& value) {
      return bytes(&value, sizeof value);
    }
    Arguments& bytes(const void* data, std::size_t size);
    /// A buffer argument of the dialect: object and offset. Null memory is legal.
    Arguments& memory(plugin::Memory memory);

   private:
    friend class Launcher;
    Arguments(const Device& device, cl_kernel kernel) : device_(device), kernel_(kernel) {}
    const Device& device_;
    const cl_kernel kernel_;
    cl_uint next_ = 0;
  };

  /// `set(arguments)` gives the arguments in order. Items are rounded up to whole groups.
  template <class Set>
  void launch(Stream& stream, std::string_view name, const Grid& grid, Set&& set) {
    KernelHandle kernel = take();
    Arguments arguments(device_, kernel.get());
    set(arguments);
    enqueue(stream, name, grid, kernel.get());
    give_back(std::move(kernel));
  }

 private:
  KernelHandle take();
  void give_back(KernelHandle kernel);
  void enqueue(Stream& stream, std::string_view name, const Grid& grid, cl_kernel kernel) const;

  const Device& device_;
  const cl_program program_;
  const std::string name_;
  std::size_t max_group_size_ = 0;
  std::mutex mutex_;
  std::vector<KernelHandle> idle_;
};

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_LAUNCHER_HPP_
