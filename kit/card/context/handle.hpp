// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Owns an object of the driver.
#ifndef PATCHBAY_KIT_CARD_CONTEXT_HANDLE_HPP_
#define PATCHBAY_KIT_CARD_CONTEXT_HANDLE_HPP_

#include <utility>

#include "kit/card/context/context.hpp"

namespace patchbay::card {

/// Releases the object with the table's entry `release`.
template <class T, Entry<int(T)> Api::*release>
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
    if (object_ != nullptr) context_->call_quietly(context_->api().*release, object_);
  }

  T get() const noexcept { return object_; }

 private:
  Context* context_ = nullptr;
  T object_ = nullptr;
};

using StreamHandle = Handle<NativeStream, &Api::stream_destroy>;
using EventHandle = Handle<NativeEvent, &Api::event_destroy>;
using ModuleHandle = Handle<NativeModule, &Api::module_unload>;

inline EventHandle create_event(Context& context, int flags) {
  NativeEvent event = nullptr;
  context.call(context.api().event_create, &event, static_cast<unsigned>(flags));
  return {context, event};
}

}  // namespace patchbay::card

#endif  // PATCHBAY_KIT_CARD_CONTEXT_HANDLE_HPP_
