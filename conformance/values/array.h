// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A tensor on the host with the memory around it, which shows writes outside of the tensor.
#ifndef PATCHBAY_CONFORMANCE_VALUES_ARRAY_H_
#define PATCHBAY_CONFORMANCE_VALUES_ARRAY_H_

#include <cstring>
#include <functional>
#include <string_view>
#include <vector>

#include "conformance/support/bytes.h"
#include "conformance/support/expect.h"
#include "conformance/values/element.h"
#include "conformance/values/layout.h"

namespace patchbay::conformance {

/// A number of this type. One for bools is a u8, because there are no scalars of dtype bool.
template <class T>
Argument literal_of(T value) {
  if constexpr (std::is_same_v<T, Bool>) {
    return Argument::scalar(static_cast<std::uint8_t>(value));
  } else if constexpr (kIsHalf<T>) {
    Argument argument = Argument::scalar(value.bits());
    argument.dtype = dtype_of_element<T>();
    return argument;
  } else {
    return Argument::scalar(value);
  }
}

template <class T>
class Array {
 public:
  /// Elements from `value(index)`, in row-major order.
  Array(const Layout& layout, const std::function<T(std::size_t)>& value) : Array(layout) {
    for (std::size_t i = 0; i < layout_.num_elements(); ++i) at(i) = value(i);
  }
  /// Memory without elements, which no kernel may write.
  explicit Array(const Layout& layout) : layout_(layout), memory_(layout.extent() + kBeyond) {
    std::memset(static_cast<void*>(memory_.data()), 0xa5, memory_.size() * sizeof(T));
  }

  const Layout& layout() const { return layout_; }
  std::size_t size() const { return layout_.num_elements(); }
  T& at(std::size_t index) { return memory_[layout_.locate(index)]; }
  const T& at(std::size_t index) const { return memory_[layout_.locate(index)]; }

  Argument to_device(const Device& device, Access access) const {
    Argument argument =
        Argument::tensor(upload(device, bytes()), dtype_of_element<T>(), layout_.shape, access);
    argument.strides = layout_.strides;
    argument.offset_bytes = static_cast<std::size_t>(layout_.offset) * sizeof(T);
    return argument;
  }
  /// Writes all of the memory of an argument that to_device has made.
  void write_to(const Argument& argument) const { write(argument.buffer, bytes()); }
  void copy_to(void* memory) const {
    std::memcpy(memory, memory_.data(), memory_.size() * sizeof(T));
  }
  void from_device(const Argument& argument) {
    const Bytes bytes = read(argument.buffer);
    std::memcpy(static_cast<void*>(memory_.data()), bytes.data(), bytes.size());
  }

  /// Each element must be close to the expected one, and the memory between them unchanged.
  void expect_close_to(const Array& expected, double ulps, std::string_view what) const {
    std::vector<bool> belongs(memory_.size());
    for (std::size_t i = 0, count = size(); i < count; ++i) {
      const std::size_t place = layout_.locate(i);
      belongs[place] = true;
      if (is_close(memory_[place], expected.at(i), ulps)) continue;
      throw Failure(fmt::format("{}: element {} of {}: expected {}, got {}", what, i,
                                layout_.to_string(), show_element(expected.at(i)),
                                show_element(memory_[place])));
    }
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      if (belongs[i] || std::memcmp(&memory_[i], &expected.memory_[i], sizeof(T)) == 0) continue;
      throw Failure(fmt::format("{}: wrote beside the tensor, at element {} of its memory ({})",
                                what, i, layout_.to_string()));
    }
  }

 private:
  static constexpr std::size_t kBeyond = 16;

  Bytes bytes() const {
    Bytes all(memory_.size() * sizeof(T));
    copy_to(all.data());
    return all;
  }

  Layout layout_;
  std::vector<T> memory_;
};

}  // namespace patchbay::conformance

#endif  // PATCHBAY_CONFORMANCE_VALUES_ARRAY_H_
