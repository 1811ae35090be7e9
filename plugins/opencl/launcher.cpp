// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "launcher.hpp"

#include "error.hpp"

namespace patchbay::opencl {

Launcher::Launcher(const Device& device, cl_program program, std::string name)
    : device_(device), program_(program), name_(std::move(name)) {
  give_back(take());
}

KernelHandle Launcher::take() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!idle_.empty()) {
      KernelHandle kernel = std::move(idle_.back());
      idle_.pop_back();
      return kernel;
    }
  }
  cl_int code = 0;
  const cl_kernel kernel = device_.cl().clCreateKernel(program_, name_.c_str(), &code);
  check(code, "clCreateKernel");
  return {device_.cl(), kernel};
}

void Launcher::give_back(KernelHandle kernel) {
  const std::lock_guard<std::mutex> lock(mutex_);
  idle_.push_back(std::move(kernel));
}

Launcher::Arguments& Launcher::Arguments::bytes(const void* data, std::size_t size) {
  check(device_.cl().clSetKernelArg(kernel_, next_++, size, data), "clSetKernelArg");
  return *this;
}

Launcher::Arguments& Launcher::Arguments::memory(plugin::Memory memory) {
  const cl_buffer buffer =
      memory.base == nullptr ? nullptr : device_.memory().device_buffer(memory);
  return value(buffer).value(memory.offset_bytes);
}

void Launcher::enqueue(Stream& stream, std::string_view name, const Grid& grid,
                       cl_kernel kernel) const {
  std::array<std::size_t, 2> items{};
  for (std::size_t axis = 0; axis < 2; ++axis) {
    items[axis] = (grid.items[axis] + grid.group[axis] - 1) / grid.group[axis] * grid.group[axis];
  }
  const cl_uint dimensions = grid.items[1] > 1 || grid.group[1] > 1 ? 2 : 1;
  stream.submit(name.empty() ? std::string_view(name_) : name, "clEnqueueNDRangeKernel",
                [&](cl_queue queue, cl_event* event) {
                  return device_.cl().clEnqueueNDRangeKernel(queue, kernel, dimensions, nullptr,
                                                             items.data(), grid.group.data(), 0,
                                                             nullptr, event);
                });
}

}  // namespace patchbay::opencl
