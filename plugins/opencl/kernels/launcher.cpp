// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "opencl/kernels/launcher.hpp"

#include <array>

#include "kit/dialect_module.hpp"
#include "opencl/api/error.hpp"

namespace patchbay::opencl {

Launcher::Launcher(const Context& context, cl_program program, std::string name)
    : context_(context), program_(program), name_(std::move(name)) {
  KernelHandle kernel = take();
  check(context.cl().clGetKernelWorkGroupInfo(kernel.get(), context.info().id,
                                              static_cast<cl_uint>(kKernelWorkGroupSize),
                                              sizeof max_group_size_, &max_group_size_, nullptr),
        "clGetKernelWorkGroupInfo");
  cl_bits shared_bytes = 0;
  check(context.cl().clGetKernelWorkGroupInfo(kernel.get(), context.info().id,
                                              static_cast<cl_uint>(kKernelLocalMemSize),
                                              sizeof shared_bytes, &shared_bytes, nullptr),
        "clGetKernelWorkGroupInfo");
  if (shared_bytes > context.info().local_memory_bytes) {
    plugin::invalid_argument("kernel '" + name_ + "' has " + std::to_string(shared_bytes) +
                             " bytes of shared memory: expected at most " +
                             std::to_string(context.info().local_memory_bytes) +
                             " on this device. Share less, in more groups");
  }
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
  const cl_kernel kernel =
      context_.cl().clCreateKernel(program_, compiled_name(name_).c_str(), &code);
  if (code == kInvalidKernelName) {
    plugin::invalid_argument("the text has no kernel '" + name_ + "'");
  }
  check(code, "clCreateKernel");
  return {context_.cl(), kernel};
}

void Launcher::give_back(KernelHandle kernel) {
  const std::lock_guard<std::mutex> lock(mutex_);
  idle_.push_back(std::move(kernel));
}

void Launcher::set(cl_kernel kernel, std::span<const portable::Argument> arguments) const {
  cl_uint next = 0;
  const auto set_one = [&](const void* data, std::size_t size_bytes) {
    check(context_.cl().clSetKernelArg(kernel, next++, size_bytes, data), "clSetKernelArg");
  };
  for (const portable::Argument& argument : arguments) {
    if (!argument.is_memory()) {
      set_one(argument.bytes, argument.size_bytes);
      continue;
    }
    // The dialect passes a buffer as two arguments: object and offset. A null buffer is valid.
    const plugin::Memory& memory = argument.memory;
    const cl_buffer buffer =
        memory.base == nullptr ? nullptr : context_.memory().device_buffer(memory);
    set_one(&buffer, sizeof buffer);
    set_one(&memory.offset_bytes, sizeof memory.offset_bytes);
  }
}

void Launcher::launch(Stream& stream, std::string_view name, const portable::Grid& grid,
                      std::span<const portable::Argument> arguments) {
  if (context_.info().is_pocl) pocl_shapes_.check(grid.group, grid.items);
  KernelHandle kernel = take();
  set(kernel.get(), arguments);
  enqueue(stream, name, grid, kernel.get());
  give_back(std::move(kernel));
}

void Launcher::enqueue(Stream& stream, std::string_view name, const portable::Grid& grid,
                       cl_kernel kernel) const {
  std::array<std::size_t, 3> items{}, group{};
  cl_uint dimensions = 1;
  for (std::size_t axis = 0; axis < items.size(); ++axis) {
    group[axis] = grid.group[axis];
    items[axis] = (grid.items[axis] + group[axis] - 1) / group[axis] * group[axis];
    if (items[axis] > 1) dimensions = static_cast<cl_uint>(axis) + 1;
  }
  stream.submit(name.empty() ? std::string_view(name_) : name, "clEnqueueNDRangeKernel",
                [&](cl_queue queue, cl_event* event) {
                  return context_.cl().clEnqueueNDRangeKernel(queue, kernel, dimensions, nullptr,
                                                              items.data(), group.data(), 0,
                                                              nullptr, event);
                });
}

}  // namespace patchbay::opencl
