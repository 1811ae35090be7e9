// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Convolutions by a vendor's library of network operators.
#ifndef PATCHBAY_KIT_CARD_KERNELS_CONVOLUTIONS_HPP_
#define PATCHBAY_KIT_CARD_KERNELS_CONVOLUTIONS_HPP_

#include <compare>
#include <cstdint>
#include <string_view>

#include "patchbay/plugin/kit/objects.hpp"

#include "kit/card/device/stream.hpp"
#include "kit/card/kernels/device_library.hpp"
#include "kit/windows.hpp"

namespace patchbay::card {

/// The library on one device, which is opened for the first convolution.
class Convolutions : public DeviceLibrary {
 public:
  using DeviceLibrary::DeviceLibrary;

  struct Problem {
    ConvolutionPart part = ConvolutionPart::kForward;
    std::uint8_t dtype = PATCHBAY_F32;
    Convolution of;

    auto operator<=>(const Problem&) const = default;
  };
  /// The part decides which of the first three is the result.
  struct Operands {
    plugin::Memory images, weight, windows, workspace;
    std::uint64_t workspace_bytes = 0;
  };

  /// Whether the library is to be tried before products of the BLAS library. Call after `open`.
  virtual bool is_preferred(const Problem& problem) const = 0;
  /// Returns false if the library has no algorithm that is allowed and needs no larger workspace.
  bool compute(Stream& stream, const Problem& problem, const Operands& operands,
               std::string_view name) {
    return submit(stream, name, [&] { return run(stream, problem, operands, name); });
  }

 protected:
  /// The vendor's part of `compute`, called under the lock.
  virtual bool run(Stream& stream, const Problem& problem, const Operands& operands,
                   std::string_view name) = 0;

  const char* instead() const override { return "convolutions run as products"; }
};

}  // namespace patchbay::card

#endif  // PATCHBAY_KIT_CARD_KERNELS_CONVOLUTIONS_HPP_
