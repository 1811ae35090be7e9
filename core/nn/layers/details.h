// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What layers with windows say of themselves.
#ifndef PATCHBAY_CORE_NN_LAYERS_DETAILS_H_
#define PATCHBAY_CORE_NN_LAYERS_DETAILS_H_

#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "patchbay/convolution.h"

namespace patchbay::nn::layers {

/// "3", or "3x2" if they differ.
inline std::string text_of(Pair pair) {
  return pair.h == pair.w ? std::to_string(pair.h) : fmt::format("{}x{}", pair.h, pair.w);
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
