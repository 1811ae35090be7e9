// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "launcher.hpp"

#include "error.hpp"

namespace patchbay::opencl {

Launcher::Launcher(const Device& device, cl_program program, std::string name)
    : device_(device), program_(program), name_(std::move(name)) {
  KernelHandle kernel = take();
  check(device.cl().clGetKernelWorkGroupInfo(kernel.get(), device.info().id,
                                             static_cast<cl_uint>(kKernelWorkGroupSize),
                                             sizeof max_group_size_, &max_group_size_, nullptr),
        "clGetKernelWorkGroupInfo");
  give_back(std::move(kernel));
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
  if (code == kInvalidKernelName) {
    plugin::invalid_argument("the text has no kernel '" + name_ + "'");
  }
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
  std::array<std::size_t, 3> items{};
  cl_uint dimensions = 1;
  for (std::size_t axis = 0; axis < items.size(); ++axis) {
    items[axis] = (grid.items[axis] + grid.group[axis] - 1) / grid.group[axis] * grid.group[axis];
    if (items[axis] > 1) dimensions = static_cast<cl_uint>(axis) + 1;
  }
  stream.submit(name.empty() ? std::string_view(name_) : name, "clEnqueueNDRangeKernel",
                [&](cl_queue queue, cl_event* event) {
                  return device_.cl().clEnqueueNDRangeKernel(queue, kernel, dimensions, nullptr,
                                                             items.data(), grid.group.data(), 0,
                                                             nullptr, event);
                });
}

}  // namespace patchbay::opencl
