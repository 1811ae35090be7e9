// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Owns an object of the driver.
#ifndef PATCHBAY_PLUGINS_OPENCL_API_HANDLE_HPP_
#define PATCHBAY_PLUGINS_OPENCL_API_HANDLE_HPP_

#include <utility>

#include "opencl/api/symbols.hpp"

namespace patchbay::opencl {

/// Releases the object with the table's entry `release`.
template <class T, cl_int (*Symbols::*release)(T)>
class Handle {
 public:
  Handle() = default;
  Handle(const Symbols& cl, T object) noexcept : cl_(&cl), object_(object) {}
  Handle(Handle&& other) noexcept
      : cl_(other.cl_), object_(std::exchange(other.object_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(cl_, other.cl_);
    std::swap(object_, other.object_);
    return *this;
  }
  ~Handle() {
    if (object_ != nullptr) (cl_->*release)(object_);
  }

  T get() const noexcept { return object_; }
  const T* address() const noexcept { return &object_; }
  T take() noexcept { return std::exchange(object_, nullptr); }
  explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  const Symbols* cl_ = nullptr;
  T object_ = nullptr;
};

using ContextHandle = Handle<cl_context, &Symbols::clReleaseContext>;
using QueueHandle = Handle<cl_queue, &Symbols::clReleaseCommandQueue>;
using BufferHandle = Handle<cl_buffer, &Symbols::clReleaseMemObject>;
using EventHandle = Handle<cl_event, &Symbols::clReleaseEvent>;
using ProgramHandle = Handle<cl_program, &Symbols::clReleaseProgram>;
using KernelHandle = Handle<cl_kernel, &Symbols::clReleaseKernel>;

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_API_HANDLE_HPP_
