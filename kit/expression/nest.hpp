// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Iterates over the tensors of an elementwise launch together.
#ifndef PATCHBAY_KIT_EXPRESSION_NEST_HPP_
#define PATCHBAY_KIT_EXPRESSION_NEST_HPP_

#include "kit/expression/program.hpp"
#include "kit/loop_nest.hpp"

namespace patchbay::expression {

using Nest = LoopNest<static_cast<int>(kMaxTensors)>;

/// A nest of the tensors among the arguments, in their order. They have the same shape. The first
/// is an output; its strides determine the order of the dimensions, unless `keeps_order` requests
/// row-major order.
inline Nest nest_of(plugin::Arguments arguments, bool keeps_order = false) {
  Nest nest;
  const patchbay_argument* tensors[kMaxTensors];
  for (const patchbay_argument& argument : arguments) {
    if (argument.kind == PATCHBAY_TENSOR) tensors[nest.num_operands++] = &argument;
  }
  for (int d = 0; d < tensors[0]->rank; ++d) {
    nest.add(tensors[0]->shape[d], [&](int t) { return tensors[t]->strides[d]; });
  }
  if (!keeps_order) nest.sort();
  nest.merge();
  return nest;
}

}  // namespace patchbay::expression

#endif  // PATCHBAY_KIT_EXPRESSION_NEST_HPP_
