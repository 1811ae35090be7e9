// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Convolutions as plain matrix products, for devices whose library multiplies faster than a text.
// The places of all windows are copied to the columns of a matrix (Chellapilla, Puri and Simard,
// High Performance Convolutional Neural Networks for Document Processing, 2006).
#ifndef PATCHBAY_KIT_PORTABLE_LOWERING_HPP_
#define PATCHBAY_KIT_PORTABLE_LOWERING_HPP_

#include <cstdint>
#include <memory>
#include <string_view>

#include "kit/portable/base/backend.hpp"
#include "kit/windows.hpp"

namespace patchbay::portable {

/// The launches between products. Images are contiguous, [images, channels, h, w], and a matrix of
/// columns is [channels * kernel, images * places], contiguous. Sums are f32 for 16-bit floats,
/// else of the dtype. Queued.
class Lowering {
 public:
  /// Where and how a launch is queued.
  struct Launch {
    plugin::Stream& stream;
    std::string_view name;  // for errors and traces
  };

  Lowering(Backend& backend, std::uint8_t dtype);

  /// Whether all counts of so many images fit into the texts' 32 bits.
  static bool fits(const Convolution& of);

  void columns(const Launch& launch, const Convolution& of, plugin::Memory out,
               plugin::Memory images) const;
  /// The adjoint, of sums.
  void images(const Launch& launch, const Convolution& of, plugin::Memory out,
              plugin::Memory columns) const;
  /// out [n, m, k] of a [m, n, k].
  void swap(const Launch& launch, std::int64_t m, std::int64_t n, std::int64_t k,
            plugin::Memory out, plugin::Memory a) const;
  void round_sums(const Launch& launch, std::int64_t count, plugin::Memory out,
                  plugin::Memory sums) const;

 private:
  const Program program_;
  const std::unique_ptr<Function> columns_, images_, swap_, round_sums_;
};

}  // namespace patchbay::portable

#endif  // PATCHBAY_KIT_PORTABLE_LOWERING_HPP_
