// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What the handles of the public classes hold.
#ifndef PATCHBAY_HANDLE_H_
#define PATCHBAY_HANDLE_H_

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "patchbay/export.h"

namespace patchbay::runtime {

/// Throws kInvalidArgument: an object of this class was moved from.
[[noreturn]] PATCHBAY_API void raise_moved_from(const char* type);

/// The name of a class, as a template argument.
template <std::size_t N>
struct TypeName {
  consteval TypeName(const char (&name)[N]) {  // NOLINT(google-explicit-constructor)
    std::copy_n(name, N, text);
  }
  char text[N];
};

/// A shared object. A handle that was moved from has none; using it throws.
template <class T, TypeName name>
class ObjectHandle {
 public:
  ObjectHandle() noexcept = default;
  ObjectHandle(std::shared_ptr<T> object) noexcept  // NOLINT(google-explicit-constructor)
      : object_(std::move(object)) {}

  const std::shared_ptr<T>& shared() const {
    if (object_ == nullptr) [[unlikely]]
      raise_moved_from(name.text);
    return object_;
  }
  T& operator*() const { return *shared(); }
  T* operator->() const { return shared().get(); }
  T* get() const { return shared().get(); }
  operator const std::shared_ptr<T>&() const {  // NOLINT(google-explicit-constructor)
    return shared();
  }

  friend bool operator==(const ObjectHandle& a, const ObjectHandle& b) noexcept {
    return a.object_ == b.object_;
  }

 private:
  std::shared_ptr<T> object_;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_HANDLE_H_
