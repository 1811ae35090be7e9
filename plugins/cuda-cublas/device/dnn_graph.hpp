// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The functions of cuDNN, and the descriptors of its graphs.
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_DNN_GRAPH_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_DNN_GRAPH_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "patchbay/plugin/kit/host.hpp"

#include "cuda-cublas/api/dnn_api.hpp"
#include "kit/card/kernels/device_library.hpp"

namespace patchbay::cuda {

/// The functions of the library, which stays loaded.
struct DnnTable {
  /// Throws `unsupported` with the reason and what to install.
  DnnTable(plugin::Host host, int driver_version);

#define PATCHBAY_CUDA_MEMBER(member, symbol, parameters) \
  card::Entry<int parameters> member{#symbol, nullptr};
  PATCHBAY_DNN_ENTRIES(PATCHBAY_CUDA_MEMBER)
#undef PATCHBAY_CUDA_MEMBER
  /// Whether convolutions of f32 may round their operands, as the user has asked.
  bool uses_tf32 = false;
};

/// Owns a descriptor of the library. A failing call throws the error of its status.
class DnnDescriptor {
 public:
  DnnDescriptor() = default;
  DnnDescriptor(card::DeviceLibrary& library, const DnnTable& table, int kind);
  DnnDescriptor(DnnDescriptor&& other) noexcept { *this = std::move(other); }
  DnnDescriptor& operator=(DnnDescriptor&& other) noexcept {
    std::swap(library_, other.library_);
    std::swap(table_, other.table_);
    std::swap(native_, other.native_);
    return *this;
  }
  ~DnnDescriptor();

  NativeDescriptor native() const { return native_; }
  template <std::size_t N, class T>
  DnnDescriptor& set(int attribute, int type, const std::array<T, N>& values) {
    return set(attribute, type, N, values.data());
  }
  template <class T>
  DnnDescriptor& set(int attribute, int type, T value) {
    return set(attribute, type, std::array{value});
  }
  DnnDescriptor& set(int attribute, const DnnDescriptor& value) {
    return set(attribute, kDnnTypeDescriptor, value.native_);
  }
  /// 1 and 0, in the type in which the library sums: it reads them as that.
  DnnDescriptor& set_factors(int alpha, int beta, bool is_f64);
  /// Returns how many values there are; at most `most` are written.
  std::int64_t get(int attribute, int type, std::int64_t most, void* values) const;
  /// Ends a chain of `set`: finalizes the descriptor and moves it out.
  DnnDescriptor finalized();

 private:
  DnnDescriptor& set(int attribute, int type, std::int64_t count, const void* values);

  card::DeviceLibrary* library_ = nullptr;
  const DnnTable* table_ = nullptr;
  NativeDescriptor native_ = nullptr;
};

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_DNN_GRAPH_HPP_
