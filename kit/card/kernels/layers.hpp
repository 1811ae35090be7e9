// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Matrix products with a bias by a vendor's library.
#ifndef PATCHBAY_KIT_CARD_KERNELS_LAYERS_HPP_
#define PATCHBAY_KIT_CARD_KERNELS_LAYERS_HPP_

#include <compare>
#include <cstdint>
#include <string_view>

#include "patchbay/plugin/kit/objects.hpp"

#include "kit/card/context/stream.hpp"
#include "kit/card/kernels/device_library.hpp"
#include "kit/card/kernels/products.hpp"

namespace patchbay::card {

/// The library on one device, which is opened for the first product with a bias.
class Layers : public DeviceLibrary {
 public:
  using DeviceLibrary::DeviceLibrary;

  struct Operand {
    int leading = 1;
    bool transposed = false;
    std::uint32_t alignment_bytes = 1;  // of its address

    auto operator<=>(const Operand&) const = default;
  };
  /// c = op(a) op(b) + bias in each column: column-major matrices of one dtype, a bias of m
  /// elements.
  struct Problem {
    std::uint8_t dtype = PATCHBAY_F32;
    int m = 0, n = 0, k = 0;
    Operand a, b, c, bias;
    std::uint64_t workspace_bytes = 0;

    auto operator<=>(const Problem&) const = default;
  };
  struct Operands {
    plugin::Memory a, b, c, bias, workspace;
  };

  /// Ignores the product's factors and its count. Returns false if the library has no algorithm
  /// that gives equal bits each time and needs no larger workspace.
  bool compute(Stream& stream, const Product& product, plugin::Memory bias,
               plugin::Memory workspace, std::uint64_t workspace_bytes, std::string_view name);

 protected:
  /// The vendor's part of `compute`, called under the lock.
  virtual bool run(Stream& stream, const Problem& problem, const Operands& operands,
                   std::string_view name) = 0;

  const char* instead() const override { return "products with a bias are two launches"; }
  std::uint32_t absence_level() const override { return PATCHBAY_LOG_INFO; }
};

}  // namespace patchbay::card

#endif  // PATCHBAY_KIT_CARD_KERNELS_LAYERS_HPP_
