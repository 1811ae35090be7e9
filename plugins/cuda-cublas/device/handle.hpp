// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Owns an object of the driver.
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_HANDLE_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_HANDLE_HPP_

#include <utility>

#include "cuda-cublas/device/context.hpp"

namespace patchbay::cuda {

/// Releases the object with the table's entry `release`.
template <class T, Entry<int(T)> DriverTable::*release>
class Handle {
 public:
  Handle() = default;
  Handle(Context& context, T object) noexcept : context_(&context), object_(object) {}
  Handle(Handle&& other) noexcept
      : context_(other.context_), object_(std::exchange(other.object_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(object_, other.object_);
    return *this;
  }
  ~Handle() {
    if (object_ != nullptr) context_->call_quietly(context_->driver().*release, object_);
  }

  T get() const noexcept { return object_; }

 private:
  Context* context_ = nullptr;
  T object_ = nullptr;
};

using StreamHandle = Handle<NativeStream, &DriverTable::stream_destroy>;
using EventHandle = Handle<NativeEvent, &DriverTable::event_destroy>;
using ModuleHandle = Handle<NativeModule, &DriverTable::module_unload>;

inline EventHandle create_event(Context& context, int flags) {
  NativeEvent event = nullptr;
  context.call(context.driver().event_create, &event, static_cast<unsigned>(flags));
  return {context, event};
}

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_HANDLE_HPP_
