// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Matrix products by a vendor's BLAS library.
#ifndef PATCHBAY_KIT_CARD_KERNELS_PRODUCTS_HPP_
#define PATCHBAY_KIT_CARD_KERNELS_PRODUCTS_HPP_

#include <cstdint>
#include <string_view>

#include "patchbay/plugin/kit/objects.hpp"

#include "kit/card/context/allocator.hpp"
#include "kit/card/context/stream.hpp"
#include "kit/card/kernels/device_library.hpp"

namespace patchbay::card {

/// c = alpha op(a) op(b) + beta c, `count` times; all matrices are column-major, and a product of
/// 16-bit floats may have an f32 result.
struct Product {
  struct Matrix {
    plugin::Memory memory;
    int leading = 1;
    bool transposed = false;
    std::int64_t next = 0;  // elements to the next matrix
  };
  std::uint8_t dtype = PATCHBAY_F32;
  int m = 0, n = 0, k = 0;
  Matrix a, b, c;
  int count = 1;
  const void* alpha = nullptr;  // f64 for products of f64, else f32
  const void* beta = nullptr;
  bool has_f32_result = false;  // else of `dtype`

  std::uint8_t result_dtype() const { return has_f32_result ? std::uint8_t{PATCHBAY_F32} : dtype; }
};

/// The BLAS library on one device, which is opened for the first product.
class Products : public DeviceLibrary {
 public:
  using DeviceLibrary::DeviceLibrary;

  /// Whether the library multiplies matrices of this dtype, a float, on this card.
  virtual bool takes(std::uint8_t /*dtype*/) const { return true; }
  /// The workspace with which the library is fastest.
  virtual std::uint64_t workspace_bytes() const = 0;
  void multiply(Stream& stream, Product product, plugin::Memory workspace,
                std::uint64_t workspace_bytes, std::string_view name);

 protected:
  // The vendor's part. Both are called under the lock.
  /// Sets the stream and, unless `workspace` has no base, the workspace.
  virtual void begin(Stream& stream, plugin::Memory workspace, std::uint64_t workspace_bytes,
                     std::string_view name) = 0;
  virtual void multiply_batch(const Product& product, std::string_view name) = 0;

  const char* instead() const override { return "products run on the portable kernel"; }
};

}  // namespace patchbay::card

#endif  // PATCHBAY_KIT_CARD_KERNELS_PRODUCTS_HPP_
