// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What layers say of themselves.
#ifndef PATCHBAY_CORE_NN_LAYERS_DETAILS_H_
#define PATCHBAY_CORE_NN_LAYERS_DETAILS_H_

#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "patchbay/convolution.h"
#include "patchbay/nn/parameter.h"

namespace patchbay::nn::layers {

/// For layers of one dimension.
inline Pair both(std::int64_t number) { return {number, number}; }

/// "3", or "3x2" if they differ.
inline std::string text_of(Pair pair) {
  return pair.h == pair.w ? std::to_string(pair.h) : fmt::format("{}x{}", pair.h, pair.w);
}

/// `factor` times the extent of the tensor in that dimension, "?" if there is no tensor of that
/// rank.
inline std::string extent_text(const Parameter& of, int rank, int dim, std::int64_t factor = 1) {
  if (!of.defined() || of->rank() != rank) return "?";
  return std::to_string(of->size(dim) * factor);
}

/// ", stride 2, padding 1": what differs from the default.
inline std::string settings_text(Pair stride, Pair padding, Pair dilation) {
  std::string text;
  const auto add = [&](const char* name, Pair value, std::int64_t usual) {
    if (value.h != usual || value.w != usual) text += fmt::format(", {} {}", name, text_of(value));
  };
  add("stride", stride, 1);
  add("padding", padding, 0);
  add("dilation", dilation, 1);
  return text;
}

}  // namespace patchbay::nn::layers

#endif  // PATCHBAY_CORE_NN_LAYERS_DETAILS_H_
