// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The shapes that linear.1 and attention.1 take, checked once for every backend.
#ifndef PATCHBAY_KIT_LAYERS_HPP_
#define PATCHBAY_KIT_LAYERS_HPP_

#include "patchbay/plugin/kit/error.hpp"
#include "patchbay/plugin/kit/objects.hpp"
#include "patchbay/plugin/types.h"

namespace patchbay {

/// Of out [m, n], a [m, k], weight [n, k] and bias [n]. Throws invalid_argument.
inline void check_linear(plugin::Arguments arguments) {
  const patchbay_argument &out = arguments[0], &a = arguments[1], &weight = arguments[2],
                          &bias = arguments[3];
  if (out.rank != 2 || a.rank != 2 || weight.rank != 2 || bias.rank != 1 ||
      a.shape[0] != out.shape[0] || weight.shape[0] != out.shape[1] ||
      bias.shape[0] != out.shape[1] || a.shape[1] != weight.shape[1]) {
    plugin::invalid_argument("linear.1: expected [m, n], [m, k], [n, k] and [n]");
  }
  if (bias.shape[0] > 1 && bias.strides[0] != 1) {
    plugin::invalid_argument("linear.1: the bias has no unit stride");
  }
}

/// Of out [b, h, q, n], query [b, h, q, d], key [b, h, k, d] and value [b, h, k, n]. Throws
/// invalid_argument.
inline void check_attention(plugin::Arguments arguments) {
  const patchbay_argument &out = arguments[0], &query = arguments[1], &key = arguments[2],
                          &value = arguments[3];
  for (const patchbay_argument& each : arguments) {
    if (each.rank != 4) plugin::invalid_argument("attention.1: expected tensors of rank 4");
  }
  bool fits = query.shape[3] == key.shape[3] && key.shape[2] == value.shape[2] &&
              out.shape[2] == query.shape[2] && out.shape[3] == value.shape[3];
  for (const patchbay_argument& each : arguments) {
    fits = fits && each.shape[0] == query.shape[0] && each.shape[1] == query.shape[1];
  }
  if (!fits) plugin::invalid_argument("attention.1: the shapes do not fit each other");
}

}  // namespace patchbay

#endif  // PATCHBAY_KIT_LAYERS_HPP_
