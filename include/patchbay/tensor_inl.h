// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Templates of tensor.h; not included by users.
#ifndef PATCHBAY_TENSOR_INL_H_
#define PATCHBAY_TENSOR_INL_H_

#include <array>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "patchbay/error.h"
#include "patchbay/tensor.h"

namespace patchbay {

namespace tensor {
/// from_host, with the name of the function in its errors.
PATCHBAY_API Tensor from_host_values(const void* values, std::size_t num_values, DType dtype,
                                     const Shape& shape, const Device& device);
}  // namespace tensor

template <class T>
std::vector<T> Tensor::to_vector() const {
  // std::vector<bool> has no bytes to copy into.
  using Stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
  std::vector<Stored> values;
  const auto make = [](void* user, std::size_t count) -> void* {
    auto& stored = *static_cast<std::vector<Stored>*>(user);
    stored.resize(count);
    return stored.data();
  };
  to_vector(dtype_of<T>(), make, &values);
  if constexpr (std::is_same_v<T, bool>) {
    return std::vector<bool>(values.begin(), values.end());
  } else {
    return values;
  }
}

template <class T>
Tensor from_host(const T* values, std::size_t num_values, const Shape& shape,
                 const Device& device) {
  return tensor::from_host_values(values, num_values, dtype_of<T>(), shape, device);
}

template <class T>
Tensor from_host(std::span<const T> values, const Shape& shape, const Device& device) {
  return from_host(values.data(), values.size(), shape, device);
}

template <class T, std::size_t N>
Tensor from_host(std::span<T, N> values, const Shape& shape, const Device& device) {
  return from_host(values.data(), values.size(), shape, device);
}

template <class T, std::size_t N>
Tensor from_host(const std::array<T, N>& values, const Shape& shape, const Device& device) {
  return from_host(values.data(), N, shape, device);
}

/// An array of arrays, too.
template <class T, std::size_t N>
Tensor from_host(const T (&values)[N], const Shape& shape, const Device& device) {
  using Element = std::remove_all_extents_t<T>;
  return from_host(reinterpret_cast<const Element*>(values), sizeof(values) / sizeof(Element),
                   shape, device);
}

template <class T>
Tensor from_host(std::initializer_list<T> values, const Shape& shape, const Device& device) {
  return from_host(values.begin(), values.size(), shape, device);
}

template <class T>
Tensor from_host(const std::vector<T>& values, const Shape& shape, const Device& device) {
  if constexpr (std::is_same_v<T, bool>) {
    const auto bytes = std::make_unique<bool[]>(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) bytes[i] = values[i];
    return from_host(bytes.get(), values.size(), shape, device);
  } else {
    return from_host(values.data(), values.size(), shape, device);
  }
}

}  // namespace patchbay

#endif  // PATCHBAY_TENSOR_INL_H_
