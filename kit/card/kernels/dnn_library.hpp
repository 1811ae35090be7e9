// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Convolutions and attention by a vendor's library of network operators.
#ifndef PATCHBAY_KIT_CARD_KERNELS_DNN_LIBRARY_HPP_
#define PATCHBAY_KIT_CARD_KERNELS_DNN_LIBRARY_HPP_

#include <array>
#include <compare>
#include <cstdint>
#include <string_view>

#include "patchbay/plugin/kit/objects.hpp"

#include "kit/card/context/stream.hpp"
#include "kit/card/kernels/device_library.hpp"
#include "kit/windows.hpp"

namespace patchbay::card {

struct ConvolutionProblem {
  ConvolutionPart part = ConvolutionPart::kForward;
  std::uint8_t dtype = PATCHBAY_F32;
  Convolution of;

  auto operator<=>(const ConvolutionProblem&) const = default;
};

/// The part decides which of the first three is the result.
struct ConvolutionOperands {
  plugin::Memory images, weight, windows, workspace;
  std::uint64_t workspace_bytes = 0;
};

/// softmax(scale query key^T) value.
struct AttentionProblem {
  /// [batch, heads, rows, columns], in elements.
  struct Heads {
    std::array<std::int64_t, 4> shape{}, strides{};

    auto operator<=>(const Heads&) const = default;
  };
  std::uint8_t dtype = PATCHBAY_F16;
  Heads query, key, value, out;

  auto operator<=>(const AttentionProblem&) const = default;
};

struct AttentionOperands {
  plugin::Memory query, key, value, out, workspace;
  std::uint64_t workspace_bytes = 0;
  float scale = 1;
};

/// The library on one device, which is opened for the first operator that it computes.
class DnnLibrary : public DeviceLibrary {
 public:
  using DeviceLibrary::DeviceLibrary;

  // What the user's settings say. They throw for a wrong one.
  virtual bool takes_convolutions() const = 0;
  virtual bool takes_attention() const = 0;

  /// Whether the library is to be tried before products of the BLAS library.
  virtual bool is_preferred(const ConvolutionProblem& problem) const = 0;
  // Call these after `open`. They return false if the library has no algorithm that is allowed and
  // needs no larger workspace.
  bool convolve(Stream& stream, const ConvolutionProblem& problem,
                const ConvolutionOperands& operands, std::string_view name) {
    return submit(stream, name, [&] { return run(stream, problem, operands, name); });
  }
  bool attend(Stream& stream, const AttentionProblem& problem, const AttentionOperands& operands,
              std::string_view name) {
    return submit(stream, name, [&] { return run(stream, problem, operands, name); });
  }

 protected:
  // The vendor's part of `convolve` and `attend`, called under the lock.
  virtual bool run(Stream& stream, const ConvolutionProblem& problem,
                   const ConvolutionOperands& operands, std::string_view name) = 0;
  virtual bool run(Stream& stream, const AttentionProblem& problem,
                   const AttentionOperands& operands, std::string_view name) = 0;

  const char* instead() const override {
    return "convolutions run as products, attention as products and softmax";
  }
};

}  // namespace patchbay::card

#endif  // PATCHBAY_KIT_CARD_KERNELS_DNN_LIBRARY_HPP_
